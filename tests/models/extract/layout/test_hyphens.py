"""Hyphens at line ends: dropped where they divide a word, kept where the word has one."""

import pytest

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.text.blocks import join_lines
from quire.models.extract.layout.text.hyphens import PageHyphens

PLAIN = [
    "The committee met on the first day of the month to hear what had been planned",
    "and to say what it thought of it.",
]
DIVIDED = [
    "was set with great care by the prin-",
    "ter, whose appren-",
    "tice was away to see the mas-",
    "ter of a house",
]


def lines(*texts: str) -> list[Line]:
    return [
        Line(50, 50 + 12 * at - 8, 50 + 5 * len(text), 50 + 12 * at + 2, 50 + 12 * at, 10.0, text)
        for at, text in enumerate(texts)
    ]


def joined(upper: str, lower: str, *others: str) -> str:
    """The two lines as one text, on a page with those others."""
    own = lines(upper, lower)
    return join_lines(own, PageHyphens([*own, *lines(*others)]).divides)[0]


@pytest.mark.parametrize(
    ("upper", "lower", "whole"),
    [
        ("a list of in-", "demand jobs", "a list of in-demand jobs"),
        ("people with high-", "paying work", "people with high-paying work"),
        ("it is state-of-", "the-art work", "it is state-of-the-art work"),
        ("the play-", "money game", "the play-money game"),
        ("a network-", "based service", "a network-based service"),
    ],
)
def test_page_that_divides_no_words_keeps_hyphens_at_its_line_ends(upper: str, lower: str, whole: str) -> None:
    assert joined(upper, lower, *PLAIN * 20) == whole


@pytest.mark.parametrize(
    ("upper", "lower", "whole"),
    [
        ("the docu-", "mentation of it", "the documentation of it"),
        ("what a gov-", "ernment does", "what a government does"),
        ("die Gesell-", "schaft tagt", "die Gesellschaft tagt"),
        ("в этом изда-", "нии книги", "в этом издании книги"),
    ],
)
def test_a_page_that_divides_words_has_them_in_one_piece(upper: str, lower: str, whole: str) -> None:
    assert joined(upper, lower, *DIVIDED * 4) == whole


def test_the_page_itself_says_which_form_a_word_has() -> None:
    assert joined("a real re-", "creation", "the re-creation of it", *DIVIDED * 4) == "a real re-creation"
    assert joined("the work-", "flow", "a workflow is", *PLAIN * 20) == "the workflow"


def test_typographic_hyphen_divides_unless_words_of_the_page_have_one() -> None:
    assert joined("the net‐", "work", *PLAIN * 20) == "the network"
    assert joined("the well‐", "known", "a so‐called one", *PLAIN * 20) == "the well‐known"


def test_before_capitals_and_digits_the_hyphen_stays_without_a_blank() -> None:
    assert joined("all of the non-", "European states") == "all of the non-European states"
    assert joined("the COVID-", "19 years") == "the COVID-19 years"


@pytest.mark.parametrize("conjunction", ["and", "und", "et"])
def test_a_hanging_hyphen_keeps_its_blank(conjunction: str) -> None:
    assert joined("short-", f"{conjunction} long-term") == f"short- {conjunction} long-term"

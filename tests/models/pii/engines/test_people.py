"""Names from a tagger's tokens: continuation, separation, and the weight of a doubtful word."""

import pytest

from quire.models.pii.engines.people import (
    LEAST_SCORE,
    WEAK_ALONE,
    WEAK_SCORE,
    TaggedToken,
    find_companies,
    find_people,
    join_tokens,
    whole_words,
)

LABELS = frozenset({"GIVEN_NAME", "SURNAME"})


def joined(text: str, *words: str, label: str = "SURNAME", score: float = 1.0) -> list[str]:
    tokens = [TaggedToken(label, text.index(word), text.index(word) + len(word), score) for word in words]
    return [text[start:end] for start, end in join_tokens(text, tokens, LABELS)]


@pytest.mark.parametrize(
    ("text", "words", "spans"),
    [
        ("by Ann Reed today", ("Ann", "Reed"), ["Ann Reed"]),
        ("by Ann-Marie Reed", ("Ann", "Marie", "Reed"), ["Ann-Marie Reed"]),
        ("by J. Reed", ("J", "Reed"), ["J. Reed"]),
        ("by Reed, Ann", ("Reed", "Ann"), ["Reed, Ann"]),
        ("by Ann. Reed left", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Ann   Reed", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Ann\nReed", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Ann & Reed", ("Ann", "Reed"), ["Ann", "Reed"]),
        ("by Oberhauser", ("berh",), ["Oberhauser"]),
    ],
)
def test_tokens_that_stand_together_are_one_span(text: str, words: tuple[str, ...], spans: list[str]) -> None:
    assert joined(text, *words) == spans


def test_other_labels_and_doubtful_tokens_are_passed_over() -> None:
    assert joined("by Ann", "Ann", label="CITY") == []
    assert joined("by Ann", "Ann", score=LEAST_SCORE - 0.01) == []
    assert joined("by Ann", "Ann", score=LEAST_SCORE) == ["Ann"]


def people(text: str, *words: str, score: float = 1.0, label: str = "GIVEN_NAME") -> list[str]:
    tokens = [TaggedToken(label, text.index(word), text.index(word) + len(word), score) for word in words]
    return [text[hit.start : hit.end] for hit in find_people(text, tokens)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("by Ann Reed", "Ann Reed"),
        ("by Ann J. Reed", "Ann J. Reed"),
        ("by Ann J K Reed-Oh, here", "Ann J K Reed-Oh"),
        ("by Ann reed", "Ann"),
        ("by Ann March", "Ann"),
        ("by Ann Street", "Ann"),
        ("by Ann, Reed", "Ann"),
        ("by Ann Reed2", "Ann"),
        ("ANN", "ANN"),
        ("by ex-Ann", "Ann"),
    ],
)
def test_person_span_includes_the_following_capitalised_word(text: str, name: str) -> None:
    assert people(text, "ANN" if text.isupper() else "Ann") == [name]


def test_a_name_of_two_words_takes_no_third_along() -> None:
    assert people("by Ann Reed Lagoon", "Ann", "Reed") == ["Ann Reed"]


def test_a_text_in_small_letters_has_no_word_with_a_capital_to_take_along() -> None:
    assert people("by ann reed", "ann") == ["ann"]
    assert people("by ann reed", "ann", "reed", score=WEAK_SCORE) == []


def test_former_office_is_not_part_of_a_name() -> None:
    assert people("by ex-Minister Olsen", "Minister", "Olsen") == ["Olsen"]
    assert people("ex-Minister Olsen", "Minister", "Olsen") == ["Olsen"]
    assert people("the Minister Olsen", "Minister", "Olsen") == ["Minister Olsen"]


def test_countries_are_not_people() -> None:
    assert people("from Ann to Norway", "Ann", "Norway") == ["Ann"]


@pytest.mark.parametrize(
    ("text", "words", "score", "names"),
    [
        ("Petr Kloz speaks", ("Petr", "Kloz"), WEAK_SCORE, ["Petr Kloz"]),
        ("Petr Kloz speaks", ("Petr", "Kloz"), WEAK_SCORE - 0.01, []),
        ("Petr. Kloz speaks", ("Petr", "Kloz"), WEAK_SCORE, ["Petr. Kloz"]),
        ("Petr, Kloz speaks", ("Petr", "Kloz"), WEAK_ALONE, ["Kloz"]),
        ("Petr and Kloz", ("Petr", "Kloz"), WEAK_SCORE, []),
        ("heard Kloz speak", ("Kloz",), WEAK_ALONE, ["Kloz"]),
        ("heard Kloz speak", ("Kloz",), WEAK_ALONE - 0.01, []),
        ("Heard. Kloz speaks", ("Kloz",), WEAK_ALONE, []),
        ("Kloz speaks", ("Kloz",), WEAK_ALONE, []),
        ("heard (Kloz) speak", ("Kloz",), WEAK_ALONE, ["Kloz"]),
        ("heard “Kloz” speak", ("Kloz",), WEAK_ALONE, ["Kloz"]),
        ("heard Kloz speak", ("Kl", "oz"), WEAK_ALONE, ["Kloz"]),
        ("in Friday, heard", ("Friday",), WEAK_ALONE, []),
        ("Heard kloz speak", ("kloz",), WEAK_ALONE, []),
        ("go Petr Kloz Smit by", ("Petr", "Kloz", "Smit"), WEAK_SCORE, ["Petr Kloz Smit"]),
    ],
)
def test_doubtful_word_is_a_name_next_to_another_or_within_a_sentence(
    text: str, words: tuple[str, ...], score: float, names: list[str]
) -> None:
    assert people(text, *words, score=score) == names


def test_the_most_doubtful_part_decides() -> None:
    text = "heard Kloz speak"
    parts = [TaggedToken("SURNAME", 6, 8, WEAK_ALONE), TaggedToken("SURNAME", 8, 10, WEAK_SCORE)]
    assert find_people(text, parts) == find_people(text, parts[::-1]) == []
    both = "Petr Kloz"
    assert find_people(both, [TaggedToken("SURNAME", 0, 4, 0.1), TaggedToken("SURNAME", 5, 9, 0.01)]) == []
    assert find_people(text, [TaggedToken("CITY", 6, 10, WEAK_ALONE)]) == []


@pytest.mark.parametrize(
    ("text", "span", "word"),
    [("ab cd ef", (4, 4), "cd"), ("ab", (1, 1), "ab"), ("ab, c", (3, 3), ""), ("é1x", (1, 2), "é1x")],
)
def test_a_part_of_a_word_stands_for_the_word(text: str, span: tuple[int, int], word: str) -> None:
    start, end = whole_words(text, *span)
    assert text[start:end] == word


def test_words_before_a_legal_form_and_employers_are_companies() -> None:
    text = "Acme Ropes Ltd sold to Reed & Sons GmbH. Ann works for Blue Lagoon and is CEO of Kranbau. A limited offer."
    assert [text[hit.start : hit.end] for hit in find_companies(text, ())] == [
        "Acme Ropes Ltd",
        "Reed & Sons GmbH",
        "Blue Lagoon",
        "Kranbau",
    ]

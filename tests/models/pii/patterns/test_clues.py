"""A clue only says where to look: with clues the patterns find exactly what they find when tried at every place."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.models.pii.kinds import Hit
from quire.models.pii.normalise import normalise
from quire.models.pii.patterns.clues import (
    EMAIL_REACH,
    Clues,
    Starts,
    at_dialled,
    at_hosts,
    at_ibans,
    at_named_streets,
    at_numbered_streets,
    at_numbers,
    at_quoted,
    at_shape,
    at_text,
    at_words,
    before_at,
    before_house_numbers,
    before_spelled_at,
)
from quire.models.pii.patterns.kind_patterns import PATTERNS
from quire.models.pii.patterns.labels import Labels
from quire.models.pii.patterns.pattern import Pattern
from quire.models.pii.patterns.phones import find_phones
from tests.models.pii.values import CONTEXT_WORDS, PLAIN_WORDS, VALUES, disturbed

PIECES = st.one_of(
    st.sampled_from(VALUES),
    st.sampled_from(CONTEXT_WORDS),
    st.sampled_from(PLAIN_WORDS),
    st.sampled_from(list(" \n\t.,;:-/()+@_<'’é&%ßıſ０٣")),
    st.text(alphabet="0123456789 .-/()+", max_size=12),
    st.text(max_size=4),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def everywhere(clues: Clues) -> Iterable[int]:
    """No clue is asked for."""
    return range(len(clues.text) + 1)


def plain(text: str) -> Iterator[list[Hit]]:
    clues = Clues(text)
    for pattern in PATTERNS:
        yield list(replace(pattern, starts=everywhere).find(clues))
    yield list(find_phones(clues, everywhere))


def clued(text: str) -> Iterator[list[Hit]]:
    clues = Clues(text)
    for pattern in PATTERNS:
        yield list(pattern.find(clues))
    yield list(find_phones(clues))


@settings(max_examples=400)
@given(TEXTS)
def test_clues_change_nothing(text: str) -> None:
    text = normalise(text).text
    assert list(clued(text)) == list(plain(text))


def test_clues_change_nothing_around_values_that_were_disturbed() -> None:
    dice = random.Random(7)
    for _ in range(1500):
        text = normalise(disturbed(dice)).text
        assert list(clued(text)) == list(plain(text)), text


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: f"{pattern.kind}-{pattern.regex.pattern[:30]}")
def test_every_pattern_has_a_test_value(pattern: Pattern) -> None:
    texts = [f"{word} {value}." for value in VALUES for word in ("see", *CONTEXT_WORDS)]
    assert any(list(pattern.find(Clues(normalise(text).text))) for text in texts)


@pytest.mark.parametrize("code", ["SW1A 2AA", "NY 10001"])
@pytest.mark.parametrize("words", ["A" * 30, "A" * 31, " ".join(["B" * 30] * 4), "-".join(["C" * 30] * 5), "x" * 200])
def test_towns_of_long_words_are_found_as_far_back_as_a_pattern_goes(words: str, code: str) -> None:
    text = normalise(f"{words}, {code}").text
    assert list(clued(text)) == list(plain(text))


def test_value_behind_an_invalid_number_is_found() -> None:
    hits = [hit for found in clued("On 3 May id 12345678Z was given.") for hit in found]
    assert any(hit.kind == "national_id" for hit in hits)


@pytest.mark.parametrize(
    ("starts", "text", "places"),
    [
        (at_words(b"rope ", b"id"), "Rope id. x-ID europe rope", [0, 5, 11, 21]),
        (at_shape(rb"A0"), "x A7 b", [2]),
        (at_shape(rb"A0", back=2), "xyz A7 A8 ", [2, 3, 4, 5, 6, 7]),
        (at_text("#"), "a#b##", [1, 3, 4]),
        (at_text("#", back=1), "xa#bcd##", [1, 2, 5, 6, 7]),
        (at_text("#", back=3), "a#", [0, 1]),
        (at_numbers, "call 123456 or AB-12 3456 x abcdefgh1 1", [5, 18, 30]),
        (at_numbers, "NL123456 abcdefg123456 12345, 1-2.3/4 5 6", [0, 10, 30]),
        (at_ibans, "GB29 x1 AB12 A12", [0, 8]),
        (at_dialled, "a (+44) 20 7946 09", [2, 3, 4, 8]),
        (at_dialled, "+abcd1234567 123456 1       2 3 4 5 6 7", [5, 13]),
        (before_at, "write ann.b@x.de @c", [0, 6, 12]),
        (before_at, "y" + " " * (EMAIL_REACH - 1) + "@", [0]),
        (before_at, "y" + " " * EMAIL_REACH + "@", []),
        (before_spelled_at, "ann (at) b x at y dot z", [0, 5, 9, 11]),
        (before_spelled_at, "ann at rest", []),
        (at_quoted, 'x "a b"@c.de', [2]),
        (at_quoted, '"' + "a" * 65 + '"@c', [0]),
        (at_quoted, '"' + "a" * 66 + '"@c', []),
        (at_hosts, "see a.b:80/c/d e/f", [4, 8]),
        (at_hosts, "see a:b.c/d", [4, 6]),
        (at_numbered_streets, "at 12 Old Rope Street and 7, Quay Rd", [3, 26]),
        (at_numbered_streets, "1 2 b c d e Street", [0, 2]),
        (at_numbered_streets, "1 a b c d e Street", [0]),
        (at_numbered_streets, "1 a b c d e f Street", []),
        (at_numbered_streets, "12Street no 5 st", []),
        (at_numbered_streets, "no 5 Quay st", [3]),
        (at_named_streets, "5 rue X, 17bis avenue Y", [0, 2, 9, 15]),
        (at_named_streets, "1 a234567890 via Y, 99 a via Z", [13, 20, 25]),
        (before_house_numbers, "x" * 40 + "Seestrasse 12 und 3", list(range(11, 52))),
        (before_house_numbers, "Weg 3 und 4", [0, 1, 2, 3, 4]),
    ],
)
def test_clues_find_possible_starts_of_patterns(starts: Starts, text: str, places: list[int]) -> None:
    assert list(starts(Clues(text))) == places


def test_lower_case_keeps_every_character_at_its_place() -> None:
    assert Clues("ABC É").lower == "abc é"
    longer = Clues("A\u0130B TEL")  # its lower case is two characters
    assert longer.lower == "a\u0130b tel"
    assert Labels("tel").places(longer) == [(4, 7)]

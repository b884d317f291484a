"""A clue only says where to look: with clues the patterns find exactly what they find when tried at every place."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.pii.kinds import Hit
from models.pii.normalise import normalise
from models.pii.patterns.clues import Clues
from models.pii.patterns.kind_patterns import PATTERNS
from models.pii.patterns.pattern import Pattern
from models.pii.patterns.phones import find_phones
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
def test_every_pattern_has_a_value_here_so_that_the_comparison_means_something(pattern: Pattern) -> None:
    texts = [f"{word} {value}." for value in VALUES for word in ("see", *CONTEXT_WORDS)]
    assert any(list(pattern.find(Clues(normalise(text).text))) for text in texts)


@pytest.mark.parametrize("code", ["SW1A 2AA", "NY 10001"])
@pytest.mark.parametrize("words", ["A" * 30, "A" * 31, " ".join(["B" * 30] * 4), "-".join(["C" * 30] * 5), "x" * 200])
def test_towns_of_long_words_are_found_as_far_back_as_a_pattern_goes(words: str, code: str) -> None:
    text = normalise(f"{words}, {code}").text
    assert list(clued(text)) == list(plain(text))


def test_a_value_behind_a_number_that_is_none_is_found() -> None:
    hits = [hit for found in clued("On 3 May id 12345678Z was given.") for hit in found]
    assert any(hit.kind == "national_id" for hit in hits)

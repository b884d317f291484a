"""The copy on which patterns look, and the way back to the original: by example, then against one made slowly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.models.pii.normalise import _normalise_turned as by_characters
from quire.models.pii.normalise import normalise

PIECES = st.one_of(
    st.sampled_from(
        (
            *"ab1é’ﬁ①½٣𝟗ß…＠㎏ı\u200b\u0301\u202e\u202c\x85\x7f\ud800",
            "%41",
            "%C3%A9",
            "&amp;",
            "&foo;",
            "&#x202e;",
            "%E2%80%AE",
        )
    ),
    st.text(max_size=3),
)


@pytest.mark.parametrize(
    ("text", "copy", "origins"),
    [
        ("plain", "plain", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        ("a\tb\x0b\x1fc", "a b  c", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]),
        ("aéb", "aéb", [(0, 1), (1, 2), (2, 3)]),
        ("xﬁy", "xfiy", [(0, 1), (1, 2), (1, 2), (2, 3)]),
        ("a\u200b\u0301b", "ab", [(0, 1), (3, 4)]),
        ("…a…", "...a...", [(0, 1), (0, 1), (0, 1), (1, 2), (2, 3), (2, 3), (2, 3)]),
        ("x%41y", "xAy", [(0, 1), (1, 4), (4, 5)]),
        ("%C3%A9&amp;z", "é&z", [(0, 6), (6, 11), (11, 12)]),
        ("%FF%", "%FF%", [(0, 3), (0, 3), (0, 3), (3, 4)]),
        ("&foo;&#65;&#x42;", "&foo;AB", [*[(0, 5)] * 5, (5, 10), (10, 16)]),
        ("100 % & more", "100 % & more", [(at, at + 1) for at in range(12)]),
        ("٤١ аnn@exаmple。", "41 ann@example.", [(at, at + 1) for at in range(15)]),
        ("a\u2028b\u2029c\x85d\u00a0e", "a\nb\nc\nd e", [(at, at + 1) for at in range(9)]),
        ("1‑2–3−4", "1-2-3-4", [(at, at + 1) for at in range(7)]),
        ("a\u202ecba\u202cd", "aabcd", [(0, 1), (4, 5), (3, 4), (2, 3), (6, 7)]),
        ("\u202eﬁa", "afi", [(2, 3), (1, 2), (1, 2)]),
        ("%E2%80%AEba", "ab", [(10, 11), (9, 10)]),
        ("&#x202e;b%41x", "xAb", [(12, 13), (9, 12), (8, 9)]),
    ],
)
def test_every_character_of_the_copy_stands_for_a_stretch_of_the_original(
    text: str, copy: str, origins: list[tuple[int, int]]
) -> None:
    normalised = normalise(text)
    assert normalised.text == copy
    assert [normalised.original_span(at, at + 1) for at in range(len(copy))] == origins


@given(st.lists(PIECES, max_size=20).map("".join))
def test_runs_are_folded_as_their_characters_would_be(text: str) -> None:
    whole, single = normalise(text), by_characters(text)
    assert whole.text == single.text
    for at in range(len(whole.text)):
        assert whole.original_span(at, at + 1) == single.original_span(at, at + 1)


@given(st.lists(PIECES, max_size=20).map("".join), st.data())
def test_original_span_covers_the_spans_of_its_characters(text: str, data: st.DataObject) -> None:
    copy = normalise(text)
    if not copy.text:
        return
    start = data.draw(st.integers(0, len(copy.text) - 1))
    end = data.draw(st.integers(start + 1, len(copy.text)))
    parts = [copy.original_span(at, at + 1) for at in range(start, end)]
    assert copy.original_span(start, end) == (min(p[0] for p in parts), max(p[1] for p in parts))

from hypothesis import given
from hypothesis import strategies as st

from models.pii.normalise import _normalise_turned as by_characters
from models.pii.normalise import normalise

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


@given(st.lists(PIECES, max_size=20).map("".join))
def test_runs_are_folded_as_their_characters_would_be(text: str) -> None:
    whole, single = normalise(text), by_characters(text)
    assert whole.text == single.text
    for at in range(len(whole.text)):
        assert whole.original_span(at, at + 1) == single.original_span(at, at + 1)


@given(st.lists(PIECES, max_size=20).map("".join), st.data())
def test_a_stretch_covers_what_its_characters_stand_for(text: str, data: st.DataObject) -> None:
    copy = normalise(text)
    if not copy.text:
        return
    start = data.draw(st.integers(0, len(copy.text) - 1))
    end = data.draw(st.integers(start + 1, len(copy.text)))
    parts = [copy.original_span(at, at + 1) for at in range(start, end)]
    assert copy.original_span(start, end) == (min(p[0] for p in parts), max(p[1] for p in parts))

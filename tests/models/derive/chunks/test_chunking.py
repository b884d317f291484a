"""A chunker's name says how to cut the same chunks again."""

from hypothesis import given
from hypothesis import strategies as st

from quire.models.derive.chunks.chunking import chunker_name, settings_of
from quire.models.derive.chunks.chunks import ChunkSettings

DEFAULT = ChunkSettings()
some_settings = st.integers(16, 4000).flatmap(
    lambda most: st.builds(
        ChunkSettings,
        max_tokens=st.just(most),
        overlap_tokens=st.integers(0, most // 2),
        min_tokens=st.integers(0, 500),
    )
)


@given(some_settings)
def test_a_name_gives_its_settings_back(settings: ChunkSettings) -> None:
    assert settings_of(chunker_name(settings), DEFAULT) == settings


@given(st.none() | st.text() | st.sampled_from(["0/100/10/5", "1/1/1/1", "1/100/99/5", "1/100/10"]))
def test_any_other_name_gives_the_settings_of_today(name: str | None) -> None:
    assert settings_of(name, DEFAULT) == DEFAULT

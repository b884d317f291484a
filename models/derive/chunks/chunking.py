"""The chunker name of a document: the version of the chunker that cut it, and its settings.

A published document stores this name. The same chunks can then be cut again, and outdated ones can be found.
"""

import re

from quire.models.derive.chunks.chunks import CHUNKER_VERSION, ChunkSettings, ChunkSettingsRefused

_NAME = re.compile(r"([^/]+)/(\d+)/(\d+)/(\d+)")


def chunker_name(settings: ChunkSettings | None = None) -> str:
    """Return `version/max/overlap/min`, with counts in tokens, e.g. `1/254/32/64`."""
    chosen = settings or ChunkSettings()
    return f"{CHUNKER_VERSION}/{chosen.max_tokens}/{chosen.overlap_tokens}/{chosen.min_tokens}"


def settings_of(name: str | None, default: ChunkSettings) -> ChunkSettings:
    """Return the settings that reproduce a document's chunks.

    Returns `default` for a document without a recorded chunker, and for a version that this program no longer has: its
    chunks are then those of the current chunker until `rechunk` has updated the index too.
    """
    match = _NAME.fullmatch(name or "")
    if match is None or match[1] != CHUNKER_VERSION:
        return default
    try:
        return ChunkSettings(max_tokens=int(match[2]), overlap_tokens=int(match[3]), min_tokens=int(match[4]))
    except ChunkSettingsRefused:
        return default

"""A chunk of a document: text that fits an embedding model, with its place. Frozen data; knows no chunker.

The server of chunks adds the document's id, so that equal documents have equal chunks.
"""

from dataclasses import dataclass
from typing import NewType

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import BlockId

ChunkId = NewType("ChunkId", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBox:
    """A place to point at: `page` 1-based, `bbox` in points."""

    page: int
    bbox: Bbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """`index` counts from 0 in reading order; `pages` is (first, last), 1-based; `tokens` counts `text`."""

    id: ChunkId
    index: int
    text: str
    tokens: int
    section_path: tuple[str, ...]
    pages: tuple[int, int]
    block_ids: tuple[BlockId, ...]
    bboxes: tuple[PageBox, ...]
    flags: tuple[str, ...]
    language: str | None

"""A question to the search index and its answers, as plain values. Knows no engine and no HTTP."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class SearchMode(StrEnum):
    """`vector` is semantic, `fts` is BM25 over words, `hybrid` fuses both by reciprocal rank."""

    VECTOR = "vector"
    FTS = "fts"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """`tenant` and `org` say whose documents; the rest narrows further. `min_score` is in the unit of the mode."""

    tenant: str
    org: str
    q: str
    limit: int = 5
    mode: SearchMode = SearchMode.VECTOR
    document_id: str | None = None
    job_id: str | None = None
    min_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One chunk of a published document. `mode` is the way it was found, which may be a fallback of the one asked for.

    `score`: cosine (vector), BM25 (fts), sum of reciprocal ranks (hybrid). `snippet` is a piece of `text`;
    `highlights` are [start, end) character offsets into it.
    """

    job_id: str
    document_id: str
    chunk_id: str
    score: float
    text: str
    section_path: tuple[str, ...]
    pages: tuple[int, ...]
    block_ids: tuple[str, ...]
    bboxes: tuple[dict[str, Any], ...]
    source_file: str
    mode: SearchMode
    snippet: str
    highlights: tuple[tuple[int, int], ...]

"""A question to the search index and its answers, as plain values. Knows no engine and no HTTP."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

NOTHING_FITS_BELOW = 0.3
"""Cosine of the question and its nearest passage. On Cranfield the best passage of every one of 92 judged questions
lies at 0.43 or above, that of 29 in 30 questions about something else below 0.25 (docs/design/search.md)."""

_WORD = re.compile(r"\w+")


class SearchMode(StrEnum):
    """`vector` is semantic, `fts` is BM25 over words, `hybrid` fuses both by reciprocal rank."""

    VECTOR = "vector"
    FTS = "fts"
    HYBRID = "hybrid"


def nothing_fits(question: str, passages: Iterable[tuple[float | None, Collection[str]]]) -> bool:
    """Return whether no passage is about the question.

    A passage with more than half of the question's words fits at any distance, because a vector does not represent
    numbers and names. Without similarities the answer is False.

    Args:
        question: The text as it was asked.
        passages: The similarity (None if unknown) and the words of the question in each passage.
    """
    passages = list(passages)
    near = [similarity for similarity, _ in passages if similarity is not None]
    asked = {word.casefold() for word in _WORD.findall(question)}
    if not near or max(near) >= NOTHING_FITS_BELOW:
        return False
    return all(2 * len({word.casefold() for word in words}) <= len(asked) for _, words in passages)


def is_unrelated(question: str, hits: Sequence[dict[str, Any]]) -> bool:
    """Return whether there are hits and all of them are unrelated to the question."""
    return bool(hits) and nothing_fits(question, [(hit["similarity"], marked_words(hit)) for hit in hits])


def marked_words(hit: dict[str, Any]) -> set[str]:
    """Return the question's words as they occur in the hit."""
    return {hit["snippet"][start:end].casefold() for start, end in hit["highlights"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """`tenant` and `org` say whose documents; the rest narrows further. `min_score` is in the unit of the mode.

    `since` ≤ sent < `until`; `language` is that of a passage, ISO 639. `principals`: users and groups for which the
    caller asks; documents with other principals are not found.
    """

    tenant: str
    org: str
    q: str
    limit: int = 5
    mode: SearchMode = SearchMode.VECTOR
    document_id: str | None = None
    job_id: str | None = None
    min_score: float | None = None
    format: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    language: str | None = None
    principals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One chunk of a published document. `mode` is the mode that found it, perhaps a fallback for the requested one.

    `score`: cosine (vector), BM25 (fts), sum of reciprocal ranks (hybrid). `snippet` is a piece of `text`;
    `highlights` are [start, end) character offsets into it. `similarity`: cosine with the original query in every mode;
    None for a search by words alone. `has_page_pictures`: the pages of the document can be requested as pictures.
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
    similarity: float | None = None
    has_page_pictures: bool = False

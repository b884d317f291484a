"""Features of a document's headings for the learned level decision: type and place of each against all others."""

import re
from dataclasses import dataclass

import numpy as np

from models.extract.document.draft import Draft
from models.extract.layout.learned.forest import Matrix
from models.extract.layout.learned.median import median

_NUMBERED = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})*)\.?\s+\D")
_SIZE_STEP = 0.3
"""Sizes closer than this (points) are one size."""
_PLAIN_SIZE = 10.0
"""Points: the size of running text where a document states none."""

Style = tuple[float, bool]

NAMES = (
    "size", "of_largest", "rank", "ranks", "ranks_below", "bold", "italic", "same", "count", "same_share", "depth",
    "same_depth", "any_depth", "to_upper", "to_lower", "same_first", "first", "rank_step", "first_size", "first_rank",
    "top", "chars", "upper", "same_upper", "page", "pages", "same_start", "upper_first", "first_font", "largest",
    "body", "same_chars",
)  # fmt: skip
"""In the order of the columns; the files of trees carry the same names."""


@dataclass(slots=True)
class _Headings:
    """What is known of all headings, a value a heading."""

    sizes: list[float]
    ranks: list[int]
    depths: list[int]
    uppers: list[bool]
    chars: list[int]
    body: float


def find_depth(text: str) -> int | None:
    """Depth of a decimal section number at the start of a heading, null without one."""
    found = _NUMBERED.match(text)
    return found.group(1).count(".") + 1 if found else None


def style_of(draft: Draft) -> Style:
    return (draft.block.look.size, draft.block.look.bold)


def rank_styles(headings: list[Draft], step: float = _SIZE_STEP) -> dict[Style, int]:
    """Rank (1 = highest) of every style: larger first, bold before light; nearly equal sizes share a rank."""
    ranks: dict[Style, int] = {}
    rank, last = 0, None
    for style in sorted({style_of(draft) for draft in headings}, key=lambda style: (-style[0], not style[1])):
        if last is None or last[0] - style[0] > step or last[1] != style[1]:
            rank += 1
        ranks[style], last = rank, style
    return ranks


def find_level_features(headings: list[Draft]) -> Matrix:
    """A row for each heading of a document, in reading order, a column for each of `NAMES`."""
    ranks = rank_styles(headings)
    bodies = [draft.page.body_size for draft in headings]
    body = median(bodies) or _PLAIN_SIZE
    facts = _Headings(
        sizes=[draft.block.look.size / body for draft in headings],
        ranks=[ranks[style_of(draft)] for draft in headings],
        depths=[find_depth(draft.block.text) or 0 for draft in headings],
        uppers=[draft.block.text.isupper() for draft in headings],
        chars=[len(draft.block.text) for draft in headings],
        body=body,
    )
    places: dict[int, list[int]] = {}
    for index, rank in enumerate(facts.ranks):
        places.setdefault(rank, []).append(index)
    return np.array([_make_row(headings, facts, places, index) for index in range(len(headings))], dtype=np.float32)


def _make_row(headings: list[Draft], facts: _Headings, places: dict[int, list[int]], at: int) -> list[float]:
    draft, rank, size = headings[at], facts.ranks[at], facts.sizes[at]
    same, count, first = places[rank], len(headings), headings[0]
    upper, lower = places.get(rank - 1), places.get(rank + 1)
    largest = max(facts.sizes[places[1][0]], size) or 1.0
    height = draft.page.height or 1.0
    return [
        size, size / largest, rank, len(places), len(places) - rank, draft.block.look.bold, draft.block.look.italic,
        len(same), count, len(same) / count, facts.depths[at], _mean([facts.depths[index] for index in same]),
        any(facts.depths), size / (facts.sizes[upper[0]] or 1.0) if upper else 2.0,
        facts.sizes[lower[0]] / (size or 1.0) if lower else 0.0, same[0] == 0, at == 0,
        facts.ranks[at - 1] - rank if at else 9.0, facts.sizes[0], facts.ranks[0], draft.top / height,
        facts.chars[at], facts.uppers[at], _mean([facts.uppers[index] for index in same]),
        draft.page.number - first.page.number, headings[-1].page.number - first.page.number, same[0],
        upper is not None and upper[0] < at, draft.block.look.font == first.block.look.font, largest, facts.body,
        _mean([facts.chars[index] for index in same]),
    ]  # fmt: skip


def _mean(values: list[int] | list[bool]) -> float:
    return sum(values) / len(values)

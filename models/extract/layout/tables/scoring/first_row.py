"""First rows of tables without a rule or a header above, e.g. on later pages of a long table.

The choice may prefer the table without its first row, or without the first line of a row of two lines. The printed row
right above a table belongs to it if it is at the table's pitch and each of its pieces is in a column.

It may also prefer the table with the heading, or with the last lines of the paragraph, above it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.regions.view import LineRow, PageView
from quire.models.extract.layout.tables.scoring.candidates import Candidate, build_candidates
from quire.models.extract.layout.text.captions import is_caption


@dataclass(frozen=True, slots=True)
class FirstRowLimits:
    """Limits for the row above a table to belong to it."""

    least_pieces: int = 3
    """Pieces of the row; fewer may be a heading over two columns."""
    least_rows: int = 6
    """Printed rows of the table: fewer show no pitch."""
    pitch: float = 1.1
    """Maximum distance above the first row, relative to the largest usual step between two printed rows."""
    aligned: float = 3.0
    """Points: maximum distance between the starts or ends of a piece and of a column's lines."""
    most_chars: int = 60
    """Characters of a piece; a longer one is running text."""
    larger: float = 1.15
    """Minimum size of a heading, relative to the median size of the lines below it."""
    most_freed: int = 4
    """Lines above a table that are removed from it."""
    prose_chars: int = 30
    """Characters of a line of running text."""
    prose_pitch: float = 1.6
    """Maximum distance between baselines of one paragraph (ems)."""
    same_left: float = 1.5
    """Points: maximum distance between the starts of lines of one paragraph."""
    outside: float = 6.0
    """Points: maximum distance by which a heading or paragraph begins right of the table."""
    apart: float = 1.15
    """Minimum distance between a paragraph and the table below it, relative to the paragraph's pitch."""


LIMITS = FirstRowLimits()

_SECTION = re.compile(r"(?:[A-Z]\.?)?\d{1,2}(?:\.\d{1,2})*\.?\s+[^\W\d_]")
Chosen = tuple[Candidate, float]


def free_first_lines(view: PageView, chosen: list[Chosen]) -> list[Chosen]:
    """Return the chosen tables without headings and last lines of paragraphs at their tops, and the next headings."""
    return [(_without_lines_above(view, _without_heading_below(view, item)), score) for item, score in chosen]


def _without_heading_below(view: PageView, candidate: Candidate) -> Candidate:
    """Return the table without a heading after its last row of several pieces, and what follows the heading."""
    own = set(candidate.indices)
    rows = [row for row in view.rows if not own.isdisjoint(row.indices)]
    last = max((index for index, row in enumerate(rows) if len(row.indices) > 1), default=0)
    sizes = sorted(view.lines[index].size for index in own)
    for index in range(last + 1, len(rows)):
        line = view.lines[rows[index].indices[0]]
        if index > 1 and _is_heading(line, sizes[len(sizes) // 2]):
            kept = own - {number for row in rows[index:] for number in row.indices}
            return rebuild(view, candidate, tuple(sorted(kept))) or candidate
    return candidate


def _is_heading(line: Line, usual: float) -> bool:
    return line.size >= LIMITS.larger * usual or bool(line.all_bold and _SECTION.match(line.text))


def _without_lines_above(view: PageView, candidate: Candidate) -> Candidate:
    own = set(candidate.indices)
    rows = [row for row in view.rows if not own.isdisjoint(row.indices)]
    free = 0
    while free < min(LIMITS.most_freed, len(rows) - 2) and _is_above(view, rows[free:], own):
        free += 1
    if not free:
        return candidate
    kept = own - {index for row in rows[:free] for index in row.indices}
    return rebuild(view, candidate, tuple(sorted(kept))) or candidate


def _is_above(view: PageView, rows: list[LineRow], own: set[int]) -> bool:
    """Return True if the first row is one line: a heading, or the end of the paragraph above."""
    first, second = rows[0], rows[1]
    if first.segments > 1 or len(first.indices) > 1:
        return False
    line = view.lines[first.indices[0]]
    below = [view.lines[index] for row in rows[1:] for index in row.indices if index in own]
    if line.x0 > min(other.x0 for other in below) + LIMITS.outside:
        return False
    sizes = sorted(other.size for other in below)
    if _is_heading(line, sizes[len(sizes) // 2]):
        return True
    above = [other for other in view.lines if _continues(other, line)]
    step = min((line.base - other.base for other in above), default=0.0)
    return bool(above) and second.base - line.base > LIMITS.apart * step


def _continues(other: Line, line: Line) -> bool:
    """Return True if `other` is a line of running text right above `line`, in the same paragraph."""
    return (
        0.5 * line.size < line.base - other.base <= LIMITS.prose_pitch * line.size
        and abs(other.x0 - line.x0) <= LIMITS.same_left
        and abs(other.size - line.size) < 0.3
        and len(other.text) >= LIMITS.prose_chars
        and other.x1 >= line.x1
    )


def rebuild(view: PageView, candidate: Candidate, indices: tuple[int, ...]) -> Candidate | None:
    """Return the table of other lines that is made like the candidate, or None."""
    built = [item for item in build_candidates(view, indices) if item.grid.width <= candidate.grid.width]
    if not built:
        return None
    best = min(
        built,
        key=lambda item: (
            item.mode != candidate.mode,
            item.by_forest != candidate.by_forest,
            candidate.grid.width - item.grid.width,
        ),
    )
    best.makers = candidate.makers
    return best


def take_first_rows(view: PageView, chosen: list[Chosen]) -> list[Chosen]:
    """Return the chosen tables, each with the printed row right above it if the row belongs to it."""
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    out: list[Chosen] = []
    for candidate, score in chosen:
        longer = _with_row_above(view, candidate, taken)
        out.append((candidate if longer is None else longer, score))
        taken |= set(out[-1][0].indices)
    return out


def _with_row_above(view: PageView, candidate: Candidate, taken: set[int]) -> Candidate | None:
    if candidate.grid.header_rows and candidate.mode in ("ruled", "cells"):
        return None
    own = set(candidate.indices)
    rows = [row for row in view.rows if not own.isdisjoint(row.indices)]
    if len(rows) < LIMITS.least_rows:
        return None
    above = [row for row in view.rows if row.base < rows[0].base]
    if not above or not _leads_in(view, rows, above[-1], own, taken):
        return None
    indices = tuple(sorted(own | set(above[-1].indices)))
    same = [grown for grown in build_candidates(view, indices) if grown.grid.width == candidate.grid.width]
    if not same:
        return None
    longer = min(
        same,
        key=lambda grown: (
            grown.mode != candidate.mode,
            grown.by_forest != candidate.by_forest,
            len(grown.grid.rows) < len(candidate.grid.rows),
        ),
    )
    longer.makers = candidate.makers
    return longer


def _leads_in(view: PageView, rows: list[LineRow], above: LineRow, own: set[int], taken: set[int]) -> bool:
    """Return True if the row above is free, at the table's pitch, and all its pieces are in columns of the table."""
    lines = [view.lines[index] for index in above.indices]
    if not taken.isdisjoint(above.indices) or len(lines) < LIMITS.least_pieces or is_caption(lines[0].text):
        return False
    steps = sorted(lower.base - upper.base for upper, lower in pairwise(rows))
    if rows[0].base - above.base > LIMITS.pitch * steps[9 * (len(steps) - 1) // 10]:
        return False
    held = [view.lines[index] for row in rows for index in row.indices if index in own]
    return all(
        len(line.text) <= LIMITS.most_chars
        and any(
            abs(line.x0 - other.x0) <= LIMITS.aligned or abs(line.x1 - other.x1) <= LIMITS.aligned for other in held
        )
        for line in lines
    )

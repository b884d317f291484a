"""First rows of tables without a rule or a header above, e.g. on later pages of a long table.

The choice may prefer the table without its first row, or without the first line of a row of two lines. The printed row
right above a table belongs to it if it is at the table's pitch and each of its pieces is in a column.
"""

from dataclasses import dataclass
from itertools import pairwise

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


LIMITS = FirstRowLimits()

Chosen = tuple[Candidate, float]


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

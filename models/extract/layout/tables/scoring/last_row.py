"""Last rows of tables without a closing rule, or with few filled cells.

The choice may prefer the table without its last row. The row right below a table belongs to it if it is at the table's
pitch, in its first column and another one.
"""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.layout.tables.regions.view import LineRow, PageView
from quire.models.extract.layout.tables.scoring.candidates import Candidate, build_candidates
from quire.models.extract.layout.text.captions import is_caption


@dataclass(frozen=True, slots=True)
class LastRowLimits:
    """Limits for the row below a table to belong to it."""

    pitch: float = 1.3
    """Maximum distance below the last row, relative to the largest step between two rows."""
    aligned: float = 4.0
    """Points: maximum distance between the starts, ends or middles of a line and of a column's lines."""
    least_rows: int = 3
    """Rows of the table: fewer show no pitch."""
    most_rows: int = 3
    """Maximum rows that are added; longer continuations are different content."""
    most_chars: int = 60
    """Characters of a line; a longer one is running text."""


LIMITS = LastRowLimits()

Chosen = tuple[Candidate, float]


def take_last_rows(view: PageView, chosen: list[Chosen]) -> list[Chosen]:
    """Return the chosen tables, each with the rows right below it that belong to it."""
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    out: list[Chosen] = []
    for candidate, score in chosen:
        for _ in range(LIMITS.most_rows):
            longer = _with_next_row(view, candidate, taken)
            if longer is None:
                break
            candidate = longer
            taken |= set(longer.indices)
        out.append((candidate, score))
    return out


def _with_next_row(view: PageView, candidate: Candidate, taken: set[int]) -> Candidate | None:
    own = set(candidate.indices)
    rows = [row for row in view.rows if not own.isdisjoint(row.indices)]
    if len(rows) < LIMITS.least_rows:
        return None
    below = [row for row in view.rows if row.base > rows[-1].base and not _is_next_to(row, candidate)]
    if not below or not _continues_table(view, rows, below[0], own, taken):
        return None
    indices = tuple(sorted(own | set(below[0].indices)))
    same = [
        item
        for item in build_candidates(view, indices)
        if item.grid.width == candidate.grid.width and len(item.grid.rows) == len(candidate.grid.rows) + 1
    ]
    if not same:
        return None
    longer = min(same, key=lambda item: (item.mode != candidate.mode, item.by_forest != candidate.by_forest))
    longer.makers = candidate.makers
    return longer


def _is_next_to(row: LineRow, candidate: Candidate) -> bool:
    """Return True for a row to the left or right of the table."""
    x0, _, x1, _ = candidate.region.box
    return row.x1 < x0 or row.x0 > x1


def _continues_table(view: PageView, rows: list[LineRow], below: LineRow, own: set[int], taken: set[int]) -> bool:
    """Return True if the row below is free, at the table's pitch, and has text in its first column and another one."""
    lines = [view.lines[index] for index in below.indices]
    if not taken.isdisjoint(below.indices) or len(lines) < 2 or is_caption(lines[0].text):
        return False
    steps = [lower.base - upper.base for upper, lower in pairwise(rows)]
    if below.base - rows[-1].base > LIMITS.pitch * max(steps):
        return False
    held = [view.lines[index] for row in rows for index in row.indices if index in own]
    if abs(min(line.x0 for line in lines) - min(line.x0 for line in held)) > LIMITS.aligned:
        return False
    return all(
        len(line.text) <= LIMITS.most_chars
        and any(
            abs(line.x0 - other.x0) <= LIMITS.aligned
            or abs(line.x1 - other.x1) <= LIMITS.aligned
            or abs(line.x0 + line.x1 - other.x0 - other.x1) <= 2 * LIMITS.aligned
            for other in held
        )
        for line in lines
    )

"""Rows of sparse tables: lines far and evenly apart are rows if the words of each had room behind the line above."""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.bands import column_at, cut_bands
from quire.models.extract.core.build import build_grid
from quire.models.extract.core.grid import Grid, Slot
from quire.models.extract.core.words import Segment, TextRow, gather_rows
from quire.models.extract.layout.tables.regions.view import PageView
from quire.models.extract.layout.tables.scoring.candidates import Candidate


@dataclass(frozen=True, slots=True)
class LooseLimits:
    """Limits for printed rows to be table rows."""

    apart: float = 1.35
    """Minimum step between two rows (ems); lines of one cell are nearer."""
    even: float = 1.25
    """Maximum ratio of the largest step to the smallest one."""
    least_rows: int = 4
    """Printed rows of the table."""
    blank: float = 0.5
    """Ems between two words, and between a cell and the next column."""
    sparse: float = 0.75
    """Share of filled cells below which a table is sparse."""
    same_start: float = 2.0
    """Points: maximum distance between the starts of the cells of a column."""


LIMITS = LooseLimits()
Chosen = tuple[Candidate, float]


def split_loose_rows(view: PageView, chosen: list[Chosen]) -> list[Chosen]:
    """Return the chosen tables, with a row for each printed row in those that are sparse, also for the rows below."""
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    for candidate, _ in chosen:
        if candidate.mode in ("open", "cells") and _is_even(candidate.rows):
            _split(candidate)
            if len(candidate.grid.rows) == len(candidate.rows) and _is_sparse(candidate.grid):
                _take_rows_below(view, candidate, taken)
    return chosen


def _is_sparse(grid: Grid) -> bool:
    slots = [slot for row in grid.rows for slot in row]
    return sum(bool(slot.words) for slot in slots) < LIMITS.sparse * len(slots)


def _take_rows_below(view: PageView, candidate: Candidate, taken: set[int]) -> None:
    """Add the rows right below, as far apart as the others, each piece of which begins where a column begins."""
    x0, _, x1, _ = candidate.region.box
    steps = [below.base - above.base for above, below in pairwise(candidate.rows)]
    for row in [row for row in view.rows if row.base > candidate.rows[-1].base and row.x0 < x1 and row.x1 > x0]:
        step = row.base - candidate.rows[-1].base
        if not 0.95 * min(steps) <= step <= 1.05 * max(steps) or not taken.isdisjoint(row.indices):
            return
        (below,) = gather_rows([word for index in row.indices for word in view.words_of(view.lines[index])])[:1]
        lefts = _find_lefts(candidate)
        columns = [column_at(segment.x0 + 0.5, candidate.grid.columns) for segment in below.segments]
        if (
            any(
                abs(segment.x0 - lefts[column]) > LIMITS.same_start
                or (column + 1 < len(lefts) and segment.x1 > lefts[column + 1])
                for column, segment in zip(columns, below.segments, strict=True)
            )
            or below.words[-1].x1 > x1 + LIMITS.same_start
        ):
            return
        number = len(candidate.grid.rows)
        slots = [Slot(number, column) for column in range(candidate.grid.width)]
        for column, segment in zip(columns, below.segments, strict=True):
            slots[column].words += segment.words
        candidate.grid.rows.append(slots)
        candidate.indices = tuple(sorted({*candidate.indices, *row.indices}))
        candidate.region = view.region_of(candidate.indices)
        candidate.rows = [*candidate.rows, below]
        taken |= set(row.indices)


def _find_lefts(candidate: Candidate) -> list[float]:
    """Return where the text of each column begins."""
    columns = candidate.grid.columns
    lefts = [candidate.region.box[2]] * (len(columns) + 1)
    for row in candidate.rows:
        for segment in row.segments:
            column = column_at(segment.x0 + 0.5, columns)
            lefts[column] = min(lefts[column], segment.x0)
    return lefts


def _is_even(rows: list[TextRow]) -> bool:
    steps = [(below.base - above.base) / max(above.size, below.size) for above, below in pairwise(rows)]
    return len(rows) >= LIMITS.least_rows and min(steps) >= LIMITS.apart and max(steps) <= LIMITS.even * min(steps)


def _split(candidate: Candidate) -> None:
    grid, rows = candidate.grid, candidate.rows
    owners = {id(word): index for index, row in enumerate(grid.rows) for slot in row for word in slot.words}
    starts: set[int] = set()
    is_split = False
    for above, below in pairwise(rows):
        owner = owners.get(id(below.words[0]), -1)
        if owner != owners.get(id(above.words[0]), -1):
            starts.add(id(below))
        elif owner >= grid.header_rows and _had_room(above, below, candidate):
            starts.add(id(below))
            is_split = True
    if is_split:
        region, columns = candidate.region, list(grid.columns)
        candidate.grid = build_grid(cut_bands(region, rows), columns, region, is_grid=False, starts=starts)


def _had_room(above: TextRow, below: TextRow, candidate: Candidate) -> bool:
    """Return True if each cell of a row is new, or its first word had room behind the cell above."""
    columns = candidate.grid.columns
    lefts = _find_lefts(candidate)
    upper = {column_at(segment.x0 + 0.5, columns): segment for segment in above.segments}
    for segment in below.segments:
        column = column_at(segment.x0 + 0.5, columns)
        over = upper.get(column)
        if segment.words[0].text[:1].islower() or (over is not None and not _has_room(over, segment, column, lefts)):
            return False
    return True


def _has_room(over: Segment, under: Segment, column: int, lefts: list[float]) -> bool:
    """Return True for room up to the next column; what is right of the last one is not known."""
    first = under.words[0]
    if column + 1 == len(lefts):
        return True
    return over.x1 + 2 * LIMITS.blank * first.size + first.x1 - first.x0 <= lefts[column + 1]

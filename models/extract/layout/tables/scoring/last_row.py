"""Last rows of tables without a closing rule, or with few filled cells, and the later lines of the last row.

The choice may prefer the table without its last row. The row right below a table belongs to it if it is at the table's
pitch, in its first column and another one. A line right below the last line of a cell continues the cell if it is as
near as the lines of other cells, begins where they begin, and its first word had no room above.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

from quire.models.extract.core.bands import column_at
from quire.models.extract.core.grid import Slot
from quire.models.extract.core.words import TableWord, gather_rows
from quire.models.extract.layout.lines.marks import Line
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
    most_lines: int = 12
    """Maximum lines that continue the last row."""
    wrapped: float = 1.12
    """Maximum step to a continuing line, relative to the usual step between lines of one cell."""
    parted: float = 0.85
    """The same relative to the smallest step between two rows, if no cell has several lines."""
    loose: float = 1.5
    """Maximum step to a continuing line (ems), if no cell has several lines."""
    same_start: float = 2.0
    """Points: maximum distance between the starts of lines of one cell."""
    same_size: float = 0.3
    """Points: maximum difference in size between lines of one cell."""


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
    return all(any(_is_aligned(line, other) for other in held) for line in lines)


def _is_aligned(line: Line, other: Line) -> bool:
    """Return True for lines of one column; a longer line than a label begins where one as long begins."""
    if len(line.text) > max(LIMITS.most_chars, len(other.text)):
        return False
    if abs(line.x0 - other.x0) <= LIMITS.aligned:
        return True
    return len(line.text) <= LIMITS.most_chars and (
        abs(line.x1 - other.x1) <= LIMITS.aligned or abs(line.x0 + line.x1 - other.x0 - other.x1) <= 2 * LIMITS.aligned
    )


def take_last_lines(view: PageView, chosen: list[Chosen]) -> list[Chosen]:
    """Return the chosen tables, each with the lines right below it that continue cells of its last row."""
    taken = {index for candidate, _ in chosen for index in candidate.indices}
    out: list[Chosen] = []
    for candidate, score in chosen:
        for _ in range(LIMITS.most_lines):
            below = _find_later_line(view, candidate, taken)
            if below is None:
                break
            candidate = _with_line(view, candidate, below)
            taken |= set(below.indices)
        out.append((candidate, score))
    return out


def _with_line(view: PageView, candidate: Candidate, below: LineRow) -> Candidate:
    """Return the candidate with a line below it in the cells of its last row."""
    indices = tuple(sorted({*candidate.indices, *below.indices}))
    slots = candidate.grid.rows[-1]
    for index in below.indices:
        words = view.words_of(view.lines[index])
        column = column_at(words[0].middle, candidate.grid.columns)
        next(slot for slot in slots if slot.col <= column < slot.col + slot.col_span).words += words
    rows = gather_rows([word for index in indices for word in view.words_of(view.lines[index])])
    return replace(candidate, indices=indices, region=view.region_of(indices), rows=rows)


def _find_later_line(view: PageView, candidate: Candidate, taken: set[int]) -> LineRow | None:
    """Return the free row of lines right below the table whose pieces all continue cells of its last row."""
    rows, grid = candidate.rows, candidate.grid
    left, _, right, _ = candidate.region.box
    below = next((row for row in view.rows if row.base > rows[-1].base and row.x0 < right and row.x1 > left), None)
    if below is None or not taken.isdisjoint(below.indices) or _has_rule_between(view, rows[-1].base, below):
        return None
    if below.base - rows[-1].base > _find_step(candidate):
        return None
    for index in below.indices:
        words = view.words_of(view.lines[index])
        if not words or not _continues_cell(words, candidate, grid.columns):
            return None
    return below


def _has_rule_between(view: PageView, base: float, below: LineRow) -> bool:
    return any(
        base < rule.y0 < below.base - 0.3 * below.size and rule.x0 < below.x1 and rule.x1 > below.x0
        for rule in view.horizontals
    )


def _find_step(candidate: Candidate) -> float:
    """Return the maximum step from the last line of a cell to one that continues it."""
    tops = [min(word.base for slot in row for word in slot.words) for row in candidate.grid.rows if _has_words(row)]
    inner: list[float] = []
    outer: list[float] = []
    for above, below in pairwise(candidate.rows):
        starts_row = any(abs(below.base - top) < 1 for top in tops)
        (outer if starts_row else inner).append(below.base - above.base)
    if inner:
        return LIMITS.wrapped * sorted(inner)[len(inner) // 2]
    return min(LIMITS.loose * candidate.rows[-1].size, LIMITS.parted * min(outer, default=0.0))


def _has_words(row: list[Slot]) -> bool:
    return any(slot.words for slot in row)


def _continues_cell(words: list[TableWord], candidate: Candidate, columns: list[float]) -> bool:
    """Return True for words in one column that begin where its last row's text begins and had no room behind it."""
    column = column_at(words[0].middle, columns)
    if column_at(words[-1].middle, columns) != column:
        return False
    slots = [slot for slot in candidate.grid.rows[-1] if slot.col <= column < slot.col + slot.col_span]
    if len(slots) != 1 or not slots[0].words or slots[0].row_span > 1:
        return False
    held = slots[0].words
    last = max(held, key=lambda word: (round(word.base), word.x1))
    if abs(words[0].x0 - min(word.x0 for word in held)) > LIMITS.same_start or words[0].bold != last.bold:
        return False
    if abs(words[0].size - last.size) > LIMITS.same_size or words[0].base - last.base > _find_step(candidate):
        return False
    right = max(
        [words[-1].x1, *(word.x1 for row in candidate.grid.rows for slot in row if slot.col == column
                         and slot.col_span == slots[0].col_span for word in slot.words)]
    )  # fmt: skip
    return words[0].text[:1].islower() or right - last.x1 < words[0].x1 - words[0].x0 + 0.4 * last.size

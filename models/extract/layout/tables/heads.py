"""Header rows of a finished grid: those that its rules show, the first row over figures, and second rows below groups.

A second header row fills the columns of figures without a figure, below a group, an empty corner or bold texts. A group
that no rule shows is centred over its columns.
"""

import re
from collections import Counter
from dataclasses import dataclass

from quire.models.extract.core.grid import Grid, Slot, find_group
from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import Segment, TableWord
from quire.models.extract.layout.tables.groups import find_ranges

Extents = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class HeadLimits:
    """Limits of header rows."""

    least_headed: int = 3
    """Rows of a table whose first row is its header by what stands below it."""
    most_bold: float = 0.2
    """Share of bold words in the other rows of such a table."""
    most_rows: int = 4
    """Header rows of a table."""
    most_chars: int = 60
    """Characters of a header over figures, or of one in a second row."""
    figures: float = 0.6
    """Least share of the filled cells that are figures in a column of figures."""
    beside: float = 1.0
    """Maximum distance between a header and the figures of its column that begin right of it (ems)."""
    headed_columns: float = 0.3
    """Least share of the columns that hold figures, below a first row that is a header by this alone."""


LIMITS = HeadLimits()
_AMOUNT = re.compile(r"[-−+(]?[$€£]?\d[\d.,'’]*[.,]\d[\d.,]*\)?")
_YEAR = re.compile(r"(?:FY)?(?:1[89]|20)\d\d(?:[/–-]\d\d(?:\d\d)?)?")
_DASHES = frozenset(("-", "–", "—", "−", "x", "X", "✓", "✔", "●", "•", "n/a", "N/A"))


def settle_heads(grid: Grid) -> None:
    """Set the number of header rows and the spans of groups in them; join a header's column with that of its cells."""
    _join_head_column(grid)
    grid.header_rows = _count_header_rows(grid)
    if not grid.header_rows and _is_first_head(grid):
        grid.header_rows = 1
    while 0 < grid.header_rows < LIMITS.most_rows and _is_further_head(grid):
        grid.header_rows += 1
    if grid.header_rows > 1:
        _span_groups(grid)


def _join_head_column(grid: Grid) -> None:
    """Join two columns of which the first holds only the header and the second only the figures below it."""
    for column in range(grid.width - 1):
        head = grid.rows[0]
        left = [slot for row in grid.rows for slot in row if slot.col <= column < slot.col + slot.col_span]
        right = [slot for row in grid.rows for slot in row if slot.col <= column + 1 < slot.col + slot.col_span]
        top = next((slot for slot in left if slot in head), None)
        if top is None or not top.words or top.col != column or len(grid.rows) < LIMITS.least_headed:
            continue
        lower = [slot for slot in right if slot not in head]
        is_apart = not any(slot.words for slot in left if slot is not top and slot not in lower)
        beside = next((slot for slot in right if slot in head), None)
        if not is_apart or beside is None or (beside is not top and beside.words) or top.col_span > 2:
            continue
        if (
            not all(
                slot.col == column + 1 and slot.col_span == slot.row_span == 1 and _is_figure(slot.words)
                for slot in lower
                if slot.words
            )
            or not any(slot.words for slot in lower)
            or any(slot in right for slot in left if slot is not top)
        ):
            continue
        near = min(word.x0 for slot in lower for word in slot.words) - max(word.x1 for word in top.words)
        if near > LIMITS.beside * top.words[0].size:
            continue
        _drop_left_column(grid, column, top)
        return


def _is_figure(words: list[TableWord]) -> bool:
    return is_figure("".join([word.text for word in words]))


def _drop_left_column(grid: Grid, column: int, top: Slot) -> None:
    """Remove a column that holds only a header, which moves into the next one."""
    for index, row in enumerate(grid.rows):
        kept = [
            slot for slot in row if slot is top or not (slot.col == column or (slot.col == column + 1 and not index))
        ]
        for slot in kept:
            slot.col -= slot.col > column
        grid.rows[index] = kept
    top.col_span = 1
    grid.columns.pop(column)


def join_alternate(grid: Grid) -> None:
    """Join the column of each header with the one of the texts below it, if they are side by side in all columns.

    A header that is centred, over short texts at the left, looks like a separate column.
    """
    if any(slot.col_span > 1 or slot.row_span > 1 for row in grid.rows for slot in row):
        return
    above = {slot.col for slot in grid.rows[0] if slot.words}
    filled = Counter(slot.col for row in grid.rows[1:] for slot in row if slot.words)
    below = set(filled)
    groups: list[list[int]] = []
    column = 0
    while column < grid.width:
        group = [column]
        if not (column in above and column in below):
            group.append(column + 1)
            under = below & set(group)
            if len(above & set(group)) != 1 or len(under) != 1 or filled[min(under)] < 0.5 * len(grid.rows):
                return
        groups.append(group)
        column += len(group)
    if len(groups) < 2 or len(groups) == grid.width:
        return
    grid.rows = [[_join_slots([row[column] for column in group], index) for index, group in enumerate(groups)]
                 for row in grid.rows]  # fmt: skip
    grid.columns = [grid.columns[group[0] - 1] for group in groups[1:]]


def _join_slots(slots: list[Slot], column: int) -> Slot:
    joined = Slot(slots[0].row, column)
    joined.words = [word for slot in slots for word in slot.words]
    return joined


def is_named(grid: Grid) -> bool:
    """Return True if the first row is a header, by its rules, its bold type or the figures below it."""
    return _count_header_rows(grid) > 0 or _is_first_head(grid)


def _count_header_rows(grid: Grid) -> int:
    """Return the number of header rows: up to the first row below the top with amounts over amounts, which is data."""
    if not grid.header_rows and _is_bold_head(grid):
        return 1
    for index in range(1, grid.header_rows):
        if index + 1 < len(grid.rows) and _amounts(grid.rows[index]) & _amounts(grid.rows[index + 1]):
            return index
    return grid.header_rows


def _is_bold_head(grid: Grid) -> bool:
    """Return True for a bold first row over rows that are not bold, which is the header of a table without rules."""
    if len(grid.rows) < 2:
        return False
    first, *body = grid.rows
    filled = [slot for slot in first if slot.words]
    if len(filled) < 2 or not _are_bold(filled):
        return False
    is_bold = [word.bold for row in body for slot in row for word in slot.words]
    return sum(is_bold) <= LIMITS.most_bold * len(is_bold)


def _are_bold(slots: list[Slot]) -> bool:
    return all(word.bold for slot in slots for word in slot.words)


def _amounts(row: list[Slot]) -> set[int]:
    """Columns in which the row has figures with a decimal or thousands mark; years and numbers of columns have none."""
    return {slot.col for slot in row if slot.words and _AMOUNT.fullmatch("".join(word.text for word in slot.words))}


def _is_first_head(grid: Grid) -> bool:
    """Return True for short texts in all columns, the first perhaps without, over columns of figures or marks."""
    if len(grid.rows) < LIMITS.least_headed:
        return False
    filled = [slot for slot in grid.rows[0] if slot.words]
    if {slot.col for slot in filled} | {0} != set(range(grid.width)) or len(filled) < 2 or not _are_names(filled):
        return False
    return len(_figure_columns(grid, 1)) >= max(1, LIMITS.headed_columns * grid.width)


def _is_further_head(grid: Grid) -> bool:
    """Return True if the row below the header rows is one, too."""
    index = grid.header_rows
    if index + 1 >= len(grid.rows):
        return False
    above, row = grid.rows[index - 1], grid.rows[index]
    filled = [slot for slot in row if slot.words]
    columns = _figure_columns(grid, index + 1) - {0}
    if not columns or not columns <= {slot.col + part for slot in filled for part in range(slot.col_span)}:
        return False
    if len(filled) < 2 or not _are_names(filled):
        return False
    has_corner = not _has_text(above, 0) or not _has_text(row, 0)
    is_bold = _are_bold(filled) and _are_bold(above) and not _are_bold(grid.rows[index + 1])
    return has_corner or is_bold or any(1 < slot.col_span < grid.width for slot in above)


def _has_text(row: list[Slot], column: int) -> bool:
    return any(slot.words for slot in row if slot.col <= column < slot.col + slot.col_span)


def _are_names(slots: list[Slot]) -> bool:
    """Return True for short texts with a letter or a sign of a unit each, not figures, or for years."""
    for slot in slots:
        text = " ".join([word.text for word in slot.words])
        if len(text) > LIMITS.most_chars or text in _DASHES:
            return False
        if is_figure(text.replace(":", "")) and not _YEAR.fullmatch(text) and text != "%":
            return False
    return True


def _figure_columns(grid: Grid, start: int) -> set[int]:
    """Return the columns whose cells from a row on are figures or marks, with one figure or mark at least."""
    filled, figures = [0] * grid.width, [0] * grid.width
    for row in grid.rows[start:]:
        for slot in row:
            if slot.words and slot.col_span == 1:
                text = " ".join([word.text for word in slot.words])
                filled[slot.col] += 1
                figures[slot.col] += is_figure(text.replace(":", "")) or text in _DASHES
    return {column for column in range(grid.width) if figures[column] > LIMITS.figures * filled[column]}


def _span_groups(grid: Grid) -> None:
    """Let the groups of upper header rows span the columns over which they are centred."""
    for index in range(grid.header_rows - 1):
        row = grid.rows[index]
        owners = {slot.col + part for slot in row if slot.words for part in range(slot.col_span)}
        extents = measure_ink(grid, index + 1)
        if not extents:
            return
        if _span_together(grid, index, extents):
            continue
        for slot in [slot for slot in row if slot.words and slot.col_span == 1 and slot.row_span == 1]:
            if not _has_text(grid.rows[index + 1], slot.col):
                continue
            segment = Segment(slot.words, min(word.x0 for word in slot.words), max(word.x1 for word in slot.words))
            taken = (owners - {slot.col}) | {0} | _closed(grid, index)
            span = find_group(segment, slot.col, taken, extents)
            if span is not None:
                first, last = span
                grid.rows[index] = row = [other for other in row if other is slot or not first <= other.col <= last]
                slot.col, slot.col_span = first, last - first + 1
                owners |= set(range(first, last + 1))


def _span_together(grid: Grid, index: int, extents: Extents) -> bool:
    """Let all groups of a header row span the columns that they are centred over, if some are over several."""
    row = grid.rows[index]
    filled = [slot for slot in row if slot.words]
    if len(filled) < 2 or filled[0].col == 0 or any(slot.col_span > 1 or slot.row_span > 1 for slot in row):
        return False
    spans = find_ranges([slot.words for slot in filled], extents, 1)
    if spans is None or len(row) < grid.width or not any(last > first for first, last in spans):
        return False
    covered = {column for first, last in spans for column in range(first, last + 1)}
    free = [slot for slot in row if not slot.words and slot.col not in covered]
    for slot, (first, last) in zip(filled, spans, strict=True):
        slot.col, slot.col_span = first, last - first + 1
    grid.rows[index] = sorted([*free, *filled], key=lambda slot: slot.col)
    return True


def _closed(grid: Grid, index: int) -> set[int]:
    """Return the columns of a row that have no free slot."""
    free = {slot.col for slot in grid.rows[index] if slot.col_span == 1 and slot.row_span == 1}
    return set(range(grid.width)) - free


def measure_ink(grid: Grid, start: int) -> Extents:
    """Return the leftmost and rightmost ink of every column from a row on; nothing if a column has none."""
    lefts, rights = [float("inf")] * grid.width, [float("-inf")] * grid.width
    for row in grid.rows[start:]:
        for slot in row:
            for word in slot.words if slot.col_span == 1 else ():
                lefts[slot.col] = min(lefts[slot.col], word.x0)
                rights[slot.col] = max(rights[slot.col], word.x1)
    edges = [left for left in lefts if left < float("inf")]
    if len(edges) < grid.width:
        return []
    return list(zip(lefts, rights, strict=True))

"""Splits rows of a drawn table whose cells hold one value per line: each line becomes a row.

All cells of several lines must have them on the same baselines, and one of them only figures. In the others no line may
be full: the next word had room behind each, so the text is not wrapped. A cell of one line belongs to all rows.
"""

from itertools import pairwise

from quire.models.extract.core.grid import Grid, Slot
from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import TextRow, gather_rows

_SAME_BASE = 0.35
"""Ems within which the lines of two cells are on one baseline."""
Lines = list[TextRow]


def split_stacks(grid: Grid, right: float) -> None:
    """Split the rows of a grid, below its header, that hold a value a line; `right` is the grid's right edge."""
    edges = [*grid.columns, right]
    spanned = {
        slot.row + part for row in grid.rows for slot in row if slot.row_span > 1 for part in range(slot.row_span)
    }
    rows: list[list[Slot]] = []
    for index, row in enumerate(grid.rows):
        rows += [row] if index < grid.header_rows or index in spanned else _split(row, edges)
    for number, row in enumerate(rows):
        for slot in row:
            slot.row = number
    grid.rows = rows


def _split(row: list[Slot], edges: list[float]) -> list[list[Slot]]:
    """Return a row for every line of the row's cells, or the row itself."""
    held = [(slot, gather_rows(list(slot.words))) for slot in row if slot.words]
    stacks = [(slot, lines) for slot, lines in held if len(lines) > 1]
    if len(stacks) < 2 or not all(_are_beside(stacks[0][1], lines) for _, lines in stacks):
        return [row]
    texts = [(slot, lines) for slot, lines in stacks if not _are_figures(lines)]
    if len(texts) == len(stacks) or any(
        _is_wrapped(lines, edges[slot.col + slot.col_span - 1]) for slot, lines in texts
    ):
        return [row]
    count = len(stacks[0][1])
    by_slot = {id(slot): lines for slot, lines in stacks}
    out: list[list[Slot]] = [[] for _ in range(count)]
    for slot in row:
        lines = by_slot.get(id(slot))
        if lines is None:
            slot.row_span = count
            out[0].append(slot)
            continue
        for number, line in enumerate(lines):
            part = Slot(slot.row + number, slot.col, slot.col_span)
            part.words = line.words
            out[number].append(part)
    return out


def _are_beside(lines: Lines, other: Lines) -> bool:
    return len(lines) == len(other) and all(
        abs(line.base - partner.base) <= _SAME_BASE * line.size for line, partner in zip(lines, other, strict=True)
    )


def _is_wrapped(lines: Lines, right: float) -> bool:
    """Return True if the first word of a line had no room behind the line above."""
    return any(
        above.words[-1].x1 + 0.5 * above.size + below.words[0].x1 - below.words[0].x0 > right
        for above, below in pairwise(lines)
    )


def _are_figures(lines: Lines) -> bool:
    """Return True for a figure or a time on each line."""
    return all(is_figure("".join([word.text for word in line.words]).replace(":", "")) for line in lines)

"""Addresses next to a block of labels and values, as in a letterhead, which are not a column of that block.

Both share baselines, so the three columns look like a table. The room between address and labels is much wider than
between a label and its value.
"""

import re
from dataclasses import dataclass, replace

from quire.models.cdom.geometry import union_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.tables.scoring.find import FoundTable


@dataclass(frozen=True, slots=True)
class AddressLimits:
    """Limits that separate an address from a column of a table."""

    least_rows: int = 3
    """Minimum rows of an address, and of the block next to it."""
    most_rows: int = 9
    """Longer ones are lists."""
    apart: float = 6.0
    """Ems between the address and the labels."""
    wider: float = 2.0
    """Minimum ratio of that room to the room between labels and values."""
    label_chars: int = 30
    """Characters of a label."""


LIMITS = AddressLimits()
_HOUSE = re.compile(r"\d{1,5}\w?,?\s+[^\W\d_]|[^\W\d_].*\d")
"""A street with its number, a town with its code."""


def free_addresses(tables: list[FoundTable], marks: PageMarks) -> list[Line]:
    """Remove addresses from the label blocks next to them, and return their lines, which are then in no table."""
    return [line for found_table in tables if not found_table.tagged for line in _free_address(found_table, marks)]


def _free_address(found_table: FoundTable, marks: PageMarks) -> list[Line]:
    table = found_table.table
    if table.cols != 3 or not LIMITS.least_rows <= table.rows <= LIMITS.most_rows:
        return []
    if any(cell.row_span > 1 or cell.col_span > 1 for cell in table.cells) or _is_ruled(found_table, marks):
        return []
    address, labels, values = (
        [cell for cell in table.cells if cell.col == column and cell.text and cell.bbox] for column in range(3)
    )
    if not (_is_address([cell.text for cell in address]) and _are_labelled(labels, values)):
        return []
    end, start = max(_end(cell) for cell in address), min(_start(cell) for cell in labels)
    between = min(_start(cell) for cell in values) - max(_end(cell) for cell in labels)
    size = max(line.size for line in found_table.lines)
    if start - end < max(LIMITS.apart * size, LIMITS.wider * between):
        return []
    return _part(found_table, (start + end) / 2)


def _start(cell: Cell) -> float:
    return cell.bbox[0] if cell.bbox else 0.0


def _end(cell: Cell) -> float:
    return cell.bbox[2] if cell.bbox else 0.0


def _is_ruled(found_table: FoundTable, marks: PageMarks) -> bool:
    x0, y0, x1, y1 = found_table.box
    drawn = [(mark.x0, mark.y0, mark.x1, mark.y1) for mark in (*marks.horizontals, *marks.verticals)]
    drawn += [(mark.x0, mark.y0, mark.x1, mark.y1) for mark in marks.fills]
    return any(left < x1 and right > x0 and top <= y1 and bottom >= y0 for left, top, right, bottom in drawn)


def _is_address(texts: list[str]) -> bool:
    """Return True for names without figures followed by a street or town with its number."""
    if len(texts) < LIMITS.least_rows or any(text.endswith(":") for text in texts):
        return False
    return not _has_digit(texts[0]) and any(_HOUSE.match(text) for text in texts[1:])


def _are_labelled(labels: list[Cell], values: list[Cell]) -> bool:
    """Return True for labels without figures, each with a value in its row.

    Values have figures, also in the first row.
    """
    if len(labels) < LIMITS.least_rows or {cell.row for cell in labels} != {cell.row for cell in values}:
        return False
    if any(_has_digit(cell.text) or len(cell.text) > LIMITS.label_chars for cell in labels):
        return False
    figures = [_has_digit(cell.text) for cell in values]
    return figures[0] and 2 * sum(figures) > len(figures)


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _part(found_table: FoundTable, middle: float) -> list[Line]:
    """Return the lines left of `middle`; the table keeps those right of it."""
    freed = [line for line in found_table.lines if line.x1 <= middle]
    kept = [line for line in found_table.lines if line.x0 >= middle]
    if not freed or not kept or len(freed) + len(kept) != len(found_table.lines):
        return []
    found_table.table, found_table.lines = _without_first_column(found_table.table), kept
    box = union_bbox(line.bbox for line in kept)
    found_table.box = (box[0], max(box[1], found_table.box[1]), found_table.box[2], min(box[3], found_table.box[3]))
    return freed


def _without_first_column(table: Table) -> Table:
    """Return the table without the address column and the rows that only it filled.

    The rest has labels and no header.
    """
    kept = [cell for cell in table.cells if cell.col]
    rows = {row: index for index, row in enumerate(sorted({cell.row for cell in kept if cell.text}))}
    cells = [replace(cell, row=rows[cell.row], col=cell.col - 1, header=False) for cell in kept if cell.row in rows]
    return replace(table, rows=len(rows), cols=2, cells=tuple(cells))

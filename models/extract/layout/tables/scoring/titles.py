"""What was taken for a row of a table and is none: the heading over it, and the caption above or below it.

A heading is one cell over all columns, in larger type or numbered; a caption alone in its row, named and numbered.
"""

import re
from dataclasses import dataclass, replace
from statistics import median

from models.cdom.geometry import union_bbox
from models.cdom.table import Cell, Table
from models.extract.layout.lines.marks import Line
from models.extract.layout.tables.scoring.find import FoundTable
from models.extract.layout.text.captions import NUMBERED_CAPTION


@dataclass(frozen=True, slots=True)
class TableTitleLimits:
    """What tells a title from a row."""

    larger: float = 1.15
    """Of the median size of the table's lines: type so large is no row of it."""
    most_chars: int = 200
    """Characters of a title."""
    least_rows: int = 3
    """Rows that a table has with its title, so that two are left."""


LIMITS = TableTitleLimits()
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[^\W\d_]")


def free_titles(tables: list[FoundTable]) -> list[Line]:
    """Take titles off the tables' tops and captions off both ends; their lines, which are running text."""
    return [line for found in tables if not found.tagged for line in (*_free_title(found), *_free_captions(found))]


def _free_captions(found: FoundTable) -> list[Line]:
    freed: list[Line] = []
    for row in (0, found.table.rows - 1):
        freed += _free_caption(found, min(row, found.table.rows - 1))
    return freed


def _free_caption(found: FoundTable, row: int) -> list[Line]:
    """The lines of a first or last row that holds nothing but the table's caption."""
    table = found.table
    filled = [cell for cell in table.cells if cell.row <= row < cell.row + cell.row_span and cell.text]
    if table.rows < LIMITS.least_rows or len(filled) != 1 or not NUMBERED_CAPTION.match(filled[0].text):
        return []
    cell = filled[0]
    if cell.row_span != 1 or cell.bbox is None or len(cell.text) > LIMITS.most_chars:
        return []
    lines, rest = _part_lines(found, cell)
    if not lines or not rest:
        return []
    found.table, found.lines = _without_row(table, row), rest
    box = union_bbox(line.bbox for line in rest)
    found.box = (
        found.box[0],
        found.box[1] if row else min(max(line.y1 for line in lines), box[1]),
        found.box[2],
        max(min(line.y0 for line in lines), box[3]) if row else found.box[3],
    )
    return lines


def _part_lines(found: FoundTable, cell: Cell) -> tuple[list[Line], list[Line]]:
    """The table's lines that make up the cell, when they say what it says, and the others."""
    box = cell.bbox or (0.0, 0.0, 0.0, 0.0)
    own = [line for line in found.lines if box[1] <= (line.y0 + line.y1) / 2 <= box[3]]
    known = {id(line) for line in own}
    if "".join(cell.text.split()) != "".join("".join(line.text.split()) for line in own):
        return [], []
    return own, [line for line in found.lines if id(line) not in known]


def _free_title(found: FoundTable) -> list[Line]:
    table = found.table
    first = table.cells[0] if table.cells else None
    if first is None or first.bbox is None or table.rows < LIMITS.least_rows or table.cols < 2:
        return []
    if first.row or first.row_span != 1 or first.col_span != table.cols or not 0 < len(first.text) <= LIMITS.most_chars:
        return []
    title, rest = _part_lines(found, first)
    if not title or not rest:
        return []
    is_larger = min(line.size for line in title) >= LIMITS.larger * median(line.size for line in rest)
    if not is_larger and not (_SECTION.match(first.text) and all(line.all_bold for line in title)):
        return []
    found.table, found.lines = _without_row(table, 0), rest
    below = max(line.y1 for line in title)
    found.box = (found.box[0], min(below, union_bbox(line.bbox for line in rest)[1]), found.box[2], found.box[3])
    return title


def _without_row(table: Table, row: int) -> Table:
    cells = tuple(replace(cell, row=cell.row - (cell.row > row)) for cell in table.cells if cell.row != row)
    if not row and not any(cell.header for cell in cells) and table.cells[0].header:
        cells = tuple(replace(cell, header=cell.row == 0) for cell in cells)
    return replace(table, rows=table.rows - 1, cells=cells)

"""The heading over a table that was taken for its first row: one cell over all columns, in larger type or numbered."""

import re
from dataclasses import dataclass, replace
from statistics import median

from models.cdom.geometry import union_bbox
from models.cdom.table import Table
from models.extract.layout.lines.marks import Line
from models.extract.layout.tables.scoring.find import FoundTable


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
    """Take titles off the tables' tops; their lines, which are running text."""
    return [line for found in tables if not found.tagged for line in _free_title(found)]


def _free_title(found: FoundTable) -> list[Line]:
    table = found.table
    first = table.cells[0] if table.cells else None
    if first is None or first.bbox is None or table.rows < LIMITS.least_rows or table.cols < 2:
        return []
    if first.row or first.row_span != 1 or first.col_span != table.cols or not 0 < len(first.text) <= LIMITS.most_chars:
        return []
    y0, y1 = first.bbox[1], first.bbox[3]
    title = [line for line in found.lines if y0 <= (line.y0 + line.y1) / 2 <= y1]
    rest = [line for line in found.lines if line not in title]
    if not title or not rest or "".join(first.text.split()) != "".join("".join(line.text.split()) for line in title):
        return []
    is_larger = min(line.size for line in title) >= LIMITS.larger * median(line.size for line in rest)
    if not is_larger and not (_SECTION.match(first.text) and all(line.all_bold for line in title)):
        return []
    found.table, found.lines = _without_first_row(table), rest
    below = max(line.y1 for line in title)
    found.box = (found.box[0], min(below, union_bbox(line.bbox for line in rest)[1]), found.box[2], found.box[3])
    return title


def _without_first_row(table: Table) -> Table:
    cells = tuple(replace(cell, row=cell.row - 1) for cell in table.cells if cell.row)
    if not any(cell.header for cell in cells) and table.cells[0].header:
        cells = tuple(replace(cell, header=cell.row == 0) for cell in cells)
    return replace(table, rows=table.rows - 1, cells=cells)

"""Lines taken for a row of a table by mistake: the heading over it, and the caption above or below it.

A heading is alone in its row, in larger type or numbered. A caption is alone in its row, named and numbered. A line of
running text is one cell over all columns that continues outside the table.
"""

import re
from dataclasses import dataclass, replace
from statistics import median

from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.scoring.find import FoundTable
from quire.models.extract.layout.text.captions import NUMBERED_CAPTION


@dataclass(frozen=True, slots=True)
class TableTitleLimits:
    """Limits that separate a title from a row."""

    larger: float = 1.15
    """Minimum size of title type, relative to the median size of the table's lines."""
    drawn: float = 1.4
    """The same for a title inside the rules of a fully drawn table."""
    most_chars: int = 200
    """Characters of a title."""
    least_rows: int = 3
    """Rows that a table has with its title, so that two are left."""
    prose_chars: int = 30
    """Characters of a line of running text; a shorter one is a label."""
    pitch: float = 1.6
    """Maximum distance between baselines of one paragraph (ems)."""
    same_left: float = 1.5
    """Points: maximum distance between the starts of lines of one paragraph."""
    same_size: float = 0.3
    """Points: maximum difference in size between lines of one paragraph."""
    most_prose: int = 4
    """Maximum rows of running text that are removed at each end of a table."""


LIMITS = TableTitleLimits()
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s+[^\W\d_]")


def free_titles(tables: list[FoundTable], lines: list[Line]) -> list[Line]:
    """Take titles off the tables' tops, captions and running text off both ends; their lines, which are in no table.

    `lines`: those that are in none already.
    """
    own = [table for table in tables if not table.tagged]
    freed = [line for table in own for line in (*_free_title(table), *_free_captions(table))]
    return freed + [line for table in own for line in _free_prose(table, lines)]


def _free_prose(table: FoundTable, lines: list[Line]) -> list[Line]:
    freed: list[Line] = []
    for at_top in (True, False):
        for _ in range(LIMITS.most_prose):
            taken = _free_prose_row(table, lines + freed, at_top=at_top)
            if not taken:
                break
            freed += taken
    return freed


def _free_prose_row(found_table: FoundTable, lines: list[Line], *, at_top: bool) -> list[Line]:
    """Return the line of a first or last row that is one cell over all columns and part of the adjacent paragraph."""
    table = found_table.table
    cell = table.cells[0 if at_top else -1] if table.cells else None
    if cell is None or table.rows < LIMITS.least_rows or table.cols < 2 or len(cell.text) < LIMITS.prose_chars:
        return []
    if cell.row_span != 1 or cell.col_span != table.cols or cell.row != (0 if at_top else table.rows - 1):
        return []
    own, kept = _part_lines(found_table, cell)
    if not kept or len(own) != 1 or not any(_continues_paragraph(own[0], other, above=at_top) for other in lines):
        return []
    found_table.table, found_table.lines = _without_row(table, cell.row), kept
    found_table.box = _box_without(found_table, own, kept, at_top=at_top)
    return own


def _continues_paragraph(line: Line, other: Line, *, above: bool) -> bool:
    """Return True if `other` is the line of the same paragraph right above (or below)."""
    apart = line.base - other.base if above else other.base - line.base
    return (
        0.5 * line.size < apart <= LIMITS.pitch * line.size
        and abs(other.x0 - line.x0) <= LIMITS.same_left
        and abs(other.size - line.size) <= LIMITS.same_size
        and len(other.text) >= LIMITS.prose_chars
    )


def _box_without(found_table: FoundTable, freed: list[Line], kept: list[Line], *, at_top: bool) -> Bbox:
    """Return the table's box without the lines at its upper or lower end."""
    box = union_bbox(line.bbox for line in kept)
    top = min(max(line.y1 for line in freed), box[1]) if at_top else found_table.box[1]
    bottom = found_table.box[3] if at_top else max(min(line.y0 for line in freed), box[3])
    return (found_table.box[0], top, found_table.box[2], bottom)


def _free_captions(found_table: FoundTable) -> list[Line]:
    freed: list[Line] = []
    for row in (0, found_table.table.rows - 1):
        freed += _free_caption(found_table, min(row, found_table.table.rows - 1))
    return freed


def _free_caption(found_table: FoundTable, row: int) -> list[Line]:
    """Return the lines of a first or last row that contains only the table's caption."""
    table = found_table.table
    filled = [cell for cell in table.cells if cell.row <= row < cell.row + cell.row_span and cell.text]
    if table.rows < LIMITS.least_rows or len(filled) != 1 or not NUMBERED_CAPTION.match(filled[0].text):
        return []
    cell = filled[0]
    if cell.row_span != 1 or cell.bbox is None or len(cell.text) > LIMITS.most_chars:
        return []
    lines, kept = _part_lines(found_table, cell)
    if not lines or not kept:
        return []
    found_table.table, found_table.lines = _without_row(table, row), kept
    found_table.box = _box_without(found_table, lines, kept, at_top=not row)
    return lines


def _part_lines(found_table: FoundTable, cell: Cell) -> tuple[list[Line], list[Line]]:
    """Return the table's lines that form the cell, if their text matches it, and the other lines."""
    box = cell.bbox or (0.0, 0.0, 0.0, 0.0)
    own = [line for line in found_table.lines if box[1] <= (line.y0 + line.y1) / 2 <= box[3]]
    known = {id(line) for line in own}
    if "".join(cell.text.split()) != "".join("".join(line.text.split()) for line in own):
        return [], []
    return own, [line for line in found_table.lines if id(line) not in known]


def _free_title(found_table: FoundTable) -> list[Line]:
    table = found_table.table
    first = table.cells[0] if table.cells else None
    if first is None or first.bbox is None or table.rows < LIMITS.least_rows or table.cols < 2:
        return []
    if first.row or first.row_span != 1 or not 0 < len(first.text) <= LIMITS.most_chars:
        return []
    if any(cell.row == 0 and cell.text for cell in table.cells[1:]):
        return []
    title, kept = _part_lines(found_table, first)
    if not title or not kept:
        return []
    larger = LIMITS.drawn if found_table.edges else LIMITS.larger
    is_larger = min(line.size for line in title) >= larger * median(line.size for line in kept)
    if not is_larger and not (_SECTION.match(first.text) and all(line.all_bold for line in title)):
        return []
    found_table.table, found_table.lines = _without_row(table, 0), kept
    below = max(line.y1 for line in title)
    found_table.box = (
        found_table.box[0],
        min(below, union_bbox(line.bbox for line in kept)[1]),
        found_table.box[2],
        found_table.box[3],
    )
    return title


def _without_row(table: Table, row: int) -> Table:
    cells = tuple(replace(cell, row=cell.row - (cell.row > row)) for cell in table.cells if cell.row != row)
    if not row and not any(cell.header for cell in cells) and table.cells[0].header:
        cells = tuple(replace(cell, header=cell.row == 0) for cell in cells)
    return replace(table, rows=table.rows - 1, cells=cells)

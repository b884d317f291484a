"""Finds the tables of a page and takes their lines out of the running text."""

import re
from dataclasses import dataclass

from models.cdom.geometry import Bbox
from models.cdom.table import Table
from models.extract.layout.lines.marks import Line, PageMarks
from models.extract.layout.tables.ruled import build_ruled_table
from models.extract.layout.tables.rules import find_ruled_regions
from models.extract.layout.tables.words import lines_within

TABLE_CAPTION = re.compile(r"\s*(table|tab\.|tabelle|tableau|tabla|tabella|tabela)\s*[\dIVXA-Z]", re.IGNORECASE)


@dataclass(slots=True)
class FoundTable:
    """A table with its box and the lines it took."""

    table: Table
    box: Bbox
    lines: list[Line]


def find_tables(marks: PageMarks, lines: list[Line]) -> tuple[list[FoundTable], list[Line]]:
    """Tables of the page, and the lines that belong to none."""
    found: list[FoundTable] = []
    for region in find_ruled_regions(marks):
        inside = lines_within(lines, region.box)
        if len(inside) < 3:
            continue
        table = build_ruled_table(region, inside, marks, captioned=_is_captioned(region.box, lines))
        if table is None:
            continue
        found.append(FoundTable(table, region.box, inside))
        taken = {id(line) for line in inside}
        lines = [line for line in lines if id(line) not in taken]
    return found, lines


def _is_captioned(box: Bbox, lines: list[Line]) -> bool:
    """True when a line right above or below the box starts as a table's caption does."""
    for line in lines:
        near = -1 < box[1] - line.y1 < 4 * line.size or -1 < line.y0 - box[3] < 2.5 * line.size
        if near and line.x0 < box[2] and line.x1 > box[0] and TABLE_CAPTION.match(line.text):
            return True
    return False

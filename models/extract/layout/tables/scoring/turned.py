"""Tables of text that runs up or down on a page whose other text is upright."""

from dataclasses import replace

from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.lines.turned import PageTurn, find_turns
from quire.models.extract.layout.tables.regions.view import lines_within
from quire.models.extract.layout.tables.scoring.find import FoundTable, find_tables

_MOST_UPRIGHT = 0.2
"""Maximum upright lines per turned line; a table with more is an upright one with turned headers."""


def find_turned_tables(marks: PageMarks, lines: list[Line]) -> tuple[list[FoundTable], list[Line]]:
    """Return tables among the turned lines with their place on the page, and the lines outside them."""
    tables: list[FoundTable] = []
    for degrees in find_turns(lines):
        tables += _find_turned(marks, [line for line in lines if line.turn == degrees], lines, degrees)
    taken = {id(line) for table in tables for line in table.lines}
    return tables, [line for line in lines if id(line) not in taken] if taken else lines


def _find_turned(marks: PageMarks, own: list[Line], lines: list[Line], degrees: int) -> list[FoundTable]:
    page = PageTurn(marks.width, marks.height, degrees)
    turned = page.turn_marks(replace(marks, lines=own))
    originals = {id(line): original for line, original in zip(turned.lines, own, strict=True)}
    upright = [line for line in lines if line.upright]
    tables: list[FoundTable] = []
    for table in find_tables(turned, turned.lines)[0]:
        box = page.turn_back(table.box)
        if len(lines_within(upright, box)) <= _MOST_UPRIGHT * len(table.lines):
            held = [originals[id(line)] for line in table.lines]
            tables.append(FoundTable(page.turn_table_back(table.table), box, held, table.score))
    return tables

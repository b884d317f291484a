"""Tables of an RTF file, which nest by the level a paragraph states (`\\itap`): cells and rows in, tables out."""

from dataclasses import dataclass, field
from typing import Final

from models.cdom.errors import ResourceLimit
from models.cdom.table import Cell, Table
from models.cdom.tree import BlockType
from models.extract.formats.flow.blocks import FlowBlock, flatten_table
from models.extract.formats.rtf.state import RtfRow

MAX_ROWS: Final = 100_000
"""Rows of one table; more are refused, for the format has no bound of its own."""
MAX_COLUMNS: Final = 1000
"""Cells of one row; Word allows 63, so only made files have more."""
MAX_LEVEL: Final = 20
"""Tables inside tables; deeper ones are read as this level."""


@dataclass(slots=True)
class _OpenTable:
    """A table being read: its level, its full rows, the open row, the lines of the open cell, tables in its cells."""

    level: int
    rows: list[RtfRow] = field(default_factory=list)
    row: RtfRow = field(default_factory=RtfRow)
    lines: list[str] = field(default_factory=list)
    nested: list[FlowBlock] = field(default_factory=list)


class TableStack:
    """The open tables, the outermost first."""

    def __init__(self) -> None:
        self._open: list[_OpenTable] = []

    def row(self, level: int) -> RtfRow:
        """The row at a level (1 = not nested), of which cells are described."""
        return self._at(level).row

    def say(self, level: int, line: str) -> None:
        """A line of text in the open cell of a level."""
        table = self._at(level)
        if line:
            table.lines.append(line)

    def end_cell(self, level: int) -> None:
        table = self._at(level)
        table.row.cells.append("\n".join(table.lines))
        table.lines = []

    def end_row(self, level: int) -> None:
        """Ends the row. Raises `ResourceLimit` when the table has too many rows or columns."""
        table = self._at(level)
        row = table.row
        if len(table.rows) >= MAX_ROWS or len(row.cells) > MAX_COLUMNS:
            raise ResourceLimit("a table is too large")
        if row.cells:
            table.rows.append(row)
        table.row = RtfRow(merges=row.merges, header=row.header)

    def close(self) -> list[FlowBlock]:
        """The outermost table with those inside it; nothing when none is open or it has no rows."""
        if not self._open:
            return []
        self._fold(1)
        table = self._open.pop()
        if table.lines or table.row.cells:
            table.row.cells += ["\n".join(table.lines)] if table.lines else []
            table.rows.append(table.row)
        return _make_blocks(table)

    def _at(self, level: int) -> _OpenTable:
        """The innermost table of a level, opened where there is none; a level that is skipped is no table."""
        level = max(1, min(level, MAX_LEVEL))
        self._fold(level)
        if not self._open:
            self._open.append(_OpenTable(1))
        if self._open[-1].level < level:
            self._open.append(_OpenTable(level))
        return self._open[-1]

    def _fold(self, level: int) -> None:
        """Tables deeper than `level` become part of the cell around them."""
        while len(self._open) > 1 and self._open[-1].level > level:
            table = self._open.pop()
            if table.lines:
                table.row.cells.append("\n".join(table.lines))
            if table.row.cells:
                table.rows.append(table.row)
            blocks = _make_blocks(table)
            if blocks and blocks[0].table is not None:
                self._open[-1].lines.append(flatten_table(blocks[0].table))
                self._open[-1].nested += blocks


def _make_blocks(table: _OpenTable) -> list[FlowBlock]:
    """The block of a table, then those of the tables in its cells."""
    if not table.rows:
        return []
    block = FlowBlock(BlockType.TABLE, table=_make_table(table.rows))
    for nested in table.nested:
        nested.parent = nested.parent or block
    return [block, *table.nested]


def _make_table(rows: list[RtfRow]) -> Table:
    cells: list[Cell] = []
    for at, row in enumerate(rows):
        for col, text in enumerate(row.cells):
            if row.merges[col : col + 1] in (["h"], ["v"]) and not text:
                continue
            across = 1
            while row.merges[col + across : col + across + 1] == ["h"] and row.cells[
                col + across : col + across + 1
            ] in (
                [],
                [""],
            ):
                across += 1
            down = 1
            while at + down < len(rows) and rows[at + down].merges[col : col + 1] == ["v"]:
                down += 1
            cells.append(Cell(row=at, col=col, row_span=down, col_span=across, header=row.header, text=text))
    return Table(rows=len(rows), cols=max(len(row.cells) for row in rows), cells=tuple(cells))

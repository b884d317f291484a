"""Tables of a Word file, which may be nested: cells and row edges in, tables with spans out."""

import struct
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.blocks import FlowBlock, adopt, flatten

MAX_ROWS: Final = 100_000
"""Rows of one table; more are refused, because the format itself has no limit."""
MAX_COLUMNS: Final = 64
"""Cells of one row: the limit of the format is 63."""
MAX_LEVEL: Final = 20
"""Nesting depth of tables; deeper ones are read at this level."""
_NEAR: Final = 20
"""Twentieths of a point by which edges of one column may differ between rows."""


@dataclass(slots=True)
class _WordRow:
    cells: list[list[FlowBlock]] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)
    merges: list[int] = field(default_factory=list)
    header: bool = False


@dataclass(slots=True)
class _WordTable:
    rows: list[_WordRow] = field(default_factory=list)
    cells: list[list[FlowBlock]] = field(default_factory=list)
    open: list[FlowBlock] = field(default_factory=list)


class WordTables:
    """The open tables, the outermost first."""

    def __init__(self) -> None:
        self._open: list[_WordTable] = []

    def add_block(self, level: int, block: FlowBlock) -> None:
        """Add a block to the open cell of that level."""
        self._table_at(level).open.append(block)

    def end_cell(self, level: int) -> None:
        """Close the open cell of that level."""
        table = self._table_at(level)
        table.cells.append(table.open)
        table.open = []

    def end_row(self, level: int, definition: bytes, *, header: bool) -> None:
        """Close the open row of that level.

        Raises:
            ResourceLimit: There are too many rows or cells.
        """
        table = self._table_at(level)
        if len(table.rows) >= MAX_ROWS or len(table.cells) > MAX_COLUMNS:
            raise ResourceLimit("a table is too large")
        edges, merges = _read_row(definition, len(table.cells))
        if table.cells:
            table.rows.append(_WordRow(table.cells, edges, merges, header))
        table.cells, table.open = [], []

    def close(self) -> list[FlowBlock]:
        """Return the outermost table with the blocks in its cells."""
        if not self._open:
            return []
        self._close_deeper(1)
        return _make_table(self._open.pop())

    def _table_at(self, level: int) -> _WordTable:
        level = max(1, min(level, MAX_LEVEL))
        self._close_deeper(level)
        while len(self._open) < level:
            self._open.append(_WordTable())
        return self._open[-1]

    def _close_deeper(self, level: int) -> None:
        while len(self._open) > level:
            inner = _make_table(self._open.pop())
            self._open[-1].open += inner


def _read_row(definition: bytes, cells: int) -> tuple[list[int], list[int]]:
    """Return the edges of a row's cells, and how each is merged: 1 across, 2 down, 0 not."""
    count = definition[0] if definition else 0
    if count < cells or len(definition) < 3 + 2 * count:
        return list(range(0, (cells + 1) * 1000, 1000)), [0] * cells
    edges = list(struct.unpack_from(f"<{count + 1}h", definition, 1))
    merges: list[int] = []
    for index in range(count):
        raw = definition[3 + 2 * count + 20 * index :][:2]
        bits = int.from_bytes(raw, "little")
        merges.append(1 if bits & 3 == 1 else 2 if bits >> 5 & 3 == 1 else 0)
    return edges[: cells + 1], merges[:cells]


def _make_table(table: _WordTable) -> list[FlowBlock]:
    if not table.rows:
        return []
    block = FlowBlock(BlockType.TABLE)
    grid = _grid(table.rows)
    placed: dict[tuple[int, int], Cell] = {}
    children: list[FlowBlock] = []
    for row_number, row in enumerate(table.rows):
        last: tuple[int, int] | None = None
        for number, blocks in enumerate(row.cells):
            column, span = _column(grid, row, number)
            flat = flatten(blocks)
            children += adopt(flat.children, block)
            above = next((key for key in placed if key[1] == column and _reaches(placed[key], row_number)), None)
            if row.merges[number] == 1 and last is not None:
                placed[last] = _grown(placed[last], columns=span)
            elif row.merges[number] == 2 and above is not None:
                placed[above] = _grown(placed[above], rows=1)
            else:
                last = (row_number, column)
                placed[last] = Cell(
                    row=row_number, col=column, col_span=span, header=row.header, text=flat.text, spans=flat.spans
                )
    block.table = Table(rows=len(table.rows), cols=max(1, len(grid) - 1), cells=tuple(placed.values()))
    return [block, *children]


def _reaches(cell: Cell, row: int) -> bool:
    return cell.row + cell.row_span == row


def _grown(cell: Cell, *, rows: int = 0, columns: int = 0) -> Cell:
    return Cell(
        row=cell.row, col=cell.col, row_span=cell.row_span + rows, col_span=cell.col_span + columns,
        header=cell.header, text=cell.text, spans=cell.spans,
    )  # fmt: skip


def _grid(rows: list[_WordRow]) -> list[int]:
    """Return the edges of all rows, with nearby ones joined."""
    edges: list[int] = []
    for edge in sorted({edge for row in rows for edge in row.edges}):
        if not edges or edge - edges[-1] > _NEAR:
            edges.append(edge)
    return edges


def _column(grid: list[int], row: _WordRow, number: int) -> tuple[int, int]:
    """Return the first column of a cell and the number of columns it spans."""
    start = _nearest(grid, row.edges[number])
    end = _nearest(grid, row.edges[number + 1])
    return start, max(1, end - start)


def _nearest(grid: list[int], edge: int) -> int:
    index = bisect_left(grid, edge - _NEAR)
    return min(index, len(grid) - 1)

"""One row per table cell, with the document, page and box that it comes from."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.export.tables.dates import read_dates, read_iso
from quire.models.export.tables.heads import CLOSED, MAX_BEFORE, TableNames, continue_names, find_unit, name_table
from quire.models.export.tables.numbers import find_decimal_mark, read_number


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """A cell. `table` is the id of its block, `cell` its index there, `row` and `col` its place in the grid from 0.

    `head` is the text of the heads above it, which `head_path` has one by one from the top; they may stand in lines
    above the table. In a table without heads `head` is the text of the first row, and `head_path` is empty. `label` is
    the first text of its row, `section` the row that heads a group of rows. `number` is the number that the whole cell
    states, `date` the date of a cell in a column of dates. `unit` is the currency or percent sign of the number, which
    may stand in a cell of its own: that one is left out. `scale` is 1,000,000 where the table says that its numbers are
    in millions. A table that continues over pages is one table, and `page` is the page of the cell's row.
    """

    table: str
    page: int
    cell: int
    row: int
    col: int
    row_span: int
    col_span: int
    header: bool
    head: str
    label: str
    text: str
    number: float | None
    date: date | None
    bbox: Bbox | None
    confidence: float
    head_path: tuple[str, ...] = ()
    title: str = ""
    section: str = ""
    unit: str | None = None
    scale: float = 1.0


def list_cells(tree: Tree) -> Iterator[CellRow]:
    """Yield the cells of all visible tables in reading order."""
    blocks = visible_blocks(tree, furniture=True)
    last, above = 0, TableNames()
    for number, block in enumerate(blocks):
        if block.table is not None:
            names = continue_names(block, blocks[last:number], above)
            names = names or name_table(block, block.table, blocks[max(0, number - MAX_BEFORE) : number])
            yield from _list_cells(block, block.table, names, goes_on=names.paths is above.paths)
            last, above = number, names


def column_names(table: Table) -> list[str]:
    """Return the header text of each column, unique; `column_1` for the first column without one."""
    names: list[str] = []
    for col, head in enumerate(_heads(table), 1):
        base = name = head or f"column_{col}"
        number = 1
        while name in names:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return names


def header_rows(table: Table) -> int:
    """Return the number of rows at the top that hold header cells only."""
    return min((cell.row for cell in table.cells if not cell.header), default=table.rows)


def fill_grid(table: Table) -> list[list[Cell | None]]:
    """Return the cells by row and column; a cell that spans several places is in each of them."""
    grid: list[list[Cell | None]] = [[None] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        for row in range(cell.row, min(cell.row + cell.row_span, table.rows)):
            for col in range(cell.col, min(cell.col + cell.col_span, table.cols)):
                grid[row][col] = cell
    return grid


def _list_cells(block: Block, table: Table, names: TableNames, *, goes_on: bool) -> Iterator[CellRow]:
    mark = find_decimal_mark(cell.text for cell in table.cells)
    labels: dict[int, str] = {}
    for cell in table.cells:
        if cell.text.strip():
            labels.setdefault(cell.row, cell.text)
    dates = _dates(table)
    ends = list(accumulate(part.rows for part in table.parts))
    for index, cell in enumerate(table.cells):
        if index in names.merged:
            continue
        header = cell.row in names.heads or (cell.header and not goes_on and cell.row not in names.data)
        path = () if header else names.path(cell)
        number = None if header else read_number(cell.text + CLOSED * (index in names.closed), mark)
        part = min(bisect_right(ends, cell.row), len(ends) - 1)
        yield CellRow(
            table=block.id,
            page=table.parts[part].page if table.parts else block.page,
            cell=index,
            row=cell.row,
            col=cell.col,
            row_span=cell.row_span,
            col_span=cell.col_span,
            header=header,
            head=" ".join(path) or (names.first.get(cell.col, "") if cell.row else ""),
            label=labels.get(cell.row, ""),
            text=cell.text,
            number=number,
            date=dates.get(index),
            bbox=cell.bbox,
            confidence=cell.confidence,
            head_path=path,
            title=names.title,
            section=names.sections.get(cell.row, ""),
            unit=None if number is None else names.units.get(index) or find_unit(cell.text, path),
            scale=names.scale,
        )


def _dates(table: Table) -> dict[int, date]:
    """Return the dates of body cells by index: ISO values of spreadsheets, and texts of columns of dates."""
    columns: dict[int, list[int]] = defaultdict(list)
    for index, cell in enumerate(table.cells):
        if not cell.header:
            columns[cell.col].append(index)
    found = {index: read_iso(cell.value) for index, cell in enumerate(table.cells) if not cell.header}
    for indices in columns.values():
        texts = [table.cells[index].text for index in indices]
        for index, day in zip(indices, read_dates(texts), strict=True):
            found[index] = found[index] or day
    return {index: day for index, day in found.items() if day is not None}


def _heads(table: Table) -> list[str]:
    """Return the header texts above each column from top to bottom, without repetitions."""
    grid, rows = fill_grid(table), header_rows(table)
    columns = ([grid[row][col] for row in range(rows)] for col in range(table.cols))
    return [" ".join(dict.fromkeys(cell.text.strip() for cell in column if cell and cell.text)) for column in columns]

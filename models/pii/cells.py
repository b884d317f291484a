"""Computes the area a table cell may cover on its page: its box, or the space that the cells around it leave."""

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.table import Cell, Table, TablePart


def find_cell_place(block: BlockPlaces, table: Table, index: int) -> tuple[int, Bbox | None]:
    """Return the page of a table cell and its box on that page (see `find_cell_box`)."""
    part = block.of_cell(index)
    if table.cells[index].bbox is None and len(block.parts) > 1:
        return part.page, _find_in_part(block, table.cells[index], part)
    return part.page, find_cell_box(table, index, part.bbox)


def _find_in_part(block: BlockPlaces, cell: Cell, part: TablePart) -> Bbox | None:
    own = block.cells_of(part)
    return find_cell_box(Table(rows=part.rows, cols=0, cells=tuple(own)), own.index(cell), part.bbox)


def find_cell_box(table: Table, index: int, outer: Bbox | None) -> Bbox | None:
    """Return the cell's box, or the area of the table (`outer`) that no other row or column reaches into.

    The area covers the cell wherever it is and no other cell. None if the table has no box either.
    """
    cell = table.cells[index]
    if cell.bbox is not None or outer is None:
        return cell.bbox
    placed = [(other, other.bbox) for other in table.cells if other.bbox is not None]
    before = [box[2] for other, box in placed if other.col + other.col_span <= cell.col]
    after = [box[0] for other, box in placed if other.col >= cell.col + cell.col_span]
    above = [box[3] for other, box in placed if other.row + other.row_span <= cell.row]
    below = [box[1] for other, box in placed if other.row >= cell.row + cell.row_span]
    x0, x1 = max([outer[0], *before]), min([outer[2], *after])
    y0, y1 = max([outer[1], *above]), min([outer[3], *below])
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else _like_others(cell, placed, outer)


def _like_others(cell: Cell, placed: list[tuple[Cell, Bbox]], outer: Bbox) -> Bbox:
    """Rows or columns overlap on the page: everything where this cell's row and column may be."""
    rows = [
        box for other, box in placed if other.row < cell.row + cell.row_span and cell.row < other.row + other.row_span
    ]
    cols = [
        box for other, box in placed if other.col < cell.col + cell.col_span and cell.col < other.col + other.col_span
    ]
    across = (min(box[0] for box in cols), max(box[2] for box in cols)) if cols else (outer[0], outer[2])
    down = (min(box[1] for box in rows), max(box[3] for box in rows)) if rows else (outer[1], outer[3])
    return (across[0], down[0], across[1], down[1])

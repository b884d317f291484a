"""Locate a block on its page, or on several pages if its table continues across them. Pure."""

from bisect import bisect_right
from itertools import accumulate

from quire.models.cdom.geometry import union_bbox
from quire.models.cdom.table import Cell, TablePart
from quire.models.cdom.tree import Block


class BlockPlaces:
    """The pages and boxes of one block, of its rows and of its cells. `parts` has one entry for a block of one page."""

    def __init__(self, block: Block) -> None:
        self._block, table = block, block.table
        rows = table.rows if table is not None else 0
        self.parts = (table.parts if table is not None else ()) or (
            TablePart(page=block.page, bbox=block.bbox, rows=rows),
        )
        self._ends = list(accumulate(part.rows for part in self.parts))

    def of_row(self, row: int) -> TablePart:
        """Return the part that holds a row of the table."""
        return self.parts[min(bisect_right(self._ends, row), len(self.parts) - 1)]

    def of_cell(self, index: int | None) -> TablePart:
        """Return the part that holds a cell; for None, the part where the block begins."""
        if len(self.parts) == 1:
            return self.parts[0]
        cells = self._block.table.cells if self._block.table is not None else ()
        return self.of_row(cells[index].row) if index is not None and index < len(cells) else self.parts[0]

    def on_page(self, number: int) -> TablePart | None:
        """Return the part of the block on a page, or None if the block is not on it."""
        return next((part for part in self.parts if part.page == number), None)

    def rows_of(self, part: TablePart) -> range:
        """Return the row indices of a part, counted in the whole table."""
        end = self._ends[self.parts.index(part)]
        return range(end - part.rows, end)

    def cells_of(self, part: TablePart) -> list[Cell]:
        """Return the cells that begin in a part."""
        rows = self.rows_of(part)
        return [cell for cell in (self._block.table.cells if self._block.table is not None else ()) if cell.row in rows]

    def shown_box(self, part: TablePart) -> tuple[float, float, float, float] | None:
        """Return the block's box on a part's page; later parts count their cells without repeated headers."""
        if part == self.parts[0]:
            return self._block.bbox
        boxes = [cell.bbox for cell in self.cells_of(part) if cell.bbox is not None]
        return union_bbox(boxes) if boxes else None

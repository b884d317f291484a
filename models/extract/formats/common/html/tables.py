"""HTML tables: distinguishes data from layout tables and builds the grid of a data table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.extract.formats.common.xml import Element

MAX_COLUMNS: Final = 1000
"""Columns of a table, as browsers cap `colspan`."""
MAX_PLACES: Final = 2_000_000
"""Cells of one grid that spans may cover."""
_DIGITS: Final = re.compile(r"(?<!\s)\s*(\d{1,6})")
_MUCH: Final = 500
"""Mean characters per cell from which a table with parts of a page in it lays out the page."""
_PARTS: Final = (
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "p",
    "div",
    "ul",
    "ol",
    "blockquote",
    "hr",
    "img",
    "center",
)
"""Elements by which a cell of a single column is a part of a page."""
_BLOCKS: Final = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "form", "article", "section")


@dataclass(frozen=True, slots=True)
class GridPlace:
    """The position of a cell element in the grid."""

    row: int
    col: int
    row_span: int
    col_span: int
    header: bool
    element: Element


@dataclass(frozen=True, slots=True)
class HtmlGrid:
    """The grid of a table with the positions of its cells."""

    rows: int
    cols: int
    places: list[GridPlace]


def is_layout(table: Element) -> bool:
    """Return whether a table only lays out a page: stated so, one cell, or cells that hold parts of a page."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = [list(_cells(row)) for row, _ in _rows(table)]
    cells = [cell for row in rows for cell in row]
    stated = table.find("caption") is not None or table.find("thead") is not None or table.get("summary")
    if stated or any(cell.tag == "th" for cell in cells):
        return False
    if len(cells) < 2 or _only_places(table, rows):
        return True
    return any(next((node for node in cell.iter(*_BLOCKS)), None) is not None for cell in cells) and _has_long_cells(
        cells
    )


def _only_places(table: Element, rows: list[list[Element]]) -> bool:
    """Return whether a table without lines places parts of a page: in one column, or with tables inside."""
    if (table.get("border") or "0").strip() not in ("0", "0px", ""):
        return False
    if all(len(row) <= 1 for row in rows):
        return any(next(row[0].iter(*_PARTS), None) is not None for row in rows if row)
    is_plain = any(table.get(name) in ("0", "0px") for name in ("border", "cellpadding", "cellspacing"))
    return is_plain and any(
        next(cell.iter("table", "h1", "h2", "h3"), None) is not None for row in rows for cell in row
    )


def _has_long_cells(cells: list[Element]) -> bool:
    """Return whether the cells hold much text on average."""
    chars = sum(len(" ".join(text.split())) for cell in cells for text in cell.itertext())
    return chars / len(cells) > _MUCH


def read_html_grid(table: Element) -> HtmlGrid:
    """Return the grid of a table; spans that inflate the grid are ignored.

    Raises:
        ResourceLimit: The table has too many columns.
    """
    rows = list(_rows(table))
    grid = _place_cells(rows, spanning=True) or _place_cells(rows, spanning=False)
    if grid is None:
        raise ResourceLimit("a table has too many columns")
    return _without_empty_columns(grid)


def _place_cells(rows: list[tuple[Element, bool]], *, spanning: bool) -> HtmlGrid | None:
    """Return the grid, or None when it exceeds the limits on columns or cells."""
    taken: dict[int, set[int]] = {}
    places: list[GridPlace] = []
    cols = count = 0
    for row_index, (row, in_head) in enumerate(rows):
        col = 0
        row_taken = taken.setdefault(row_index, set())
        for cell in _cells(row):
            while col in row_taken:
                col += 1
            across, down = _spans(cell, len(rows) - row_index) if spanning else (1, 1)
            while across > 1 and any(col + step in row_taken for step in range(across)):
                across -= 1
            count += across * down
            if col + across > MAX_COLUMNS or count > MAX_PLACES:
                return None
            for below in range(row_index, row_index + down):
                taken.setdefault(below, set()).update(range(col, col + across))
            places.append(GridPlace(row_index, col, down, across, in_head or cell.tag == "th", cell))
            col += across
        cols = max(cols, max(row_taken, default=-1) + 1)
    return HtmlGrid(len(rows), cols, places)


def _spans(cell: Element, rows_left: int) -> tuple[int, int]:
    """Return the columns and rows that a cell spans; 0 rows mean all that are left."""
    across = min(max(1, _number(cell.get("colspan"), 1)), MAX_COLUMNS)
    down = _number(cell.get("rowspan"), 1) or rows_left
    return across, min(max(1, down), rows_left)


def _without_empty_columns(grid: HtmlGrid) -> HtmlGrid:
    """Drop columns in which no cell begins: their spans were written wider than the table."""
    used = sorted({place.col for place in grid.places})
    if not grid.places or len(used) == grid.cols:
        return grid
    places = []
    for place in grid.places:
        end = place.col + place.col_span
        width = sum(place.col <= col < end for col in used)
        places.append(GridPlace(place.row, used.index(place.col), place.row_span, width, place.header, place.element))
    return HtmlGrid(grid.rows, len(used), places)


def _rows(table: Element) -> Iterator[tuple[Element, bool]]:
    """Yield rows and whether they are in the head; rows of the foot come last."""
    feet: list[tuple[Element, bool]] = []
    for node in table:
        if node.tag == "tr":
            yield node, False
        elif node.tag in ("thead", "tbody"):
            yield from ((row, node.tag == "thead") for row in node if row.tag == "tr")
        elif node.tag == "tfoot":
            feet += [(row, False) for row in node if row.tag == "tr"]
    yield from feet


def _cells(row: Element) -> Iterator[Element]:
    return (cell for cell in row if cell.tag in ("td", "th"))


def _number(text: str | None, default: int) -> int:
    match = _DIGITS.match(text or "")
    return int(match.group(1)) if match else default

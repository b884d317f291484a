"""HTML tables: which are data and which only lay out a page; the grid of a data table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from models.cdom.errors import ResourceLimit
from models.extract.formats.common.xml import Element

MAX_COLUMNS: Final = 1000
"""Columns of a table, as browsers cap `colspan`."""
MAX_PLACES: Final = 2_000_000
"""Places of one grid that spans may cover."""
_DIGITS: Final = re.compile(r"(?<!\s)\s*(\d{1,6})")
_MUCH: Final = 500
"""Characters a cell on the average from which a table with parts of a page in it lays out the page."""
_BLOCKS: Final = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "form", "article", "section")


@dataclass(frozen=True, slots=True)
class GridPlace:
    """Where a cell element stands."""

    row: int
    col: int
    row_span: int
    col_span: int
    header: bool
    element: Element


@dataclass(frozen=True, slots=True)
class HtmlGrid:
    rows: int
    cols: int
    places: list[GridPlace]


def is_layout(table: Element) -> bool:
    """True when a table only lays out a page: stated so, or one cell, or cells that hold whole parts of a page."""
    if table.get("role") in ("presentation", "none"):
        return True
    if next(table.iter("th", "caption", "thead"), None) is not None or table.get("summary"):
        return False
    rows = list(_rows(table))
    cells = [cell for row, _ in rows for cell in _cells(row)]
    if len(cells) < 2:
        return True
    return any(next((node for node in cell.iter(*_BLOCKS)), None) is not None for cell in cells) and _is_wide(cells)


def _is_wide(cells: list[Element]) -> bool:
    """Few cells with much in them."""
    chars = sum(len(" ".join(text.split())) for cell in cells for text in cell.itertext())
    return chars / len(cells) > _MUCH


def read_html_grid(table: Element) -> HtmlGrid:
    """The places of a table's cells; spans that blow the grid up count as one place. Raises `ResourceLimit`."""
    rows = list(_rows(table))
    grid = _place(rows, spanning=True) or _place(rows, spanning=False)
    if grid is None:
        raise ResourceLimit("a table has too many columns")
    return _without_empty_columns(grid)


def _place(rows: list[tuple[Element, bool]], *, spanning: bool) -> HtmlGrid | None:
    """The grid; None when it passes the bounds on columns or places."""
    taken: dict[int, set[int]] = {}
    places: list[GridPlace] = []
    cols = count = 0
    for at, (row, in_head) in enumerate(rows):
        col = 0
        here = taken.setdefault(at, set())
        for cell in _cells(row):
            while col in here:
                col += 1
            across, down = _spans(cell, len(rows) - at) if spanning else (1, 1)
            while across > 1 and any(col + step in here for step in range(across)):
                across -= 1
            count += across * down
            if col + across > MAX_COLUMNS or count > MAX_PLACES:
                return None
            for below in range(at, at + down):
                taken.setdefault(below, set()).update(range(col, col + across))
            places.append(GridPlace(at, col, down, across, in_head or cell.tag == "th", cell))
            col += across
        cols = max(cols, max(here, default=-1) + 1)
    return HtmlGrid(len(rows), cols, places)


def _spans(cell: Element, rows_left: int) -> tuple[int, int]:
    """Columns and rows that a cell spans; 0 rows mean all that are left."""
    across = min(max(1, _number(cell.get("colspan"), 1)), MAX_COLUMNS)
    down = _number(cell.get("rowspan"), 1) or rows_left
    return across, min(max(1, down), rows_left)


def _without_empty_columns(grid: HtmlGrid) -> HtmlGrid:
    """The grid without columns that no cell begins in: spans had only been written wider than the table is."""
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
    """Rows with whether they stand in the head; the foot last."""
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
    found = _DIGITS.match(text or "")
    return int(found.group(1)) if found else default

"""A Word table's grid: `w:tbl` in, places of its cells with spans and header marks out.

Cell contents are not read here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from models.cdom.errors import ResourceLimit
from models.extract.formats.common.xml import MC, Element, W, is_on, number, val
from models.extract.formats.word.docx.drawing import choose_alternative

MAX_COLUMNS: Final = 1000
"""Columns of a table; Word allows 63, so only made files have more."""
_FIRST_ROW: Final = 0x0020
"""The bit of a table's look (`w:tblLook`) that says its first row is a head."""
_WRAPPERS: Final = frozenset(W + name for name in ("ins", "moveTo", "customXml", "smartTag", "sdtContent"))


@dataclass(slots=True)
class GridCell:
    """A cell's place; `contents` are its `w:tc` elements (more than one when merged), rows and columns from 0."""

    row: int
    col: int
    col_span: int
    header: bool
    row_span: int = 1
    contents: list[Element] = field(default_factory=list)


@dataclass(slots=True)
class DocxGrid:
    rows: int
    cols: int
    cells: list[GridCell]


def read_grid(table: Element) -> DocxGrid:
    """The grid of a `w:tbl`, deleted rows and cells left out. Raises `ResourceLimit` when it is absurdly wide."""
    rows = [row for row in unwrap(table, W + "tr") if not _is_deleted(row.find(W + "trPr"), "del")]
    headers = _count_header_rows(table, rows)
    cells: list[GridCell] = []
    above: dict[int, GridCell] = {}
    cols = 0
    for at, row in enumerate(rows):
        placed, width = _place_row(row, at, at < headers, above)
        cells += [cell for cell in placed if cell.row == at]
        above = {cell.col: cell for cell in placed}
        cols = max(cols, width)
    return DocxGrid(len(rows), cols, cells)


def unwrap(node: Element, tag: str) -> Iterator[Element]:
    """Children with that tag, looking through content controls and accepted insertions."""
    for child in node:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from unwrap(child, tag)
        elif child.tag == W + "sdt" and (content := child.find(W + "sdtContent")) is not None:
            yield from unwrap(content, tag)
        elif child.tag == MC + "AlternateContent" and (chosen := choose_alternative(child)) is not None:
            yield from unwrap(chosen, tag)


def _place_row(row: Element, at: int, header: bool, above: dict[int, GridCell]) -> tuple[list[GridCell], int]:
    """Cells that lie in this row (those begun above included), and the row's width in columns."""
    trpr = row.find(W + "trPr")
    placed: list[GridCell] = []
    col = _skip(placed, at, _stated_number(trpr, "gridBefore", 0))
    for content in unwrap(row, W + "tc"):
        tcpr = content.find(W + "tcPr")
        if _is_deleted(tcpr, "cellDel"):
            continue
        span = max(1, _stated_number(tcpr, "gridSpan", 1))
        if col + span > MAX_COLUMNS:
            raise ResourceLimit("a table has too many columns")
        cell = _continued(tcpr, col, span, above) or _merged_left(tcpr, placed)
        if cell is None:
            cell = GridCell(at, col, span, header)
            placed.append(cell)
        elif cell.row < at and cell not in placed:
            cell.row_span = at - cell.row + 1
            placed.append(cell)
        else:
            cell.col_span += span
        cell.contents.append(content)
        col += span
    return placed, _after(col, _stated_number(trpr, "gridAfter", 0))


def _skip(placed: list[GridCell], at: int, count: int) -> int:
    """An empty cell over `count` columns before a row's first cell; gives the column after them."""
    if count:
        placed.append(GridCell(at, 0, count, False))
    return _after(0, count)


def _after(col: int, count: int) -> int:
    """The column after `count` more. At its end a row has the cells it has: none stands for those it leaves out."""
    if col + count > MAX_COLUMNS:
        raise ResourceLimit("a table has too many columns")
    return col + count


def _continued(tcpr: Element | None, col: int, span: int, above: dict[int, GridCell]) -> GridCell | None:
    """The cell above that this one goes on; None when it starts a cell of its own."""
    merge = tcpr.find(W + "vMerge") if tcpr is not None else None
    if merge is None or val(merge, "continue") == "restart":
        return None
    cell = above.get(col)
    return cell if cell is not None and cell.col_span == span else None


def _merged_left(tcpr: Element | None, placed: list[GridCell]) -> GridCell | None:
    """The cell to the left, for the legacy `w:hMerge` continuation."""
    merge = tcpr.find(W + "hMerge") if tcpr is not None else None
    if merge is None or val(merge, "continue") == "restart" or not placed:
        return None
    return placed[-1]


def _count_header_rows(table: Element, rows: list[Element]) -> int:
    """Leading rows stated as repeated headers; else one, when the table's look asks for a header row."""
    count = 0
    for row in rows:
        if not is_on(row.find(f"{W}trPr/{W}tblHeader")):
            break
        count += 1
    if count or len(rows) < 2:
        return count
    look = table.find(f"{W}tblPr/{W}tblLook")
    if look is None:
        return 0
    stated = look.get(W + "firstRow")
    if stated is not None:
        return int(stated in ("1", "true", "on"))
    return int(bool(_hex(look.get(W + "val")) & _FIRST_ROW))


def _hex(text: str | None) -> int:
    try:
        return int(text or "0", 16)
    except ValueError:
        return 0


def _stated_number(properties: Element | None, name: str, default: int) -> int:
    found = properties.find(W + name) if properties is not None else None
    return max(0, number(val(found), default)) if found is not None else default


def _is_deleted(properties: Element | None, name: str) -> bool:
    return properties is not None and properties.find(W + name) is not None

"""The grid of a Word table: `w:tbl` in, positions of its cells with spans and header marks out.

Cell contents are not read here.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.extract.formats.common.xml import MC, Element, W, is_on, number, val
from quire.models.extract.formats.word.docx.drawing import choose_alternative

MAX_COLUMNS: Final = 1000
"""Columns of a table; Word allows 63, so more occur only in attacks."""
_FIRST_ROW: Final = 0x0020
"""The bit of a table's look (`w:tblLook`) that makes its first row a header."""
_WRAPPERS: Final = frozenset(W + name for name in ("ins", "moveTo", "customXml", "smartTag", "sdtContent"))


@dataclass(slots=True)
class GridCell:
    """A cell's position, from 0; `contents` are its `w:tc` elements (more than one when merged)."""

    row: int
    col: int
    col_span: int
    header: bool
    row_span: int = 1
    contents: list[Element] = field(default_factory=list)


@dataclass(slots=True)
class DocxGrid:
    """The grid of a table."""

    rows: int
    cols: int
    cells: list[GridCell]


def read_grid(table: Element) -> DocxGrid:
    """Return the grid of a `w:tbl` without deleted rows and cells.

    Raises:
        ResourceLimit: The table has too many columns.
    """
    rows = [row for row in unwrap(table, W + "tr") if not _is_deleted(row.find(W + "trPr"), "del")]
    headers = _count_header_rows(table, rows)
    cells: list[GridCell] = []
    above: dict[int, GridCell] = {}
    cols = 0
    for index, row in enumerate(rows):
        placed, width = _place_row(row, index, index < headers, above)
        cells += [cell for cell in placed if cell.row == index]
        above = {cell.col: cell for cell in placed}
        cols = max(cols, width)
    return DocxGrid(len(rows), cols, cells)


def unwrap(node: Element, tag: str) -> Iterator[Element]:
    """Yield children with that tag, also inside content controls and accepted insertions."""
    for child in node:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS:
            yield from unwrap(child, tag)
        elif child.tag == W + "sdt" and (content := child.find(W + "sdtContent")) is not None:
            yield from unwrap(content, tag)
        elif child.tag == MC + "AlternateContent" and (chosen := choose_alternative(child)) is not None:
            yield from unwrap(chosen, tag)


def _place_row(row: Element, row_index: int, header: bool, above: dict[int, GridCell]) -> tuple[list[GridCell], int]:
    """Return the cells in this row (with those begun above), and the row's width in columns."""
    trpr = row.find(W + "trPr")
    placed: list[GridCell] = []
    col = _skip_columns(placed, row_index, _stated_number(trpr, "gridBefore", 0))
    for content in unwrap(row, W + "tc"):
        tcpr = content.find(W + "tcPr")
        if _is_deleted(tcpr, "cellDel"):
            continue
        span = max(1, _stated_number(tcpr, "gridSpan", 1))
        if col + span > MAX_COLUMNS:
            raise ResourceLimit("a table has too many columns")
        cell = _find_continued(tcpr, col, span, above) or _find_merged_left(tcpr, placed)
        if cell is None:
            cell = GridCell(row_index, col, span, header)
            placed.append(cell)
        elif cell.row < row_index and cell not in placed:
            cell.row_span = row_index - cell.row + 1
            placed.append(cell)
        else:
            cell.col_span += span
        cell.contents.append(content)
        col += span
    return placed, _column_after(col, _stated_number(trpr, "gridAfter", 0))


def _skip_columns(placed: list[GridCell], row_index: int, count: int) -> int:
    """Add an empty cell over `count` columns before a row's first cell; return the column after them."""
    if count:
        placed.append(GridCell(row_index, 0, count, False))
    return _column_after(0, count)


def _column_after(col: int, count: int) -> int:
    """Return the column after `count` more; columns that a row omits at its end get no cell."""
    if col + count > MAX_COLUMNS:
        raise ResourceLimit("a table has too many columns")
    return col + count


def _find_continued(tcpr: Element | None, col: int, span: int, above: dict[int, GridCell]) -> GridCell | None:
    """Return the cell above that this one continues, or None when it starts a new cell."""
    merge = tcpr.find(W + "vMerge") if tcpr is not None else None
    if merge is None or val(merge, "continue") == "restart":
        return None
    cell = above.get(col)
    return cell if cell is not None and cell.col_span == span else None


def _find_merged_left(tcpr: Element | None, placed: list[GridCell]) -> GridCell | None:
    """Return the cell to the left that this one continues, for the legacy `w:hMerge`."""
    merge = tcpr.find(W + "hMerge") if tcpr is not None else None
    if merge is None or val(merge, "continue") == "restart" or not placed:
        return None
    return placed[-1]


def _count_header_rows(table: Element, rows: list[Element]) -> int:
    """Count leading rows stated as repeated headers; else one if the table's look has a header row."""
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
    node = properties.find(W + name) if properties is not None else None
    return max(0, number(val(node), default)) if node is not None else default


def _is_deleted(properties: Element | None, name: str) -> bool:
    return properties is not None and properties.find(W + name) is not None

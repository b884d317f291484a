"""Tables of slides: `a:tbl` in, a table with spans and header marks out."""

from typing import Final

from models.cdom.errors import ResourceLimit
from models.cdom.table import Cell, Table
from models.extract.formats.common.opc import Relations
from models.extract.formats.common.xml import A, Element, number
from models.extract.formats.flow.blocks import flatten
from models.extract.formats.slides.inherit import SlideInheritance
from models.extract.formats.slides.text import read_body

MAX_COLUMNS: Final = 1000
"""Columns of a table; PowerPoint allows 75, so only made files have more."""


def read_table(node: Element, inherited: SlideInheritance, relations: Relations) -> Table | None:
    """The table; None when it has no cells. Raises `ResourceLimit` when it is absurdly wide."""
    rows = node.findall(A + "tr")
    cols = max((len(row.findall(A + "tc")) for row in rows), default=0)
    if not cols:
        return None
    if cols > MAX_COLUMNS:
        raise ResourceLimit("a table has too many columns")
    properties = node.find(A + "tblPr")
    headed = properties is not None and properties.get("firstRow") in ("1", "true") and len(rows) > 1
    cells = []
    for row, line in enumerate(rows):
        for col, cell in enumerate(line.iterfind(A + "tc")):
            if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
                continue
            cells.append(
                Cell(
                    row=row,
                    col=col,
                    row_span=min(max(1, number(cell.get("rowSpan"), 1)), len(rows) - row),
                    col_span=min(max(1, number(cell.get("gridSpan"), 1)), cols - col),
                    header=headed and row == 0,
                    text=_text_of(cell, inherited, relations),
                )
            )
    return Table(rows=len(rows), cols=cols, cells=tuple(cells))


def _text_of(cell: Element, inherited: SlideInheritance, relations: Relations) -> str:
    body = cell.find(A + "txBody")
    return flatten(read_body(cell, body, inherited, None, relations))[0] if body is not None else ""

"""Small pages for the tests of tables: rows of short texts, rules, shades."""

from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.pipeline.page import layout_page

SIZE = 10.0
PROSE = "The committee met in the spring and went on to look at what the other members had said about it."


def text_line(x0: float, base: float, text: str, *, bold: bool = False) -> Line:
    return Line(x0, base - 7.5, x0 + 0.5 * SIZE * len(text), base + 2.2, base, SIZE, text, "x", bold=bold)


def text_rows(lefts: list[float], top: float, rows: list[list[str]], pitch: float = 16.0) -> list[Line]:
    """A line for every text, row under row; an empty text leaves its place blank."""
    return [
        text_line(x0, top + pitch * at, text)
        for at, row in enumerate(rows)
        for x0, text in zip(lefts, row, strict=True)
        if text
    ]


def prose(x0: float, top: float, count: int) -> list[Line]:
    """Lines of running text."""
    return [text_line(x0, top + 12 * at, PROSE) for at in range(count)]


def tables_of(marks: PageMarks) -> list[Table]:
    """Tables of the page, in reading order."""
    blocks = layout_page(marks).blocks
    return [block.table for block in blocks if block.type is BlockType.TABLE and block.table is not None]


def texts_of(table: Table) -> list[list[str]]:
    """The table's texts, row by row."""
    out: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        out[cell.row].append(cell.text)
    return out

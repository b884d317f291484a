"""Make a `Table` of a grid: header marks, boxes and texts of its cells."""

from collections.abc import Callable
from itertools import pairwise
from operator import attrgetter

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.visible import find_blank
from quire.models.extract.core.grid import Grid
from quire.models.extract.core.words import TableWord
from quire.models.extract.layout.tables.heads import settle_heads
from quire.models.extract.layout.text.hyphens import continues_address, ends_in_address, is_attached, may_divide

_left = attrgetter("x0")


def make_table(grid: Grid, divides: Callable[[str, str], bool]) -> Table:
    """Return the grid as a table with cells in row-major order.

    `divides` decides whether a hyphen only divides a word.
    """
    labelled = _is_labelled(grid)
    settle_heads(grid)
    cells = [
        Cell(
            row=slot.row,
            col=slot.col,
            row_span=slot.row_span,
            col_span=slot.col_span,
            header=slot.col == 0 if labelled else index < grid.header_rows,
            text=join_words(slot.words, divides),
            bbox=_words_bbox(slot.words),
        )
        for index, row in enumerate(grid.rows)
        for slot in row
    ]
    return Table(rows=len(grid.rows), cols=grid.width, cells=tuple(cells))


def _is_labelled(grid: Grid) -> bool:
    """Return True for labels with colons next to their values: the first column is the header, not the first row."""
    if grid.width != 2 or len(grid.rows) < 2 or any(len(row) != 2 for row in grid.rows):
        return False
    labels, values = ([row[col].words for row in grid.rows] for col in (0, 1))
    return all(map(_ends_in_colon, labels)) and not any(map(_ends_in_colon, values))


def _ends_in_colon(words: list[TableWord]) -> bool:
    return bool(words) and max(words, key=lambda word: (word.base, word.x1)).text.endswith(":")


def join_words(words: list[TableWord], divides: Callable[[str, str], bool] = may_divide) -> str:
    """Return the text of a cell: its words by line, with divided words rejoined."""
    if len(words) < 2:
        return words[0].text if words else ""
    if len({word.base for word in words}) == 1:
        return " ".join([word.text for word in sorted(words, key=_left)])
    words = sorted(words, key=lambda word: (round(word.base), word.x0))
    text = words[0].text
    for last, word in pairwise(words):
        if word.base - last.base > 0.5 * word.size and is_attached(text, word.text):
            text = (text[:-1] if divides(text, word.text) else text) + word.text
        elif ends_in_address(text) and continues_address(word.text, text[-1:]):
            text += word.text
        else:
            text += (find_blank(text, word.text) if word.base - last.base > 0.5 * word.size else " ") + word.text
    return text


def _words_bbox(words: list[TableWord]) -> Bbox | None:
    if not words:
        return None
    return (
        round(min(word.x0 for word in words), 3),
        round(min(word.y0 for word in words), 3),
        round(max(word.x1 for word in words), 3),
        round(max(word.y1 for word in words), 3),
    )

"""Make a `Table` of a grid: header marks, boxes and texts of its cells."""

import re
from collections.abc import Callable
from itertools import pairwise
from operator import attrgetter

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.visible import find_blank
from quire.models.extract.core.grid import Grid, Slot
from quire.models.extract.core.words import TableWord
from quire.models.extract.layout.text.hyphens import is_attached, may_divide

_left = attrgetter("x0")
LEAST_HEADED, MOST_BOLD = 3, 0.2
"""Rows of a table whose bold first row is its head; share of bold words in its other rows."""
_AMOUNT = re.compile(r"[-−+(]?[$€£]?\d[\d.,'’]*[.,]\d[\d.,]*\)?")


def make_table(grid: Grid, divides: Callable[[str, str], bool]) -> Table:
    """Return the grid as a table with cells in row-major order.

    `divides` decides whether a hyphen only divides a word.
    """
    labelled = _is_labelled(grid)
    header_rows = _count_header_rows(grid)
    cells = [
        Cell(
            row=slot.row,
            col=slot.col,
            row_span=slot.row_span,
            col_span=slot.col_span,
            header=slot.col == 0 if labelled else index < header_rows,
            text=join_words(slot.words, divides),
            bbox=_words_bbox(slot.words),
        )
        for index, row in enumerate(grid.rows)
        for slot in row
    ]
    return Table(rows=len(grid.rows), cols=grid.width, cells=tuple(cells))


def _count_header_rows(grid: Grid) -> int:
    """Return the number of header rows: up to the first row below the top with amounts over amounts, which is data."""
    if not grid.header_rows and _is_bold_head(grid):
        return 1
    for index in range(1, grid.header_rows):
        if index + 1 < len(grid.rows) and _amounts(grid.rows[index]) & _amounts(grid.rows[index + 1]):
            return index
    return grid.header_rows


def _is_bold_head(grid: Grid) -> bool:
    """Return True for a bold first row over rows that are not bold, which is the header of a table without rules."""
    if len(grid.rows) < LEAST_HEADED:
        return False
    first, *body = grid.rows
    filled = [slot for slot in first if slot.words]
    if len(filled) < 2 or not all(word.bold for slot in filled for word in slot.words):
        return False
    is_bold = [word.bold for row in body for slot in row for word in slot.words]
    return sum(is_bold) <= MOST_BOLD * len(is_bold)


def _amounts(row: list[Slot]) -> set[int]:
    """Columns in which the row has figures with a decimal or thousands mark; years and numbers of columns have none."""
    return {slot.col for slot in row if slot.words and _AMOUNT.fullmatch("".join(word.text for word in slot.words))}


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

"""Build cells from table rows and columns: spans, header marks, text. Words in, a `Table` out."""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.visible import find_blank
from quire.models.extract.layout.tables.bands import column_at, spans_columns
from quire.models.extract.layout.tables.words import Segment, TableWord, TextRow
from quire.models.extract.layout.text.hyphens import is_attached, may_divide

_left = attrgetter("x0")
LEAST_HEADED, MOST_BOLD = 3, 0.2
"""Rows of a table whose bold first row is its head; share of bold words in its other rows."""
_AMOUNT = re.compile(r"[-−+(]?[$€£]?\d[\d.,'’]*[.,]\d[\d.,]*\)?")


@dataclass(slots=True, init=False)
class Slot:
    """A cell while it is being filled."""

    row: int
    col: int
    row_span: int
    col_span: int
    words: list[TableWord]

    def __init__(self, row: int, col: int, col_span: int = 1) -> None:
        self.row, self.col, self.row_span, self.col_span = row, col, 1, col_span
        self.words: list[TableWord] = []


@dataclass(slots=True)
class Grid:
    """Rows of slots; `header_rows` of them, from the top, are headers."""

    columns: list[float]
    rows: list[list[Slot]]
    header_rows: int = 0

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self.columns) + 1


def fill_row(index: int, rows: list[TextRow], columns: list[float], ruled: list[tuple[int, int]]) -> list[Slot]:
    """Return the slots of one table row.

    A segment across a column's edge becomes a spanning slot or is cut at the edge.

    `ruled` are column ranges that a rule below the row holds together.
    """
    spans = join_ranges(_find_spans(rows, columns) + ruled)
    slots = _empty_slots(index, len(columns) + 1, spans)
    by_column = [slot for slot in slots for _ in range(slot.col_span)] if spans else slots
    for row in rows:
        for word in row.words:
            by_column[bisect_left(columns, word.middle)].words.append(word)
    return slots


def _find_spans(rows: list[TextRow], columns: list[float]) -> list[tuple[int, int]]:
    """Return the column ranges (first, last) that segments of the rows cross."""
    spans: list[tuple[int, int]] = []
    for row in rows:
        for segment in row.segments:
            if spans_columns(segment.x0, segment.x1, columns) and not _is_cut(segment, columns):
                spans.append((column_at(segment.x0 + 2, columns), column_at(segment.x1 - 2, columns)))
    return spans


def join_ranges(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join overlapping column ranges, left to right."""
    ranges = sorted(ranges)
    out: list[tuple[int, int]] = []
    for first, last in ranges:
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    return out


def _is_cut(segment: Segment, columns: list[float]) -> bool:
    """Return True if each edge that the segment crosses falls into a wide gap between two of its words."""
    for edge in columns:
        if segment.x0 + 2 < edge < segment.x1 - 2:
            left = max((word.x1 for word in segment.words if word.middle < edge), default=segment.x0)
            right = min((word.x0 for word in segment.words if word.middle >= edge), default=segment.x1)
            if right - left < 0.33 * segment.words[0].size:
                return False
    return True


def _empty_slots(index: int, width: int, spans: list[tuple[int, int]]) -> list[Slot]:
    slots: list[Slot] = []
    if not spans:
        return [Slot(index, column) for column in range(width)]
    column = 0
    while column < width:
        last = next((last for first, last in spans if first == column), column)
        slots.append(Slot(index, column, col_span=last - column + 1))
        column = last + 1
    return slots


def drop_empty_columns(grid: Grid) -> None:
    """Remove columns without words, unless a spanning cell covers them."""
    used = {slot.col + offset for row in grid.rows for slot in row if slot.words for offset in range(slot.col_span)}
    for column in range(grid.width - 1, -1, -1):
        if column in used or grid.width < 3:
            continue
        grid.columns.pop(min(column, len(grid.columns) - 1))
        for row in grid.rows:
            row[:] = [slot for slot in row if not (slot.col == column and slot.col_span == 1)]
            for slot in row:
                if slot.col > column:
                    slot.col -= 1
                elif slot.col + slot.col_span > column:
                    slot.col_span -= 1


def span_headers(grid: Grid, parted: list[frozenset[int]]) -> None:
    """Join header slots of one column over the header's rows.

    `parted[i]` are the columns with a rule between header rows i and i + 1; with no rule at all between two rows a
    column is joined when only one of its slots holds text.
    """
    for column in range(grid.width):
        for index in range(grid.header_rows - 1, 0, -1):
            upper, lower = _slot_of(grid.rows[index - 1], column), _slot_of(grid.rows[index], column)
            if upper is None or lower is None or upper.col_span > 1 or lower.col_span > 1:
                continue
            rules = parted[index - 1]
            if (rules and column not in rules) or (not rules and not (upper.words and lower.words)):
                upper.words += lower.words
                upper.row_span += lower.row_span
                grid.rows[index].remove(lower)


def share_slots(grid: Grid, first: int, words: list[TableWord]) -> None:
    """Give the column of words that belong to all rows from `first` on a single slot over these rows."""
    rows = grid.rows[first:]
    for column in {column_at(word.middle, grid.columns) for word in words}:
        slots = [_slot_of(row, column) for row in rows]
        top = slots[0]
        if top is None or any(slot is None or slot.words or slot.col_span > 1 for slot in slots):
            continue
        top.words = [word for word in words if column_at(word.middle, grid.columns) == column]
        top.row_span = len(rows)
        for row, slot in zip(rows[1:], slots[1:], strict=True):
            if slot is not None:
                row.remove(slot)


def _slot_of(row: list[Slot], column: int) -> Slot | None:
    return next((slot for slot in row if slot.col == column), None)


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

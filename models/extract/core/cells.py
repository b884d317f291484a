"""Features of a finished grid's cells: fill, kind, and how their texts begin and end."""

from collections.abc import Callable
from operator import attrgetter
from typing import Final

from quire.models.extract.core.grid import Grid, Slot
from quire.models.extract.core.words import TableWord

_left = attrgetter("x0")
_LONG: Final = 40
"""Characters of a cell that holds more than a label."""
KIND_NAMES = ("numeric", "stops", "hyphens", "colons", "lower", "glued", "leaders", "marker")
"""Kinds of a cell's text, in the order of their bits."""
_KINDS: Final = 8
"""Number of the kinds."""

CELL_NAMES = (
    "rows", "cols", "slots", "filled", "words", "chars", "chars_most", "chars_median", "long", "numeric",
    "numeric_columns", "consistent", "first_col_numeric", "first_row_numeric", "first_row_filled", "first_col_filled",
    "last_row_filled", "last_col_filled", "least_col_filled", "first_row_bold", "body_bold", "stops", "hyphens",
    "lower", "glued", "many_lines", "spans", "body_spans", "row_spans", "markers", "leaders", "lone_rows",
    "widest_share", "colons", "first_col_chars", "last_col_chars", "repeats", "header_rows",
)  # fmt: skip


def join_line(words: list[TableWord]) -> str | None:
    """Return the words from left to right, None if they are not on one baseline."""
    if not words:
        return ""
    first = words[0]
    if len(words) == 1:
        return first.text
    is_ordered = True
    last = first.x0
    for word in words:
        if word.base != first.base:
            return None
        if word.x0 < last:
            is_ordered = False
        last = word.x0
    if is_ordered:
        return " ".join([word.text for word in words])
    return " ".join([word.text for word in sorted(words, key=_left)])


class _Counts:
    """Counts over the cells of a grid, added text by text."""

    __slots__ = (
        "body_bold", "chars", "filled", "first_bold", "first_numeric", "in_first", "kinds", "lengths", "lines", "long",
        "numbers", "seen", "total", "words",
    )  # fmt: skip

    def __init__(self, width: int) -> None:
        self.filled: list[int] = [0] * width
        self.numbers: list[int] = [0] * width
        self.chars: list[int] = [0] * width
        self.in_first: list[int] = [0] * width
        self.kinds: list[int] = [0] * _KINDS
        self.lengths: list[int] = []
        self.seen: set[str] = set()
        self.words = self.total = self.long = self.lines = 0
        self.first_numeric = self.first_bold = self.body_bold = 0

    def add(self, slot: Slot, text: str, kinds: int, *, is_first_row: bool) -> None:
        """Count one filled cell."""
        count, column, words = len(text), slot.col, slot.words
        first, last = words[0], words[len(words) - 1]
        is_number = kinds & 1
        self.seen.add(text)
        self.lengths.append(count)
        self.total += count
        self.long += count > _LONG
        self.filled[column] += 1
        self.chars[column] += count
        self.words += len(words)
        self.lines += last.base - first.base > 0.5 * first.size
        bit = 0
        while kinds:
            self.kinds[bit] += kinds & 1
            kinds >>= 1
            bit += 1
        if is_first_row:
            self.first_numeric += is_number
            self.first_bold += first.bold
            self.in_first[column] = 1
        else:
            self.numbers[column] += is_number
            self.body_bold += first.bold


class _RowCounts:
    """Counts over the rows of a grid, with those of its cells."""

    __slots__ = (
        "body_spans", "cells", "first_full", "first_slots", "last_full", "last_slots", "lone", "markers", "row_spans",
        "slots", "spans",
    )  # fmt: skip

    def __init__(self, width: int) -> None:
        self.cells = _Counts(width)
        self.slots = self.spans = self.body_spans = self.row_spans = self.lone = self.markers = 0
        self.first_full = self.first_slots = self.last_full = self.last_slots = 0

    def add(self, row: list[Slot], full: int, width: int, *, is_first: bool, is_body: bool) -> None:
        """Count a row with so many filled cells."""
        spanning = 0
        for slot in row:
            spanning += slot.col_span > 1
            self.row_spans += slot.row_span > 1
        self.slots += len(row)
        if len(row) < width:
            self.spans += spanning
            self.body_spans += spanning if is_body else 0
        self.lone += full < 2
        self.last_full, self.last_slots = full, len(row)
        if is_first:
            self.first_full, self.first_slots = full, len(row)


def _count(
    grid: Grid, known: dict[str, int], kinds_of: Callable[[str], int], join_lines: Callable[[list[TableWord]], str]
) -> _RowCounts:
    width, head = len(grid.columns) + 1, max(1, grid.header_rows)
    rows = _RowCounts(width)
    for index in range(len(grid.rows)):
        row = grid.rows[index]
        full = 0
        for slot in row:
            if not slot.words:
                continue
            line = join_line(slot.words)
            text = join_lines(slot.words) if line is None else line
            if not text:
                continue
            full += 1
            kinds = known.get(text, -1)
            if kinds < 0:
                kinds = kinds_of(text)
                known[text] = kinds
            rows.markers += slot is row[0] and kinds >= 1 << (_KINDS - 1)
            rows.cells.add(slot, text, kinds, is_first_row=index == 0)
        rows.add(row, full, width, is_first=index == 0, is_body=index >= head)
    return rows


def cell_features(
    grid: Grid, known: dict[str, int], kinds_of: Callable[[str], int], join_lines: Callable[[list[TableWord]], str]
) -> list[float]:
    """Return the features `CELL_NAMES`.

    Args:
        grid: A finished grid.
        known: Cache of the kinds of a page's cell texts, because its candidates share most of their cells.
        kinds_of: Returns the kinds of a text as bits.
        join_lines: Returns the text of words on several baselines.
    """
    rows = _count(grid, known, kinds_of, join_lines)
    counts, width, height = rows.cells, len(grid.columns) + 1, len(grid.rows)
    lengths, kinds, filled, chars = counts.lengths, counts.kinds, counts.filled, counts.chars
    lengths.sort()
    cells, total = float(len(lengths) or 1), float(counts.total or 1)
    high, wide = float(height), float(width)
    numeric_columns, consistent, first_share = 0.0, 0.0, 0.0
    for column in range(width):
        share = counts.numbers[column] / max(1, filled[column] - counts.in_first[column])
        numeric_columns += share >= 0.6
        consistent += max(share, 1 - share)
        if column == 0:
            first_share = share
    first_cells, body_cells = float(max(1, rows.first_full)), max(1.0, cells - rows.first_full)
    return [
        high, wide, float(rows.slots), cells / max(1, rows.slots), float(counts.words), total / cells,
        float(lengths[len(lengths) - 1]) if lengths else 0.0, float(lengths[len(lengths) // 2]) if lengths else 0.0,
        counts.long / cells, kinds[0] / cells, numeric_columns / wide, consistent / wide, first_share,
        counts.first_numeric / first_cells, rows.first_full / max(1, rows.first_slots), filled[0] / high,
        rows.last_full / max(1, rows.last_slots), filled[width - 1] / high, min(filled) / high,
        counts.first_bold / first_cells, counts.body_bold / body_cells, kinds[1] / cells, kinds[2] / cells,
        kinds[4] / cells, kinds[5] / cells, counts.lines / cells, rows.spans / high, rows.body_spans / high,
        float(rows.row_spans), rows.markers / high, kinds[6] / cells, rows.lone / high, max(chars) / total,
        kinds[3] / cells, chars[0] / max(1, filled[0]), chars[width - 1] / max(1, filled[width - 1]),
        len(counts.seen) / cells, float(grid.header_rows),
    ]  # fmt: skip

"""Grids of a table: its words by rows and columns, with cells and headers that span several."""

from dataclasses import dataclass
from typing import Final

from quire.models.extract.core.bands import column_at, spans_columns
from quire.models.extract.core.marks import Rule
from quire.models.extract.core.words import Segment, TableWord, TextRow

Span = tuple[int, int]
"""First and last column."""


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
        self.words = []


@dataclass(slots=True, init=False)
class Grid:
    """Rows of slots; `header_rows` of them, from the top, are headers."""

    columns: list[float]
    rows: list[list[Slot]]
    header_rows: int

    def __init__(self, columns: list[float], rows: list[list[Slot]], header_rows: int = 0) -> None:
        self.columns, self.rows, self.header_rows = columns, rows, header_rows

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self.columns) + 1


def fill_row(index: int, rows: list[TextRow], columns: list[float], ruled: list[Span]) -> list[Slot]:
    """Return the slots of one table row.

    A segment across a column's edge becomes a spanning slot or is cut at the edge.

    `ruled` are column ranges that a rule below the row holds together.
    """
    spans = _find_spans(rows, columns) + ruled
    if spans:
        spans = join_ranges(spans)
    slots = _empty_slots(index, len(columns) + 1, spans)
    by_column = slots
    if spans:
        by_column = []
        for slot in slots:
            for _ in range(slot.col_span):
                by_column.append(slot)
    for row in rows:
        for word in row.words:
            by_column[column_at(word.middle, columns)].words.append(word)
    return slots


def _find_spans(rows: list[TextRow], columns: list[float]) -> list[Span]:
    """Return the column ranges (first, last) that segments of the rows cross."""
    spans: list[Span] = []
    for row in rows:
        for segment in row.segments:
            if spans_columns(segment.x0, segment.x1, columns) and not _is_cut(segment, columns):
                spans.append((column_at(segment.x0 + 2, columns), column_at(segment.x1 - 2, columns)))
    return spans


def join_ranges(ranges: list[Span]) -> list[Span]:
    """Join overlapping column ranges, left to right."""
    ranges = sorted(ranges)
    out: list[Span] = []
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
            left, right = segment.x0, segment.x1
            is_left = is_right = False
            for word in segment.words:
                if word.middle < edge:
                    if not is_left or word.x1 > left:
                        left = word.x1
                    is_left = True
                else:
                    if not is_right or word.x0 < right:
                        right = word.x0
                    is_right = True
            if right - left < 0.33 * segment.words[0].size:
                return False
    return True


def _empty_slots(index: int, width: int, spans: list[Span]) -> list[Slot]:
    slots: list[Slot] = []
    if not spans:
        return [Slot(index, column) for column in range(width)]
    column = 0
    while column < width:
        last = column
        for first, end in spans:
            if first == column:
                last = end
                break
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


def span_headers(grid: Grid, parted: list[set[int]]) -> None:
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
    for slot in row:
        if slot.col == column:
            return slot
    return None


_CENTRED: Final = 0.8
"""Maximum distance (in ems) between the middle of a header and the middle of its columns."""
_ALIGNED: Final = 1.5
"""Points: a header that begins or ends with its column is no group."""


def columns_over(rule: Rule, edges: list[float]) -> Span:
    """Return the first and last column of which the rule covers more than half; (0, -1) if none."""
    first, last = 0, -1
    for column in range(len(edges) - 1):
        left, right = edges[column], edges[column + 1]
        if min(rule.x1, right) - max(rule.x0, left) > 0.5 * (right - left):
            if last < 0:
                first = column
            last = column
    return first, last


def is_head_of(span: Span, group: list[TextRow], edges: list[float]) -> bool:
    """Return True for a rule that groups some columns, not all, under a single text."""
    first, last = span
    if last <= first or (first, last) == (0, len(edges) - 2):
        return False
    left, right = edges[first], edges[last + 1]
    return sum(left < (seg.x0 + seg.x1) / 2 < right for row in group for seg in row.segments) == 1


def column_extents(rows: list[TextRow], columns: list[float]) -> list[tuple[float, float]]:
    """Return the leftmost and rightmost ink of every column by its words."""
    lefts, rights = [float("inf")] * (len(columns) + 1), [float("-inf")] * (len(columns) + 1)
    for row in rows:
        for word in row.words:
            column = column_at(word.middle, columns)
            lefts[column] = min(lefts[column], word.x0)
            rights[column] = max(rights[column], word.x1)
    return list(zip(lefts, rights, strict=True))


def centred_spans(group: list[TextRow], below: list[TextRow], columns: list[float]) -> list[Span]:
    """Return column ranges over which a header text is centred, unless it is centred on its single column.

    `below` are the text rows under the header. Only headers next to empty columns are considered.
    """
    segments = [segment for row in group for segment in row.segments]
    owners = [column_at((segment.x0 + segment.x1) / 2, columns) for segment in segments]
    if len(set(owners)) > len(columns):
        return []
    extents = column_extents(below, columns)
    spans: list[Span] = []
    inked: list[Span] = []
    for segment, owner in zip(segments, owners, strict=True):
        taken = {other for other in owners if other != owner}
        span = find_group(segment, owner, taken, extents)
        if span is not None:
            spans.append(span)
        span, _ = _find_centred(segment, owner, taken, extents)
        if span != (0, 0):
            inked.append(span)
    return spans if len(join_ranges(spans)) == len(spans) else inked


def find_group(segment: Segment, owner: int, taken: set[int], ink: list[tuple[float, float]]) -> Span | None:
    """Return the columns over which a text is centred: over their ink, or over their widths with a blank at one side.

    None if the text begins or ends with its own column. `taken`: columns that it cannot span.
    """
    last = len(ink) - 1
    if abs(segment.x0 - ink[owner][0]) < _ALIGNED or abs(segment.x1 - ink[owner][1]) < _ALIGNED:
        return None
    before: list[tuple[float, float]] = []
    after: list[tuple[float, float]] = []
    for index in range(last + 1):
        left, right = ink[index]
        start, end = left, right
        if index > 0:
            start = ink[index - 1][1]
        if index == 1 and last > 1:
            start = max(start, right - (ink[2][1] - right))
        if index < last:
            end = ink[index + 1][0]
        elif index > 1:
            end = left + left - ink[index - 1][0]
        before.append((min(start, left), right))
        after.append((left, max(end, right)))
    best: Span | None = None
    least = _CENTRED * segment.words[0].size
    for extents in (ink, before, after):
        span, apart = _find_centred(segment, owner, taken, extents)
        if last > 0 and span != (0, 0) and apart < least:
            best, least = span, apart
    return best


def _find_centred(
    segment: Segment, owner: int, taken: set[int], extents: list[tuple[float, float]]
) -> tuple[Span, float]:
    """Return the range of free columns around `owner` whose middle is nearest to the segment's, and the distance.

    Of ranges that are about as near the widest is returned; (0, 0) if the segment is centred on its own column.
    """
    middle, size = (segment.x0 + segment.x1) / 2, segment.words[0].size
    left, right = extents[owner]
    best, least = (0, 0), _CENTRED * size
    if abs((left + right) / 2 - middle) < 0.5 * size or right < left:
        return best, least
    first = last = owner
    while first > 0 and first - 1 not in taken:
        first -= 1
    while last + 1 < len(extents) and last + 1 not in taken:
        last += 1
    for a in range(first, owner + 1):
        for b in range(owner, last + 1):
            apart = abs((extents[a][0] + extents[b][1]) / 2 - middle)
            if b <= a or apart >= _CENTRED * size:
                continue
            is_wider = b - a > best[1] - best[0]
            if apart < least - (0.0 if is_wider else 0.3 * size) or (is_wider and apart < least + 0.3 * size):
                best, least = (a, b), apart
    return best, least

"""Rows of a table: the bands between its rules, and within a band the text rows of one table row."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from quire.models.extract.core.marks import Rule, RuledRegion
from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import TextRow

_height = attrgetter("y0")


@dataclass(frozen=True, slots=True)
class BandLimits:
    """Limits for splitting a table into rows by rules and baselines."""

    full_share: float = 0.85
    """Rules on one level that cover this share of the width separate rows of the whole table."""
    tight: float = 1.4
    """Baselines closer than this (in ems) can be lines of one cell."""
    overlap: float = 0.8
    """Baselines closer than this (in ems) overlap: cells of one row, centred on each other."""
    header_share: float = 0.45
    """Most of a table's height that its head takes."""
    ruled_header_share: float = 0.65
    """Most of a table's height that its head takes where rules inside it show that it is one."""


LIMITS: Final = BandLimits()
_FULL: Final = 0.6
"""A text row that fills this share of the columns is a separate table row."""
_FIGURES: Final = 0.4
"""Share of the columns that hold figures where rows are data."""


@dataclass(slots=True, init=False)
class Band:
    """The space between two full separators, with its text rows; `partial`: rules inside it and at its lower edge."""

    top: float
    bottom: float
    rows: list[TextRow]
    partial: list[Rule]

    def __init__(self, top: float, bottom: float, rows: list[TextRow], partial: list[Rule]) -> None:
        self.top, self.bottom, self.rows, self.partial = top, bottom, rows, partial


def find_levels(rules: list[Rule], tolerance: float = 2.0) -> list[tuple[float, list[Rule]]]:
    """Return horizontals grouped by y, top to bottom."""
    levels: list[tuple[float, list[Rule]]] = []
    level = 0.0
    own: list[Rule] = []
    for rule in sorted(rules, key=_height):
        if own and rule.y0 - level <= tolerance:
            own.append(rule)
        else:
            level, own = rule.y0, [rule]
            levels.append((level, own))
    return levels


def cut_bands(region: RuledRegion, rows: list[TextRow]) -> list[Band]:
    """Return the bands with text between full separators, top to bottom."""
    x0, y0, x1, y1 = region.box
    separators = [y0 - 3.0]
    partial: list[Rule] = []
    for y, rules in find_levels([rule for rule in region.horizontals if not _underlines(rule, rows)]):
        if covered_length([(rule.x0, rule.x1) for rule in rules], x0, x1) >= LIMITS.full_share * (x1 - x0):
            separators.append(y)
        partial += rules
    separators.append(y1 + 3.0)
    bands: list[Band] = []
    for index in range(len(separators) - 1):
        top, bottom = separators[index], separators[index + 1]
        held = [row for row in rows if top < row_middle(row) <= bottom]
        if held:
            bands.append(Band(top, bottom, held, [rule for rule in partial if top < rule.y0 <= bottom]))
    return bands


def _underlines(rule: Rule, rows: list[TextRow]) -> bool:
    """Return True for a rule under words, at most as wide as they are."""
    for row in rows:
        offset = rule.y0 - row.base
        if -0.1 * row.size <= offset and offset <= 0.35 * row.size:
            for segment in row.segments:
                if segment.x0 - 2 <= rule.x0 and rule.x1 <= segment.x1 + 2:
                    return True
            return False
    return False


def row_middle(row: TextRow) -> float:
    """Return the vertical middle of a text row."""
    return row.base - 0.3 * row.size


def covered_length(parts: list[tuple[float, float]], start: float, end: float) -> float:
    """Return the length of start..end that the parts (start, end) cover together."""
    covered, position = 0.0, start
    for first, last in sorted(parts):
        left, right = max(first, position), min(last, end)
        if right > left:
            covered += right - left
            position = right
    return covered


def filled_columns(row: TextRow, columns: list[float]) -> set[int]:
    """Return the indices of columns that contain the left end of a segment of the row."""
    return {column_at(segment.x0 + 0.5, columns) for segment in row.segments}


def column_at(x: float, columns: list[float]) -> int:
    """Index of the column that holds x."""
    low, high = 0, len(columns)
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def fold_rows(rows: list[TextRow], columns: list[float]) -> list[list[TextRow]]:
    """Group text rows of an unruled band into table rows: the lines of a wrapped cell join the row above."""
    groups: list[list[TextRow]] = []
    for row in rows:
        if groups and _continues(groups[-1], row, columns):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _continues(group: list[TextRow], row: TextRow, columns: list[float]) -> bool:
    above = group[-1]
    if row.base - above.base < LIMITS.overlap * min(row.size, above.size):
        return True
    if row.base - above.base > LIMITS.tight * max(row.size, above.size):
        return False
    filled = filled_columns(row, columns)
    before: set[int] = set()
    for text_row in group:
        before |= filled_columns(text_row, columns)
    if not filled <= before or len(filled) > max(1.0, 0.4 * (len(columns) + 1)):
        return False
    if 0 not in filled:
        return 0 in before and len(before) > len(filled)
    return len(filled) == 1 and len(before) > 1 and row.words[0].text[:1].islower()


def fold_header(band: Band, columns: list[float]) -> list[list[TextRow]]:
    """Group text rows of a header band: one row, unless rules or spanning cells divide it."""
    groups: list[list[TextRow]] = []
    for row in band.rows:
        if groups and not _is_parted(groups[-1][-1], row, band.partial, columns):
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _is_parted(above: TextRow, below: TextRow, partial: list[Rule], columns: list[float]) -> bool:
    top, bottom = row_middle(above), row_middle(below)
    for rule in partial:
        if top < rule.y0 < bottom:
            return True
    if below.base - above.base < LIMITS.overlap * min(above.size, below.size):
        return False
    if below.base - above.base > LIMITS.tight * max(above.size, below.size):
        return True
    for segment in above.segments:
        for other in below.segments:
            if segment.x0 < other.x1 and other.x0 < segment.x1:
                return any(spans_columns(upper.x0, upper.x1, columns) for upper in above.segments)
    return True


def spans_columns(x0: float, x1: float, columns: list[float]) -> bool:
    """Return whether x0..x1 crosses an edge of a column."""
    left, right = x0 + 2, x1 - 2
    for edge in columns:
        if left < edge < right:
            return True
    return False


def has_header(bands: list[Band], region: RuledRegion) -> bool:
    """Return True if the first band is a header: ruled off, and small in relation to the table."""
    if len(bands) < 2:
        return False
    _, y0, _, y1 = region.box
    height = y1 - y0
    first = bands[0]
    inside = any(rule.y0 < first.bottom - 1 for rule in first.partial)
    share = LIMITS.ruled_header_share if inside else LIMITS.header_share
    return first.bottom - first.top <= max(share * height, 16.0) and len(first.rows) <= 6


def split_data_rows(rows: list[TextRow], columns: list[float]) -> tuple[list[TextRow], list[TextRow]] | None:
    """Return (rows of figures, rows with shared cells), or None if the band is one table row.

    Shared cells are printed between the rows because they belong to all of them; their columns are empty elsewhere.
    """
    width = len(columns) + 1
    filled = [filled_columns(row, columns) for row in rows]
    full = [row for row, own in zip(rows, filled, strict=True) if len(own) >= max(2.0, _FULL * width)]
    if len(full) < 2 or _count_figure_columns(full, columns) < max(1.0, _FIGURES * width):
        return None
    shared = [row for row in rows if not any(row is full_row for full_row in full)]
    used: set[int] = set()
    for row in full:
        used |= filled_columns(row, columns)
    if any(len(filled_columns(row, columns) & used) > 0 for row in shared):
        return None
    return full, shared


def _count_figure_columns(rows: list[TextRow], columns: list[float]) -> int:
    """Return the number of columns in which every row has only a figure."""
    by_column: dict[int, list[bool]] = {}
    for row in rows:
        for segment in row.segments:
            text = " ".join(word.text for word in segment.words)
            by_column.setdefault(column_at(segment.x0 + 0.5, columns), []).append(is_figure(text))
    return sum(len(figures) >= len(rows) and all(figures) for figures in by_column.values())

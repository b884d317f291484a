"""A table out of a ruled region: full grids, half-ruled tables, tables with rules above and below the head only."""

from itertools import pairwise

from models.cdom.table import Table
from models.extract.layout.marks import Line, PageMarks, Rule
from models.extract.layout.tables.bands import (
    Band,
    column_at,
    cut_bands,
    find_levels,
    fold_header,
    fold_rows,
    has_header,
    row_middle,
)
from models.extract.layout.tables.columns import open_columns, ruled_columns
from models.extract.layout.tables.grid import Grid, drop_empty_columns, fill_row, make_table, span_headers
from models.extract.layout.tables.rules import Region
from models.extract.layout.tables.words import TextRow, find_text_rows

_FILLED_SHARE = 0.3
_PROSE_WORDS = 4
_EDGE_SHARE = 0.6


def build_ruled_table(region: Region, lines: list[Line], marks: PageMarks, *, captioned: bool = False) -> Table | None:
    """The table in a region, null when its text is no table's; a caption says that two rules are enough."""
    rows = find_text_rows(lines, marks)
    columns = ruled_columns(region)
    is_grid = bool(columns)
    if not is_grid:
        columns = open_columns(rows)
        if _is_prose(rows, columns) or (region.levels < 3 and not captioned and not _is_tabular(rows)):
            return None
    if not columns or is_contents(rows) or _is_chart(region, rows):
        return None
    bands = cut_bands(region, rows)
    grid = _build_grid(bands, columns, region, is_grid=is_grid)
    drop_empty_columns(grid)
    return make_table(grid) if is_table(grid) else None


def _build_grid(bands: list[Band], columns: list[float], region: Region, *, is_grid: bool) -> Grid:
    headed = has_header(bands, region)
    grid = Grid(list(columns), [])
    parted: list[frozenset[int]] = []
    edges = [region.box[0], *columns, region.box[2]]
    for index, band in enumerate(bands):
        groups = _group_rows(band, columns, is_grid=is_grid, is_header=headed and index == 0)
        for at, group in enumerate(groups):
            below = row_middle(groups[at + 1][0]) if at + 1 < len(groups) else band.bottom + 0.5
            rules = [rule for rule in band.partial if row_middle(group[-1]) < rule.y0 <= below]
            is_header = headed and index == 0
            spans = [_columns_over(rule, edges) for rule in rules] if is_header else []
            spans = [span for span in spans if _is_head_of(span, group, edges)]
            grid.rows.append(fill_row(len(grid.rows), group, columns, spans))
            if is_header:
                grid.header_rows += 1
                parted.append(frozenset(col for rule in rules for col in _range_of(_columns_over(rule, edges))))
    span_headers(grid, parted)
    return grid


def _group_rows(band: Band, columns: list[float], *, is_grid: bool, is_header: bool) -> list[list[TextRow]]:
    """Text rows of a band gathered to table rows."""
    if is_grid and (is_header or not is_list_of_rows(band.rows, columns)):
        return _cut_at_partial(band)
    return fold_header(band, columns) if is_header else fold_rows(band.rows, columns)


def _columns_over(rule: Rule, edges: list[float]) -> tuple[int, int]:
    """First and last column of which the rule covers more than half."""
    covered = [
        column
        for column, (left, right) in enumerate(pairwise(edges))
        if min(rule.x1, right) - max(rule.x0, left) > 0.5 * (right - left)
    ]
    return (covered[0], covered[-1]) if covered else (0, -1)


def _range_of(span: tuple[int, int]) -> range:
    return range(span[0], span[1] + 1)


def _is_head_of(span: tuple[int, int], group: list[TextRow], edges: list[float]) -> bool:
    """True for a rule that holds some columns, not all, together under a single text."""
    first, last = span
    if last <= first or (first, last) == (0, len(edges) - 2):
        return False
    left, right = edges[first], edges[last + 1]
    return sum(left < (seg.x0 + seg.x1) / 2 < right for row in group for seg in row.segments) == 1


def _cut_at_partial(band: Band) -> list[list[TextRow]]:
    """Rows of a grid's band: one, or as many as partial rules part."""
    levels = [y for y, _ in find_levels(band.partial)]
    parts: dict[int, list[TextRow]] = {}
    for row in band.rows:
        parts.setdefault(sum(row_middle(row) > y for y in levels), []).append(row)
    return list(parts.values())


def is_list_of_rows(rows: list[TextRow], columns: list[float]) -> bool:
    """True when text rows of a band are table rows: nearly all reach over all columns, and one column holds figures."""
    if len(rows) < 3:
        return False
    width = len(columns) + 1
    full = [row for row in rows if len({column_at(segment.x0 + 0.5, columns) for segment in row.segments}) >= width]
    if len(full) < 0.8 * len(rows):
        return False
    figures = [0] * width
    for row in full:
        for word in row.words:
            if any(char.isdigit() for char in word.text):
                figures[column_at(word.middle, columns)] += 1
    return max(figures) >= 0.7 * len(full)


def _is_prose(rows: list[TextRow], columns: list[float]) -> bool:
    """True for columns of running text, which rules above and below do not make a table."""
    if len(rows) < 6 or len(columns) > 2:
        return False
    by_column: dict[int, list[int]] = {}
    for row in rows:
        for segment in row.segments:
            by_column.setdefault(column_at(segment.x0 + 0.5, columns), []).append(len(segment.words))
    return all(sum(count >= _PROSE_WORDS for count in counts) > 0.6 * len(counts) for counts in by_column.values())


def _is_tabular(rows: list[TextRow]) -> bool:
    """True for several rows of short texts side by side."""
    several = [row for row in rows if len(row.segments) > 1]
    lengths = [sum(len(word.text) + 1 for word in segment.words) for row in several for segment in row.segments]
    return len(rows) > 2 and len(several) >= 0.4 * len(rows) and sum(lengths) < 30 * len(lengths)


def is_contents(rows: list[TextRow]) -> bool:
    """True for a list of titles with page numbers that never fall: a table of contents."""
    numbers = [row.words[-1].text for row in rows if len(row.segments) > 1]
    if len(numbers) < 4 or len(numbers) < 0.6 * len(rows) or any(len(row.segments) > 3 for row in rows):
        return False
    if not all(number.isdecimal() for number in numbers):
        return False
    if sum(row.words[0].text[:1].isdigit() and len(row.words) < 3 for row in rows) > 0.5 * len(rows):
        return False
    pages = [int(number) for number in numbers]
    return pages[-1] > 9 and all(one <= other for one, other in pairwise(pages))


def _is_chart(region: Region, rows: list[TextRow]) -> bool:
    """True for gridlines: many levels, few of the spaces between them hold text, or texts stand on the rules."""
    levels = [y for y, _ in find_levels(region.horizontals)]
    if len(levels) < 4:
        return False
    spaces = [(top, bottom) for top, bottom in pairwise(levels) if bottom - top > 4]
    empty = sum(not any(top < row.base - 0.3 * row.size < bottom for row in rows) for top, bottom in spaces)
    struck = sum(any(row.top + 1.5 < y < row.base - 1.5 for y in levels) for row in rows)
    return empty > 0.3 * len(spaces) or struck > 0.25 * len(rows)


def is_table(grid: Grid) -> bool:
    """At least two rows and columns, and enough of the cells filled."""
    slots = [slot for row in grid.rows for slot in row]
    filled = sum(bool(slot.words) for slot in slots)
    wide = sum(sum(bool(slot.words) for slot in row) > 1 for row in grid.rows)
    return len(grid.rows) > 1 and grid.width > 1 and filled >= _FILLED_SHARE * len(slots) and wide >= 1

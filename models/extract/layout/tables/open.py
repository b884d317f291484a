"""Tables without rules: text pieces in the same columns, row after row.

Works on lines in reading order, where columns of running text are separate already.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.bands import column_at, fold_rows
from quire.models.extract.core.columns import open_columns
from quire.models.extract.core.grid import Grid, fill_row
from quire.models.extract.core.signs import is_figure
from quire.models.extract.core.words import TableWord, TextRow, gather_rows
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.ruled import is_contents, is_table


@dataclass(frozen=True, slots=True)
class OpenTableLimits:
    """Limits for aligned rows without rules to be a table."""

    least_rows: int = 3
    """Fewer rows without a rule are a list or two lines that happen to align."""
    short: int = 28
    """Cells of a table without rules are mostly shorter than this (characters)."""
    apart: float = 2.6
    """Rows further apart than this (in ems) belong to different tables."""


LIMITS = OpenTableLimits()

_MARKER = re.compile(r"(?:[•●○◦▪■□–—\-*·►]|\(?\d{1,3}[.)]?|\(?[a-zA-Z][.)]|\[\d+\])")

Row = list[Line]


def find_open_grids(
    lines: list[Line], words_of: Callable[[Line], list[TableWord]]
) -> list[tuple[list[Line], Grid, list[TextRow]]]:
    """Return lines, grid and text rows of the tables among `lines`, which are in reading order."""
    tables: list[tuple[list[Line], Grid, list[TextRow]]] = []
    rows = _cut_rows(lines)
    start = 0
    while start < len(rows):
        end = _find_run(rows, start)
        built = _build(rows[start:end], words_of) if end - start >= LIMITS.least_rows else None
        if built is None:
            start += 1
        else:
            tables.append(([line for row in rows[start:end] for line in row], *built))
            start = end
    return tables


def _cut_rows(lines: list[Line]) -> list[Row]:
    """Group neighbours in reading order on one baseline, left to right."""
    rows: list[Row] = []
    for line in lines:
        last = rows[-1][-1] if rows else None
        if last is not None and last.text and line.text and _is_next_to(last, line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _is_next_to(left: Line, right: Line) -> bool:
    return abs(left.base - right.base) < 0.5 * right.size and right.x0 > left.x1


def _find_run(rows: list[Row], start: int) -> int:
    """End of the run of rows of several pieces from `start`; a single line may stand between two of them."""
    if len(rows[start]) < 2:
        return start
    end = start + 1
    while end < len(rows):
        if not _follows(rows[end - 1], rows[end]):
            break
        if len(rows[end]) < 2 and not (len(rows[end + 1 : end + 2]) and _continues_row(rows[end], rows[end + 1])):
            break
        end += 1
    return end


def _continues_row(single: Row, after: Row) -> bool:
    return len(after) > 1 and _follows(single, after)


def _follows(above: Row, below: Row) -> bool:
    size = max(above[0].size, below[0].size)
    step = below[0].base - above[0].base
    return bool(below[0].text) and bool(above[0].text) and 0.5 * size < step < LIMITS.apart * size


def _build(rows: list[Row], words_of: Callable[[Line], list[TableWord]]) -> tuple[Grid, list[TextRow]] | None:
    if not _is_tabular(rows):
        return None
    text_rows = gather_rows([word for row in rows for line in row for word in words_of(line)])
    columns = open_columns(text_rows)
    if not columns or is_contents(text_rows) or not _is_aligned(text_rows, columns):
        return None
    grid = Grid(list(columns), [])
    for group in fold_rows(text_rows, columns):
        grid.rows.append(fill_row(len(grid.rows), group, columns, []))
    if not is_table(grid) or len(grid.rows) < LIMITS.least_rows:
        return None
    grid.header_rows = int(_has_head(text_rows))
    return grid, text_rows


def _is_tabular(rows: list[Row]) -> bool:
    """Return True for rows of several short pieces, except lists: three columns, or two of which one has figures."""
    several = [row for row in rows if len(row) > 1]
    pieces = [line for row in several for line in row]
    if len(several) < max(LIMITS.least_rows, 0.6 * len(rows)):
        return False
    if sum(len(line.text) <= LIMITS.short for line in pieces) < 0.8 * len(pieces):
        return False
    marked = sum(bool(_MARKER.fullmatch(row[0].text.strip())) for row in several)
    if marked > 0.5 * len(several) and max(map(len, several)) < 3:
        return False
    figures = sum(is_figure(line.text.strip()) for row in several for line in row[1:])
    if figures > 0.5 * sum(len(row) - 1 for row in several):
        return True
    return sum(len(row) > 2 for row in several) > 0.6 * len(several) and len(several) > LIMITS.least_rows


def _is_aligned(rows: list[TextRow], columns: list[float]) -> bool:
    """Return True if in nearly every column the segments share an edge or their middle."""
    by_column: dict[int, list[tuple[float, float, float]]] = {}
    for row in rows:
        if len(row.segments) > 1:
            for segment in row.segments:
                middle = (segment.x0 + segment.x1) / 2
                by_column.setdefault(column_at(middle, columns), []).append((segment.x0, segment.x1, middle))
    size = rows[0].size
    aligned = sum(any(_share(edge, size) >= 0.6 for edge in zip(*cells, strict=True)) for cells in by_column.values())
    return aligned >= 0.8 * len(by_column) and len(by_column) > 1


def _share(edges: tuple[float, ...], size: float) -> float:
    """Return the share of edges that are within half an em of each other."""
    ordered = sorted(edges)
    best = run = 1
    for edge, other in pairwise(ordered):
        run = run + 1 if other - edge < 0.25 * size else 1
        best = max(best, run)
    return best / len(ordered)


def _has_head(rows: list[TextRow]) -> bool:
    """Return True if the first row is bold, or has words over columns of figures."""
    first, others = rows[0], rows[1:]
    if all(word.bold for word in first.words) and not all(word.bold for row in others for word in row.words):
        return True
    return not any(is_figure(word.text) for word in first.words) and all(
        any(is_figure(word.text) for word in row.words) for row in others
    )

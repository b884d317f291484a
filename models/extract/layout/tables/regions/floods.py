"""Regions found by persistent columns: rows join while they fit into the columns of the rows before them.

A run does not end inside a cell, even if the cell has many lines; a line across the columns ends it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.words import SEGMENT_GAP
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.regions.view import LineRow


@dataclass(frozen=True, slots=True)
class FloodLimits:
    """Limits for a row to join the run above it. Lengths are in ems unless a field says otherwise."""

    gaps: tuple[float, ...] = (2.4, 3.4, 5.0)
    """A row further below the last one ends the run; one set of runs for each."""
    larger: float = 1.2
    """Of the size of the first row: a single line in larger type is a heading."""
    outside: float = 1.5
    """A single line that starts further left of the first column is running text."""
    beyond: float = 4.0
    """A single line in no column may end so far right of the last one."""
    inset: float = 1.0
    """Points by which a line must reach into a column to meet it."""
    touch: float = 0.1
    """Stretches closer than this are one column."""
    held: float = 0.6
    """Share of the columns that a row of several segments must leave apart."""
    wide_step: float = 1.35
    """Of the usual step between two rows: a larger one may part two tables."""
    usual: float = 0.8
    """Quantile of the steps that is the usual one."""
    most_parts: int = 6
    """Parts between wide steps; with more the steps are those of the rows."""
    least_steps: int = 4
    """Steps of a run in which wide ones show."""


LIMITS = FloodLimits()

Span = tuple[float, float]
Run = tuple[int, int]


def find_floods(lines: list[Line], rows: list[LineRow]) -> Iterator[Run]:
    """Yield runs (start, end) of rows and their variants, each once."""
    spans = [_find_segments(lines, row) for row in rows]
    seen: set[Run] = set()
    for gap in LIMITS.gaps:
        start = 0
        while start < len(rows):
            end, full = _grow(rows, spans, start, gap) if len(spans[start]) > 1 else (start, 0)
            if full < 2:
                start += 1
                continue
            for run in _vary(lines, rows, (start, end)):
                if run not in seen:
                    seen.add(run)
                    yield run
            start = end


def _find_segments(lines: list[Line], row: LineRow) -> list[Span]:
    """Return the left and right ends of the stretches of a row between wide gaps."""
    spans: list[Span] = []
    for index in row.indices:
        line = lines[index]
        if spans and line.x0 - spans[-1][1] < SEGMENT_GAP * row.size:
            spans[-1] = (spans[-1][0], max(spans[-1][1], line.x1))
        else:
            spans.append((line.x0, line.x1))
    return spans


def _grow(rows: list[LineRow], spans: list[list[Span]], start: int, gap: float) -> tuple[int, int]:
    """Return the end of the run that starts with a row, and the number of its rows with several segments."""
    columns, size = spans[start], rows[start].size
    full = 1
    for index in range(start + 1, len(rows)):
        row, above, own = rows[index], rows[index - 1], spans[index]
        if row.base - above.base > gap * max(row.size, above.size):
            return index, full
        joined = _join_spans(columns, own, size)
        if len(own) > 1:
            if len(joined) < max(2.0, LIMITS.held * len(columns)):
                return index, full
            full += 1
        elif row.size > LIMITS.larger * size or not _fits(own[0], columns, size):
            return index, full
        columns = joined
    return len(rows), full


def _fits(span: Span, columns: list[Span], size: float) -> bool:
    """Return True for a single line that is in one column, or in a gap between or right of them."""
    met = sum(span[0] < x1 - LIMITS.inset and x0 + LIMITS.inset < span[1] for x0, x1 in columns)
    if met > 1 or span[0] < columns[0][0] - LIMITS.outside * size:
        return False
    return met == 1 or span[1] <= columns[-1][1] + LIMITS.beyond * size


def _join_spans(columns: list[Span], own: list[Span], size: float) -> list[Span]:
    joined: list[Span] = []
    for x0, x1 in sorted(columns + own):
        if joined and x0 < joined[-1][1] + LIMITS.touch * size:
            joined[-1] = (joined[-1][0], max(joined[-1][1], x1))
        else:
            joined.append((x0, x1))
    return joined


def _vary(lines: list[Line], rows: list[LineRow], run: Run) -> Iterator[Run]:
    """Yield the run and variants: without last single lines, without its first row, cut at repeated headers or gaps."""
    start, end = run
    yield run
    last = end
    while last > start + 2 and rows[last - 1].segments < 2:
        last -= 1
    if last < end:
        yield (start, last)
    if end - start > 3:
        yield (start + 1, end)
    head = _text_of(lines, rows[start])
    repeats = [
        index for index in range(start + 2, end) if rows[index].segments > 1 and _text_of(lines, rows[index]) == head
    ]
    yield from _cut(run, repeats)
    steps = [(below.base - above.base) / max(below.size, 1.0) for above, below in pairwise(rows[start:end])]
    if len(steps) >= LIMITS.least_steps:
        usual = sorted(steps)[int(LIMITS.usual * (len(steps) - 1))]
        wide = [start + number for number, step in enumerate(steps, start=1) if step > LIMITS.wide_step * usual]
        if len(wide) < LIMITS.most_parts:
            yield from _cut(run, wide)


def _cut(run: Run, cuts: list[int]) -> Iterator[Run]:
    """Yield the parts of a run between some of its rows; without cuts nothing."""
    if cuts:
        ends = [run[0], *cuts, run[1]]
        yield from ((first, last) for first, last in pairwise(ends) if last - first > 1)


def _text_of(lines: list[Line], row: LineRow) -> str:
    return " ".join([lines[index].text for index in row.indices])

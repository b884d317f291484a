"""Runs of rows that may be a table by their text alone: rows of several segments, and the text around a band."""

from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.tables.regions.view import LineRow, find_rows
from quire.models.extract.layout.text.order import find_crossed_gutter


@dataclass(frozen=True, slots=True)
class TextRunLimits:
    """Limits of runs.

    `singles`: maximum of consecutive one-segment rows inside a run. `tail`: lines of a last cell are closer (ems).
    `side`: how far (points) a line may exceed the sides of a band. `band_gap`: rows around a band are closer (ems).
    """

    singles: int = 4
    tail: float = 1.45
    side: float = 6.0
    band_gap: float = 2.6
    most_columns: int = 4
    """Maximum columns of a page that are searched for runs separately."""
    gaps: tuple[float, ...] = (1.9, 2.6, 4.0)
    """Rows further apart than this (in ems) end a run; one set of runs for each."""


LIMITS = TextRunLimits()
GAPS = LIMITS.gaps

Run = tuple[int, int]


def find_runs(rows: list[LineRow], gap: float) -> list[Run]:
    """Return stretches (start, end) of rows at most `gap` apart that begin and end with rows of several segments."""
    runs: list[Run] = []
    start = 0
    while start < len(rows):
        if rows[start].segments < 2:
            start += 1
            continue
        last = _find_last(rows, start, gap)
        if last > start:
            runs.append((start, last + 1))
        start = last + 1
    return runs


def _find_last(rows: list[LineRow], start: int, gap: float) -> int:
    last, singles = start, 0
    for index in range(start + 1, len(rows)):
        if not _is_near(rows[index - 1], rows[index], gap):
            break
        if rows[index].segments > 1:
            last, singles = index, 0
        else:
            singles += 1
            if singles > LIMITS.singles:
                break
    return last


def _is_near(above: LineRow, below: LineRow, gap: float) -> bool:
    return below.base - above.base <= gap * max(above.size, below.size)


def vary_run(rows: list[LineRow], run: Run, gap: float) -> list[Run]:
    """Return the run and variants: without its first or last row, with the row above, with lines of a last cell."""
    start, end = run
    out = [run]
    if end - start > 2:
        out += [(start + 1, end), (start, end - 1)]
    if start > 0 and _is_near(rows[start - 1], rows[start], gap):
        out.append((start - 1, end))
    tail = end
    while (
        tail < len(rows)
        and rows[tail].segments < 2
        and tail - end < LIMITS.singles
        and _is_near(rows[tail - 1], rows[tail], LIMITS.tail)
    ):
        tail += 1
    if tail > end:
        out.append((start, tail))
    return out


def indices_of(rows: list[LineRow], run: Run) -> tuple[int, ...]:
    """Return the indices of the lines in a run, ascending."""
    return tuple(sorted([index for row in rows[run[0] : run[1]] for index in row.indices]))


def find_text_columns(lines: list[Line], rows: list[LineRow]) -> list[list[LineRow]]:
    """Return the rows of every text column of the page; empty if there is only one.

    Lines across a gutter are left out.
    """
    upright = [line for row in rows for line in (lines[index] for index in row.indices)]
    number = {id(line): index for index, line in enumerate(lines)}
    parts = [upright]
    done: list[list[Line]] = []
    while parts and len(parts) + len(done) < LIMITS.most_columns:
        part = parts.pop(0)
        gutter = find_crossed_gutter(part)
        if gutter is None:
            done.append(part)
        else:
            parts += [[line for line in part if line.x1 <= gutter], [line for line in part if line.x0 >= gutter]]
    done += parts
    if len(done) < 2:
        return []
    out: list[list[LineRow]] = []
    for part in done:
        own = find_rows(part)
        for row in own:
            row.indices = [number[id(part[index])] for index in row.indices]
        out.append(own)
    return out


def run_around(
    lines: list[Line], rows: list[LineRow], x0: float, x1: float, top: float, bottom: float, *, up: bool
) -> tuple[int, ...]:
    """Return the lines in a band from `top` to `bottom` and in rows that follow it closely, between its sides."""
    inside: list[int] = []
    low, size = bottom, 0.0
    blocked = False
    for row in rows:
        if row.base < top - 1 or row.x1 < x0 or row.x0 > x1:
            continue
        own, crosses = _cut_row(lines, row, x0, x1)
        if row.base - 0.3 * row.size <= bottom:
            inside += own
            size = max(size, row.size)
            low = max(low, row.base)
            continue
        if not own and not crosses:
            continue
        blocked = crosses or row.base - low > LIMITS.band_gap * max(size, row.size)
        if blocked:
            break
        inside += own
        low, size = row.base, row.size
    if up:
        inside += _run_above(lines, rows, x0, x1, top)
    return tuple(sorted(set(inside)))


def row_above(lines: list[Line], rows: list[LineRow], box: Bbox) -> list[int]:
    """Return the lines of the row right above a box between its sides: headers over the first rule."""
    x0, y0, x1, _ = box
    for row in reversed(rows):
        if row.base > y0 + 1 or row.x1 < x0 or row.x0 > x1:
            continue
        own, crosses = _cut_row(lines, row, x0, x1)
        is_near = y0 - row.base <= LIMITS.band_gap * row.size
        return own if len(own) > 1 and not crosses and is_near else []
    return []


def _run_above(lines: list[Line], rows: list[LineRow], x0: float, x1: float, top: float) -> list[int]:
    inside: list[int] = []
    high = top
    for row in reversed(rows):
        if row.base > top - 1 or row.x1 < x0 or row.x0 > x1:
            continue
        own, crosses = _cut_row(lines, row, x0, x1)
        if not own and not crosses:
            continue
        if crosses or high - row.base > LIMITS.band_gap * row.size:
            break
        inside += own
        high = row.base
    return inside


def _cut_row(lines: list[Line], row: LineRow, x0: float, x1: float) -> tuple[list[int], bool]:
    """Return the lines of the row between the sides, and whether one exceeds them."""
    own: list[int] = []
    crosses = False
    for index in row.indices:
        line = lines[index]
        if line.x1 <= x0 or line.x0 >= x1:
            continue
        if line.x0 < x0 - LIMITS.side or line.x1 > x1 + LIMITS.side:
            crosses = True
        else:
            own.append(index)
    return own, crosses

"""Build candidate tables of a page's proposals: grids with alternative column and row boundaries."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.models.extract.core.bands import Band, cut_bands
from quire.models.extract.core.build import build_grid
from quire.models.extract.core.columns import CHANNEL, open_columns, ruled_columns
from quire.models.extract.core.grid import Grid
from quire.models.extract.core.marks import RuledRegion
from quire.models.extract.core.words import TextRow, gather_rows
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.layout.lines.pieces import merge_pieces
from quire.models.extract.layout.tables.continuation import group_rows
from quire.models.extract.layout.tables.open import find_open_grids
from quire.models.extract.layout.tables.regions.drawn import cell_columns
from quire.models.extract.layout.tables.regions.view import PageView, lines_within
from quire.models.extract.layout.tables.ruled import build_ruled_grid, has_bars
from quire.models.extract.layout.text.captions import stands_captioned
from quire.models.extract.layout.text.order import order_lines


@dataclass(frozen=True, slots=True)
class CandidateLimits:
    """Limits for building the grids of a region."""

    framed_channel: float = 1.6
    """If every row is framed, blanks wider than this (ems) separate columns; narrower ones are inside a cell."""
    same_column: float = 4.0
    """Points: columns that start so near each other are the same."""
    least_bands: int = 3
    """Bands between rules that make a table whose rows the rules part."""
    loose_rows: float = 1.5
    """With more text rows a band than this, rules do not part the rows: they are folded as well."""
    most_words: int = 6000
    """Words of a region; one with more is a page of text, and its grids would take too long."""
    most_columns: int = 60
    """Columns of a grid; one with more is the letters of a spaced line."""


LIMITS = CandidateLimits()

MODES = ("gates", "ruled", "ruled-folded", "cells", "open")
"""Methods by which the columns (and rows) of a grid were found, in the order of their features."""


@dataclass(slots=True)
class Candidate:
    """A finished candidate table; `indices` are its lines in the page's view.

    `agrees` (0..1): similarity of its number of rows to that of the row forest; `sure` is the forest's certainty.
    `by_forest`: its rows are the forest's.
    """

    indices: tuple[int, ...]
    region: RuledRegion
    rows: list[TextRow]
    grid: Grid
    mode: str
    makers: set[str] = field(default_factory=set)
    agrees: float = 1.0
    sure: float = 1.0
    by_forest: bool = False


def find_gated(view: PageView) -> list[Candidate]:
    """Return the tables that pass strict gates: grids, tables with a few rules, aligned rows of figures."""
    number = {id(line): index for index, line in enumerate(view.lines)}
    out: list[Candidate] = []
    lines = view.lines
    for region in view.ruled_regions():
        inside = lines_within(lines, region.box)
        if len(inside) < 3:
            continue
        rows = gather_rows([word for line in inside for word in view.words_of(line)])
        grid = build_ruled_grid(region, rows, view.marks, captioned=stands_captioned(region.box, lines))
        if grid is None:
            continue
        indices = tuple(sorted(number[id(line)] for line in inside))
        out.append(Candidate(indices, region, rows, grid, "gates"))
        taken = {id(line) for line in inside}
        lines = [line for line in lines if id(line) not in taken]
    out += _find_gated_open(view, lines, number)
    return out + [
        other
        for candidate in out
        for other in _regroup(candidate, cut_bands(candidate.region, candidate.rows), is_grid=False)
    ]


def find_chart_lines(view: PageView) -> set[int]:
    """Return the indices of lines between the gridlines of charts with bars."""
    if not view.marks.fills:
        return set()
    number = {id(line): index for index, line in enumerate(view.lines)}
    charts = [region for region in view.ruled_regions() if has_bars(region, view.marks)]
    return {number[id(line)] for region in charts for line in lines_within(view.lines, region.box)}


def _find_gated_open(view: PageView, lines: list[Line], number: dict[int, int]) -> list[Candidate]:
    if sum(row.segments > 1 for row in view.rows) < 3:
        return []
    out: list[Candidate] = []
    ordered = merge_pieces(order_lines([line for line in lines if line.upright], view.marks.orders))
    for inside, grid, rows in find_open_grids(ordered, view.words_of):
        indices = tuple(sorted(number[id(part)] for line in inside for part in line.parts or (line,)))
        out.append(Candidate(indices, view.region_of(indices), rows, grid, "gates"))
    return out


def build_candidates(view: PageView, indices: tuple[int, ...]) -> list[Candidate]:
    """Return the distinct grids of some lines."""
    lines = [view.lines[index] for index in indices]
    words = [word for line in lines for word in view.words_of(line)]
    if not 4 <= len(words) <= LIMITS.most_words:
        return []
    region = view.region_of(indices)
    rows = gather_rows(words)
    if len(rows) < 2:
        return []
    cut = cut_bands(region, rows)
    out: list[Candidate] = []
    for mode, columns, is_grid in _find_layouts(view, region, rows):
        grid = build_grid(_copy(cut), columns, region, is_grid=is_grid)
        candidate = Candidate(indices, region, rows, grid, mode)
        regrouped = _regroup(candidate, cut, is_grid=is_grid, columns=columns)
        if len(grid.rows) > 1 and _has_columns(grid):
            out.append(candidate)
        out += regrouped
    return out


def _copy(bands: list[Band]) -> list[Band]:
    return [Band(band.top, band.bottom, band.rows, band.partial) for band in bands]


def _regroup(
    candidate: Candidate, cut: list[Band], *, is_grid: bool, columns: list[float] | None = None
) -> list[Candidate]:
    """Return the candidate with the row forest's rows if their number differs, and record how well the two agree."""
    rows, region = candidate.rows, candidate.region
    columns = columns or list(candidate.grid.columns)
    body = cut[1:] if candidate.grid.header_rows and candidate.mode != "gates" else cut
    if not columns or all([len(band.rows) < 2 for band in body]):
        return []
    known = group_rows(rows, columns, region)
    starts = {id(group[0]) for group in known.groups}
    candidate.sure = known.sure
    if candidate.mode != "gates" and _count_rows(candidate.grid, body, starts) == len(candidate.grid.rows):
        return []
    grid = build_grid(_copy(cut), columns, region, is_grid=is_grid, starts=starts)
    count, other = len(candidate.grid.rows), len(grid.rows)
    candidate.agrees = min(count, other) / max(count, other, 1)
    if other == count or other < 2 or not _has_columns(grid):
        return []
    mode = "open" if candidate.mode == "gates" else candidate.mode
    return [Candidate(candidate.indices, region, rows, grid, mode, sure=known.sure, by_forest=True)]


def _has_columns(grid: Grid) -> bool:
    """Return True for text in two columns; framed blocks of code or text below each other fill only one."""
    return len({slot.col for row in grid.rows for slot in row if slot.words}) > 1


def _count_rows(grid: Grid, body: list[Band], starts: set[int]) -> int:
    """Return the number of grid rows if printed rows below each band's first start a row only where known."""
    return grid.header_rows + sum([1 + sum([id(row) in starts for row in band.rows[1:]]) for band in body])


def _find_layouts(view: PageView, region: RuledRegion, rows: list[TextRow]) -> Iterator[tuple[str, list[float], bool]]:
    """Yield (mode, columns, whether rules separate the rows) of every grid to build."""
    seen: list[list[float]] = []
    ruled = ruled_columns(region)
    bands = region.levels - 1
    if ruled:
        seen.append(ruled)
        if bands >= LIMITS.least_bands or len(rows) <= LIMITS.loose_rows * bands:
            yield "ruled", ruled, True
        if len(rows) > LIMITS.loose_rows * bands:
            yield "ruled-folded", ruled, False
    cells = cell_columns(view, region) if view.fills else []
    is_framed = bool(ruled) and bands >= len(rows) and _is_boxed(region)
    channel = LIMITS.framed_channel if is_framed else CHANNEL
    for mode, columns in (("cells", cells), ("open", open_columns(rows, channel))):
        if columns and len(columns) <= LIMITS.most_columns and not any(_are_same(columns, other) for other in seen):
            seen.append(columns)
            yield mode, columns, mode == "cells" and len(rows) <= LIMITS.loose_rows * bands


def _is_boxed(region: RuledRegion) -> bool:
    x0, _, x1, _ = region.box
    sides = [rule.x0 for rule in region.verticals]
    return any(abs(x - x0) < 3 for x in sides) and any(abs(x - x1) < 3 for x in sides)


def _are_same(columns: list[float], other: list[float]) -> bool:
    return len(columns) == len(other) and all(
        abs(a - b) < LIMITS.same_column for a, b in zip(columns, other, strict=True)
    )

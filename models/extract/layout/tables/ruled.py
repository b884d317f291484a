"""Build tables from ruled regions: full grids, half-ruled tables, tables with rules above and below the header only."""

import re
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.core.bands import column_at, cut_bands, find_levels, row_middle, spans_columns
from quire.models.extract.core.build import build_grid
from quire.models.extract.core.columns import open_columns, ruled_columns
from quire.models.extract.core.grid import Grid
from quire.models.extract.core.marks import Fill, RuledRegion
from quire.models.extract.core.words import TextRow
from quire.models.extract.layout.lines.marks import PageMarks


@dataclass(frozen=True, slots=True)
class RuledGridLimits:
    """Limits that separate tables from forms, charts and frames around text."""

    filled_share: float = 0.3
    """Share of the cells that hold text in a table; a frame with less is a form or a drawing."""
    prose_words: int = 4
    """Words of a row of one segment that is prose; columns whose rows mostly have as many are columns of text."""
    bars: int = 3
    """Filled bars inside one region that make it a chart."""
    crossed_share: float = 0.15
    """Maximum share of the rows that cross columns; with more, the columns are accidental."""


LIMITS = RuledGridLimits()
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?")


def build_ruled_grid(
    region: RuledRegion, rows: list[TextRow], marks: PageMarks, *, captioned: bool = False
) -> Grid | None:
    """Return the grid of a region, or None if its text is not tabular. With a caption two rules suffice."""
    columns = ruled_columns(region)
    is_grid = bool(columns)
    if not is_grid:
        columns = open_columns(rows)
        if (
            _is_prose(rows, columns)
            or _is_crossed(rows, columns)
            or (region.levels < 3 and not captioned and not _is_tabular(rows))
        ):
            return None
    if not columns or is_contents(rows) or is_chart(region, rows, marks):
        return None
    grid = build_grid(cut_bands(region, rows), columns, region, is_grid=is_grid)
    return grid if is_table(grid) else None


def _is_prose(rows: list[TextRow], columns: list[float]) -> bool:
    """Return True for columns of running text, which rules above and below do not make a table."""
    if len(rows) < 6 or len(columns) > 2:
        return False
    by_column: dict[int, list[int]] = {}
    for row in rows:
        for segment in row.segments:
            by_column.setdefault(column_at(segment.x0 + 0.5, columns), []).append(len(segment.words))
    return all(
        sum(count >= LIMITS.prose_words for count in counts) > 0.6 * len(counts) for counts in by_column.values()
    )


def _is_crossed(rows: list[TextRow], columns: list[float]) -> bool:
    """Return True if many rows are one sentence across all columns, so that aligned pieces elsewhere are accidental."""
    alone = [row.segments[0] for row in rows if len(row.segments) == 1 and len(row.words) > LIMITS.prose_words]
    crossing = sum(spans_columns(segment.x0, segment.x1, columns) for segment in alone)
    return crossing > max(1.0, LIMITS.crossed_share * len(rows))


def _is_tabular(rows: list[TextRow]) -> bool:
    """Return True for several rows of short texts side by side."""
    several = [row for row in rows if len(row.segments) > 1]
    lengths = [sum(len(word.text) + 1 for word in segment.words) for row in several for segment in row.segments]
    return len(rows) > 2 and len(several) >= 0.4 * len(rows) and sum(lengths) < 30 * len(lengths)


def is_contents(rows: list[TextRow]) -> bool:
    """Return True for titles with page numbers that never decrease: a list of contents, or one after the other."""
    entries = [row for row in rows if len(row.segments) > 1]
    numbers = [row.words[-1].text for row in entries]
    if len(numbers) < 4 or len(numbers) < 0.6 * len(rows) or any(len(row.segments) > 3 for row in rows):
        return False
    if not all(number.isdecimal() for number in numbers):
        return False
    if sum(row.words[0].text[:1].isdigit() and len(row.words) < 3 for row in rows) > 0.5 * len(rows):
        return False
    keys = [row.words[0].text for row in entries]
    is_numbered = sum(bool(_SECTION.fullmatch(key)) for key in keys) > 0.6 * len(rows)
    falls = [key for key, (page, other) in zip(keys[1:], pairwise(map(int, numbers)), strict=True) if other < page]
    return (int(numbers[-1]) > 9 or is_numbered) and all(is_numbered and key.rstrip(".") == "1" for key in falls)


def is_chart(region: RuledRegion, rows: list[TextRow], marks: PageMarks) -> bool:
    """Return True for gridlines: levels with little text between them, texts struck by them, or bars across them."""
    levels = [y for y, _ in find_levels(region.horizontals)]
    if len(levels) < 4:
        return False
    spaces = [(top, bottom) for top, bottom in pairwise(levels) if bottom - top > 4]
    empty = sum(not any(top < row_middle(row) < bottom for row in rows) for top, bottom in spaces)
    struck = sum(any(row.top + 1.5 < y < row.base - 1.5 for y in levels) for row in rows)
    return empty > 0.3 * len(spaces) or struck > 0.25 * len(rows) or _count_bars(region, levels, marks) >= LIMITS.bars


def has_bars(region: RuledRegion, marks: PageMarks) -> bool:
    """Return whether bars start at the lowest rule of a region, each with its own height, and some cross rules above.

    Shaded columns of a table begin in the same row.
    """
    levels = [y for y, _ in find_levels(region.horizontals)]
    tops = {round(fill.y0) for fill in _narrow_fills(region, marks) if any(abs(fill.y1 - y) < 2 for y in levels[-1:])}
    return len(tops) >= LIMITS.bars and _count_bars(region, levels, marks) > 0


def _count_bars(region: RuledRegion, levels: list[float], marks: PageMarks) -> int:
    """Return the number of narrow shaded areas that cross the region's rules; shading of cells does not cross rules."""
    return sum(any(fill.y0 + 2 < y < fill.y1 - 2 for y in levels) for fill in _narrow_fills(region, marks))


def _narrow_fills(region: RuledRegion, marks: PageMarks) -> list[Fill]:
    """Return shaded areas within the sides of a region that are narrow enough for a bar."""
    x0, _, x1, _ = region.box
    most = 0.4 * (x1 - x0)
    return [fill for fill in marks.fills if x0 <= fill.x0 and fill.x1 <= x1 and fill.x1 - fill.x0 < most]


def is_table(grid: Grid) -> bool:
    """Return True for at least two rows and columns with enough filled cells."""
    slots = [slot for row in grid.rows for slot in row]
    filled = sum(bool(slot.words) for slot in slots)
    wide = sum(sum(bool(slot.words) for slot in row) > 1 for row in grid.rows)
    return len(grid.rows) > 1 and grid.width > 1 and filled >= LIMITS.filled_share * len(slots) and wide >= 1

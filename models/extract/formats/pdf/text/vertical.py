"""Vertical Chinese and Japanese text whose glyphs are placed one by one in a font for horizontal text."""

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from quire.models.cdom.visible import is_wide
from quire.models.extract.formats.pdf.text.text_lines import ASCENT, DESCENT, box_turned_line
from quire.models.extract.layout.lines.marks import DOWNWARDS, Line


@dataclass(frozen=True, slots=True)
class VerticalLimits:
    """When single glyphs form a column. Distances in sizes of their type."""

    least_glyphs: int = 6
    """Single glyphs of a page with vertical text."""
    least_in_column: int = 3
    """Glyphs of a column that proves vertical text."""
    aligned: float = 0.25
    """By which the middles of a column's glyphs may differ."""
    widest_step: float = 2.2
    """Largest distance of two glyphs of a column: one full-width blank between them."""
    longest_part: int = 3
    """Characters of a number set upright within a column."""
    apart: float = 1.15
    """Columns are at least this many times as far apart as the glyphs of one."""


LIMITS = VerticalLimits()


def join_vertical(lines: list[Line]) -> list[Line]:
    """Return the lines with each column of single glyphs as one line that runs down."""
    singles = [line for line in lines if len(line.text) == 1 and line.upright and is_wide(line.text)]
    if len(singles) < LIMITS.least_glyphs:
        return lines
    parts = [line for line in lines if line.upright and len(line.text) <= LIMITS.longest_part]
    columns = [column for column in _find_columns(parts) if _is_column(column)]
    if not columns or not _are_apart(columns):
        return lines
    first = {id(column[0]): column for column in columns}
    gone = {id(line) for column in columns for line in column}
    return [
        _make_line(first[id(line)]) if id(line) in first else line
        for line in lines
        if id(line) in first or id(line) not in gone
    ]


def _find_columns(parts: list[Line]) -> list[list[Line]]:
    """Return the glyphs below each other as columns, from top to bottom."""
    open_columns: list[list[Line]] = []
    for line in sorted(parts, key=lambda part: part.base):
        middle = line.x0 + line.x1
        above = next(
            (
                column
                for column in open_columns
                if abs(column[-1].x0 + column[-1].x1 - middle) <= 2 * LIMITS.aligned * line.size
                and abs(column[-1].size - line.size) <= 0.1 * line.size
                and 0.5 * line.size < line.base - column[-1].base <= LIMITS.widest_step * line.size
            ),
            None,
        )
        if above is None:
            open_columns.append([line])
        else:
            above.append(line)
    return open_columns


def _is_column(column: list[Line]) -> bool:
    """Return whether most of a column's parts are Chinese or Japanese."""
    return len(column) >= LIMITS.least_in_column and 2 * sum(is_wide(line.text) for line in column) > len(column)


def _are_apart(columns: list[list[Line]]) -> bool:
    """Return whether the glyphs of each column are closer to each other than to the next column."""
    step = median(below.base - above.base for column in columns for above, below in pairwise(column))
    middles = sorted((column[0].x0 + column[0].x1) / 2 for column in columns)
    distances = [right - left for left, right in pairwise(middles) if right - left > LIMITS.aligned * step]
    return not distances or min(distances) > LIMITS.apart * step


def _make_line(column: list[Line]) -> Line:
    first, size = column[0], column[0].size
    middle, top, bottom = (first.x0 + first.x1) / 2, first.y0, column[-1].y1
    baseline = middle - (ASCENT - DESCENT) / 2 * size
    left, _, right, _ = box_turned_line((first.x0, top, first.x1, bottom), (baseline, top), size, DOWNWARDS)
    text = "".join(line.text for line in column)
    line = Line(left, top, right, bottom, bottom, size, text, first.font)
    line.bold, line.color, line.tall = first.bold, first.color, size
    line.upright, line.turn, line.reach = False, DOWNWARDS, (top, bottom)
    return line

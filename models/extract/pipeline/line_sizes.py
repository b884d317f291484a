"""Even type sizes of recognised lines, because a text detector draws boxes of unequal heights around equal type."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from statistics import median_low

from quire.models.extract.layout.lines.marks import Line

ASCENT, SIZE = 0.78, 0.95
"""Baseline and type size as shares of the height of a recognised line's box."""
_ALIKE = 1.3
"""Most ratio of the heights of two boxes around type of one size: a heading in larger type keeps its own."""
_REACH = 3.2
"""Heights of the line within which lines of its column are compared with it."""
_LEAST_PEERS = 2
"""Lines that a median needs more of."""


def even_sizes(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with the median height of the lines in equal type around them, in the same column.

    The middle of a box varies less than its edges, so the box grows or shrinks on both sides.
    """
    order = sorted(range(len(lines)), key=lambda index: _middle(lines[index]))
    middles = [_middle(lines[index]) for index in order]
    evened = list(lines)
    for index, line in enumerate(lines):
        reach = _REACH * (line.y1 - line.y0)
        first = bisect_left(middles, _middle(line) - reach)
        last = bisect_left(middles, _middle(line) + reach)
        heights = [other.y1 - other.y0 for other in (lines[i] for i in order[first:last]) if _is_peer(line, other)]
        if len(heights) > _LEAST_PEERS:
            evened[index] = _resize(line, median_low(heights))
    return evened


def _middle(line: Line) -> float:
    return (line.y0 + line.y1) / 2


def _is_peer(line: Line, other: Line) -> bool:
    """Return whether two lines (or one line itself) are in one column and in type of about the same size."""
    heights = sorted((line.y1 - line.y0, other.y1 - other.y0))
    shared = min(line.x1, other.x1) - max(line.x0, other.x0)
    return heights[1] <= _ALIKE * heights[0] and shared > 0.5 * min(line.x1 - line.x0, other.x1 - other.x0)


def _resize(line: Line, height: float) -> Line:
    top = _middle(line) - height / 2
    return replace(line, base=top + ASCENT * height, size=round(SIZE * height, 1))

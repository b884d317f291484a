"""Reading order by recursive cuts (XY-cut, Nagy & Seth 1984): column gutters first, else the widest blank band.

Takes anything with a box; knows nothing about what the pieces mean.
"""

from collections.abc import Sequence

from models.extract.layout.marks import Line

GUTTER_WIDTH = 0.5
"""Least width of a column gutter, in line heights."""
_SIDE_LINES = 3
_SIDE_CHARS = 12
_DEEPEST = 60


def order_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines in reading order."""
    if len(lines) < 2:
        return list(lines)
    out: list[Line] = []
    _cut(sorted(lines, key=_top), out, 0)
    return out


def _top(line: Line) -> tuple[float, float]:
    return (line.y0, line.x0)


def _cut(lines: list[Line], out: list[Line], depth: int) -> None:
    """Append `lines` (sorted by top) in reading order."""
    if len(lines) < 2 or depth > _DEEPEST or _is_stack(lines):
        out.extend(_by_baseline(lines))
        return
    gutter = _find_gutter(lines)
    if gutter is not None:
        _cut([line for line in lines if line.x1 <= gutter], out, depth + 1)
        _cut([line for line in lines if line.x1 > gutter], out, depth + 1)
        return
    at = _find_band(lines)
    if at is None:
        out.extend(_by_baseline(lines))
        return
    _cut(lines[:at], out, depth + 1)
    _cut(lines[at:], out, depth + 1)


def _is_stack(lines: list[Line]) -> bool:
    """True when no line stands beside another one."""
    low = lines[0].y1
    for line in lines[1:]:
        if line.y0 < low - 0.4 * (line.y1 - line.y0):
            return False
        low = max(low, line.y1)
    return True


def _by_baseline(lines: list[Line]) -> list[Line]:
    """Left to right on each baseline (baselines within half a line count as one), top to bottom."""
    lines = sorted(lines, key=lambda line: line.base)
    out: list[Line] = []
    row: list[Line] = []
    for line in lines:
        if row and line.base - row[0].base > 0.5 * max(line.size, row[0].size):
            out.extend(sorted(row, key=lambda one: one.x0))
            row = []
        row.append(line)
    out.extend(sorted(row, key=lambda one: one.x0))
    return out


def _find_gutter(lines: list[Line]) -> float | None:
    """The x of the widest blank column with real text on both sides."""
    if len(lines) < 2 * _SIDE_LINES:
        return None
    by_left = sorted(lines, key=lambda line: line.x0)
    sizes = sorted(line.size for line in lines)
    least = GUTTER_WIDTH * sizes[len(sizes) // 2]
    right, best, at, chars = by_left[0].x1, 0.0, None, 0
    total = sum(len(line.text) for line in lines)
    for count, line in enumerate(by_left):
        gap = line.x0 - right
        if gap > max(best, least) and _is_text(count, chars) and _is_text(len(lines) - count, total - chars):
            best, at = gap, right + gap / 2
        chars += len(line.text)
        right = max(right, line.x1)
    return at


def _is_text(count: int, chars: int) -> bool:
    return count >= _SIDE_LINES and chars > _SIDE_CHARS * count


def _find_band(lines: list[Line]) -> int | None:
    """Index of the line below the widest blank band (lines are sorted by top)."""
    low, best, at = lines[0].y1, 0.0, None
    for index, line in enumerate(lines):
        if index and line.y0 - low > best:
            best, at = line.y0 - low, index
        low = max(low, line.y1)
    return at

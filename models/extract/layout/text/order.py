"""Reading order by recursive cuts (XY-cut, Nagy & Seth 1984): column gutters first, else the widest blank band.

Takes anything with a box; knows nothing about what the pieces mean.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import attrgetter

from models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class OrderLimits:
    """What makes columns, and how deep a page is cut."""

    gutter_width: float = 0.5
    """Least width of a column gutter, in line heights."""
    side_lines: int = 3
    """Least lines of a column beside another."""
    side_chars: int = 12
    """Mean characters of a line of a column; shorter ones are labels."""
    crossed: float = 0.15
    """Most of the lines that may run across a gutter which is cut around them."""
    overhang: float = 1.5
    """Ems by which a line may stick out of its column into the text of the next."""
    overlap: float = 0.3
    """In line heights: so much of two lines may overlap that still stand one above the other."""
    foot_lines: int = 4
    """Most lines of the foot of one column, below a gap."""
    foot_gap: float = 3.0
    """In line heights: the gap above the foot of one column."""
    lines_on: int = 3
    """Lines of text over a float, or reaching into its box, that make it their background."""
    reach: float = 0.5
    """Ems of a line inside that box at least."""
    deepest: int = 60
    """Cuts within cuts: deeper pages are hostile and end in plain order."""


LIMITS = OrderLimits()
GUTTER_WIDTH = LIMITS.gutter_width


KnownOrders = dict[tuple[tuple[float, ...], ...], list[int]]
"""By all that the order follows from: the places of the lines in it. Tables and text ask for that of the same lines."""


def order_lines(lines: Sequence[Line], known: KnownOrders | None = None) -> list[Line]:
    """The lines in reading order; `known` are orders found before, to which this one is added."""
    if len(lines) < 2:
        return list(lines)
    if known is None:
        return _order(lines)
    places = tuple([(one.x0, one.y0, one.x1, one.y1, one.base, one.size, len(one.text)) for one in lines])
    found = known.get(places)
    if found is not None:
        return [lines[at] for at in found]
    out, number = _order(lines), {id(line): at for at, line in enumerate(lines)}
    known[places] = [number[id(line)] for line in out]
    return out


def _order(lines: Sequence[Line]) -> list[Line]:
    out: list[Line] = []
    _cut(sorted(lines, key=_top), out, 0)
    return out


def order_with_floats(lines: Sequence[Line], floats: Sequence[Line], known: KnownOrders | None = None) -> list[Line]:
    """The lines and the stand-ins of floats in reading order; `known` as for `order_lines`.

    What lies behind text (a picture under a slide's columns) parts nothing: it comes before the first line on it.
    """
    behind = [one for one in floats if _is_behind(one, lines)]
    if not behind:
        return order_lines([*lines, *floats], known)
    grounds = {id(one) for one in behind}
    out = order_lines([*lines, *(one for one in floats if id(one) not in grounds)])
    for one in behind:
        out.insert(next(at for at, line in enumerate(out) if line.text and _touches(line, one)), one)
    return out


def _is_behind(ground: Line, lines: Sequence[Line]) -> bool:
    """True for a float with text on it, and for one between two columns of which one reaches into its box."""
    beside = [line for line in lines if line.text and ground.y0 <= (line.y0 + line.y1) / 2 <= ground.y1]
    if sum(_lies_on(line, ground) for line in beside) >= LIMITS.lines_on:
        return True
    sides = sum(line.x0 < ground.x0 for line in beside), sum(line.x1 > ground.x1 for line in beside)
    return min(sides) >= LIMITS.lines_on and sum(_touches(line, ground) for line in beside) >= LIMITS.lines_on


def _lies_on(line: Line, ground: Line) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return bool(line.text) and ground.x0 <= x <= ground.x1 and ground.y0 <= y <= ground.y1


def _touches(line: Line, ground: Line) -> bool:
    """True for text that reaches into the box of a float, half an em at least."""
    across = min(line.x1, ground.x1) - max(line.x0, ground.x0)
    return across > LIMITS.reach * line.size and ground.y0 <= (line.y0 + line.y1) / 2 <= ground.y1


_left, _right, _base = attrgetter("x0"), attrgetter("x1"), attrgetter("base")


def _top(line: Line) -> tuple[float, float]:
    return (line.y0, line.x0)


def _cut(lines: list[Line], out: list[Line], depth: int) -> None:
    """Append `lines` (sorted by top) in reading order."""
    if len(lines) < 2 or depth > LIMITS.deepest or _is_stack(lines):
        out.extend(_by_baseline(lines))
        return
    gutter = _find_gutter(lines)
    foot = _find_foot(lines, gutter) if gutter is not None else None
    if foot is not None:
        _cut(lines[:foot], out, depth + 1)
        _cut(lines[foot:], out, depth + 1)
        return
    if gutter is not None:
        _cut([line for line in lines if line.x1 <= gutter], out, depth + 1)
        _cut([line for line in lines if line.x1 > gutter], out, depth + 1)
        return
    crossed = find_crossed_gutter(lines) if len(lines) > 2 * LIMITS.side_lines else None
    if crossed is not None and _is_overhung(lines, crossed):
        _cut([line for line in lines if line.x0 < crossed], out, depth + 1)
        _cut([line for line in lines if line.x0 >= crossed], out, depth + 1)
        return
    at = None if crossed is None else _find_span(lines, crossed)
    if at is None:
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
        if line.y1 > low:
            low = line.y1
    return True


def _by_baseline(lines: list[Line]) -> list[Line]:
    """Left to right on each baseline (baselines within half a line count as one), top to bottom."""
    if len(lines) < 2:
        return lines
    lines = sorted(lines, key=_base)
    out: list[Line] = []
    row: list[Line] = []
    for line in lines:
        if row and line.base - row[0].base > 0.5 * max(line.size, row[0].size):
            out.extend(sorted(row, key=_left) if len(row) > 1 else row)
            row = []
        row.append(line)
    out.extend(sorted(row, key=_left) if len(row) > 1 else row)
    return out


def _find_gutter(lines: list[Line]) -> float | None:
    """The x of the widest blank column with real text on both sides."""
    if len(lines) < 2 * LIMITS.side_lines:
        return None
    by_left = sorted(lines, key=_left)
    sizes = sorted([line.size for line in lines])
    least = GUTTER_WIDTH * sizes[len(sizes) // 2]
    usual = sizes[(len(sizes) - 1) // 2] or 1.0
    if not _has_gap(by_left, max(0.0, least)):
        return None
    right, best, at, chars = by_left[0].x1, max(0.0, least), None, 0.0
    total = sum([_width(line, usual) for line in lines])
    for count, line in enumerate(by_left):
        gap = line.x0 - right
        if gap > best and _is_text(count, chars) and _is_text(len(lines) - count, total - chars):
            best, at = gap, right + gap / 2
        chars += _width(line, usual)
        if line.x1 > right:
            right = line.x1
    return at


def _has_gap(by_left: list[Line], least: float) -> bool:
    """True for a blank column wider than that; most cuts have none, and need not be weighed."""
    right = by_left[0].x1
    for line in by_left:
        if line.x0 - right > least:
            return True
        if line.x1 > right:
            right = line.x1
    return False


def _width(line: Line, usual: float) -> float:
    """Characters of the usual size that would be as wide: a column of large type is text with few of its own."""
    return len(line.text) * max(1.0, line.size / usual)


def _find_foot(lines: list[Line], gutter: float) -> int | None:
    """Index of the few lines far below both columns, on the left only: a note, a page number; they end the page."""
    first = max(1, len(lines) - LIMITS.foot_lines)
    low = max(0.0, *[line.y1 for line in lines[:first]])
    for index in range(first, len(lines)):
        line = lines[index]
        if line.y0 - low > LIMITS.foot_gap * line.size and all([one.x1 <= gutter for one in lines[index:]]):
            return index
        low = max(low, line.y1)
    return None


def _is_overhung(lines: list[Line], gutter: float) -> bool:
    """True when the lines across the gutter only stick out of their column: a long word, with text beside it."""
    right = [line for line in lines if line.x0 > gutter]
    edge = min(line.x0 for line in right)
    return all(
        line.x1 - edge < LIMITS.overhang * line.size and any(_overlap_halfway(line, other) for other in right)
        for line in lines
        if line.x0 < gutter < line.x1
    )


def _overlap_halfway(a: Line, b: Line) -> bool:
    """True for lines side by side: half of the lower one."""
    return 2 * (min(a.y1, b.y1) - max(a.y0, b.y0)) > min(a.y1 - a.y0, b.y1 - b.y0)


def _find_span(lines: list[Line], gutter: float) -> int | None:
    """Where to cut off the few lines (a title, a table) that run across an otherwise blank gutter.

    The widest blank band may lie inside the columns, where their paragraphs happen to end side by side.
    """
    crossing = [line.x0 < gutter < line.x1 for line in lines]
    first = crossing.index(True)
    at = _row_start(lines, first)
    if not at:
        at = next((index for index, is_one in enumerate(crossing) if index > first and not is_one), len(lines))
    above, below = lines[:at], lines[at:]
    if not below or max(line.y1 for line in above) > min(line.y0 for line in below) + LIMITS.overlap * below[0].size:
        return None
    return at


def _row_start(lines: list[Line], at: int) -> int:
    """Index of the first piece of the line there: its number or a word of another script may stand apart before it."""
    while at and _are_one_line(lines[at - 1], lines[at]):
        at -= 1
    return at


def _are_one_line(a: Line, b: Line) -> bool:
    """True for pieces side by side on one baseline, with no more than a blank between them."""
    gap = max(a.x0, b.x0) - min(a.x1, b.x1)
    return abs(a.base - b.base) < LIMITS.overlap * b.size and gap < GUTTER_WIDTH * b.size


def find_crossed_gutter(lines: list[Line]) -> float | None:
    """The x that fewest lines run across, between two columns of text."""
    if not lines:
        return None
    sizes = sorted([line.size for line in lines])
    least = GUTTER_WIDTH * sizes[len(sizes) // 2]
    most = max(1, int(LIMITS.crossed * len(lines)))
    by_left, by_right = sorted(lines, key=_left), sorted(lines, key=_right)
    lefts, rights = [line.x0 for line in by_left], [line.x1 for line in by_right]
    chars_left: list[int] | None = None
    chars_right: list[int] = []
    best, at = (most + 1, 0.0), None
    for x, following in pairwise(sorted(lefts + rights)):
        gap = following - x
        if gap <= least:
            continue
        covered = bisect_right(lefts, x) - bisect_right(rights, x)
        if 0 < covered <= most and (covered, -gap) < best:
            middle = x + gap / 2
            before, start = bisect_left(rights, middle), bisect_right(lefts, middle)
            if min(before, len(lefts) - start) < LIMITS.side_lines:
                continue
            if chars_left is None:
                chars_left, chars_right = _sum_chars(by_right), _sum_chars(by_left)
            if _is_text(before, chars_left[before]) and _is_text(
                len(lefts) - start, chars_right[-1] - chars_right[start]
            ):
                best, at = (covered, -gap), middle
    return at


def _sum_chars(lines: list[Line]) -> list[int]:
    """The number of characters of the first 0, 1, 2 ... lines."""
    return [0, *accumulate(len(line.text) for line in lines)]


def _is_text(count: int, chars: float) -> bool:
    return count >= LIMITS.side_lines and chars > LIMITS.side_chars * count


def _find_band(lines: list[Line]) -> int | None:
    """Index of the line below the widest blank band (lines are sorted by top)."""
    low, best, at = lines[0].y1, 0.0, None
    for index, line in enumerate(lines):
        if index and line.y0 - low > best:
            best, at = line.y0 - low, index
        if line.y1 > low:
            low = line.y1
    return at

"""Reading order by recursive cuts (XY-cut, Nagy & Seth 1984): column gutters first, else the widest blank band.

Takes anything with a box; knows nothing about what the pieces mean.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import attrgetter

from quire.models.cdom.visible import is_wide
from quire.models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class OrderLimits:
    """Thresholds for columns, and the depth of cuts."""

    gutter_width: float = 0.5
    """Minimum width of a column gutter, in line heights."""
    side_lines: int = 3
    """Minimum lines of each of two adjacent columns."""
    side_chars: int = 12
    """Minimum mean characters of the lines of a column; shorter lines are labels."""
    crossed: float = 0.15
    """Maximum share of lines that may cross a gutter."""
    overhang: float = 1.5
    """Maximum distance (in ems) by which a line may extend into the next column."""
    overlap: float = 0.3
    """Maximum overlap (in line heights) of two lines of which one is above the other."""
    foot_lines: int = 4
    """Maximum lines of the foot of one column, below a gap."""
    foot_gap: float = 3.0
    """Minimum gap (in line heights) above the foot of one column."""
    sheet_gap: float = 5.0
    """Minimum gap (in line heights) between the pages of a sheet with several."""
    sheet_title: float = 1.15
    """Minimum size of their titles, relative to the line below."""
    lines_on: int = 3
    """Minimum lines of text over a float, or reaching into its box, that make it their background."""
    reach: float = 0.5
    """Minimum length (in ems) of a line inside that box."""
    deepest: int = 60
    """Maximum depth of nested cuts; deeper pages are hostile and are read in plain order."""


LIMITS = OrderLimits()
GUTTER_WIDTH = LIMITS.gutter_width


KnownOrders = dict[tuple[tuple[float, ...], ...], list[int]]
"""Orders by the positions of their lines, which determine the order; tables and text need that of the same lines."""


def order_lines(lines: Sequence[Line], known: KnownOrders | None = None) -> list[Line]:
    """Return the lines in reading order; `known` holds earlier orders and receives this one."""
    if len(lines) < 2:
        return list(lines)
    if known is None:
        return _order(lines)
    places = tuple([(line.x0, line.y0, line.x1, line.y1, line.base, line.size, len(line.text)) for line in lines])
    order = known.get(places)
    if order is not None:
        return [lines[index] for index in order]
    out, number = _order(lines), {id(line): index for index, line in enumerate(lines)}
    known[places] = [number[id(line)] for line in out]
    return out


def _order(lines: Sequence[Line]) -> list[Line]:
    out: list[Line] = []
    _cut(sorted(lines, key=_top), out, 0)
    return out


def order_with_floats(lines: Sequence[Line], floats: Sequence[Line], known: KnownOrders | None = None) -> list[Line]:
    """Return the lines and the placeholders of floats in reading order; `known` as for `order_lines`.

    A float behind text (a picture under a slide's columns) separates nothing: it comes before the first line on it.
    """
    behind = [ground for ground in floats if _is_behind(ground, lines)]
    if not behind:
        return order_lines([*lines, *floats], known)
    grounds = {id(ground) for ground in behind}
    out = order_lines([*lines, *(ground for ground in floats if id(ground) not in grounds)])
    for ground in behind:
        covers = (index for is_on in (_touches, _lies_on) for index, line in enumerate(out) if is_on(line, ground))
        out.insert(next((index for index in covers if out[index].text), len(out)), ground)
    return out


def _is_behind(ground: Line, lines: Sequence[Line]) -> bool:
    """Return True for a float with text on it, or between two columns of which one reaches into its box."""
    beside = [line for line in lines if line.text and ground.y0 <= (line.y0 + line.y1) / 2 <= ground.y1]
    if sum(_lies_on(line, ground) for line in beside) >= LIMITS.lines_on:
        return True
    sides = sum(line.x0 < ground.x0 for line in beside), sum(line.x1 > ground.x1 for line in beside)
    return min(sides) >= LIMITS.lines_on and sum(_touches(line, ground) for line in beside) >= LIMITS.lines_on


def _lies_on(line: Line, ground: Line) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return bool(line.text) and ground.x0 <= x <= ground.x1 and ground.y0 <= y <= ground.y1


def _touches(line: Line, ground: Line) -> bool:
    """Return True for text that reaches into the box of a float by at least half an em."""
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
    band = _find_sheet(lines, gutter) if gutter is not None else None
    if band is not None:
        _cut(lines[:band], out, depth + 1)
        _cut(lines[band:], out, depth + 1)
        return
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
    split = None if crossed is None else _find_span(lines, crossed)
    if split is None:
        split = _find_band(lines)
    if split is None:
        out.extend(_by_baseline(lines))
        return
    _cut(lines[:split], out, depth + 1)
    _cut(lines[split:], out, depth + 1)


def _is_stack(lines: list[Line]) -> bool:
    """Return True when no two lines are side by side."""
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
    """Return the x of the widest blank column with real text on both sides.

    Characters in large type count as many of the usual size as are as wide.
    """
    if len(lines) < 2 * LIMITS.side_lines:
        return None
    by_left = sorted(lines, key=_left)
    sizes = sorted([line.size for line in lines])
    least = GUTTER_WIDTH * sizes[len(sizes) // 2]
    usual = sizes[(len(sizes) - 1) // 2] or 1.0
    if not _has_gap(by_left, max(0.0, least)):
        return None
    right, best, middle, chars = by_left[0].x1, max(0.0, least), None, 0.0
    widths = [
        (len(line.text) if line.text.isascii() else _count_chars(line.text))
        * (line.size / usual if line.size > usual else 1.0)
        for line in by_left
    ]
    total = sum(widths)
    for count, line in enumerate(by_left):
        gap = line.x0 - right
        if gap > best and _is_text(count, chars) and _is_text(len(lines) - count, total - chars):
            best, middle = gap, right + gap / 2
        chars += widths[count]
        if line.x1 > right:
            right = line.x1
    return middle


def _count_chars(text: str) -> int:
    """Return the characters of a text; those of Chinese and Japanese count twice, as they say more."""
    return 2 * len(text) if is_wide(text) else len(text)


def _find_sheet(lines: list[Line], gutter: float) -> int | None:
    """Return the index of the first line of the lower pages of a sheet with four: titles level above both columns."""
    band = _find_band(lines)
    if band is None or lines[band].y0 - max(line.y1 for line in lines[:band]) < LIMITS.sheet_gap * lines[band].size:
        return None
    tops: list[Line] = []
    for part in (lines[:band], lines[band:]):
        sides = [line for line in part if line.x1 <= gutter], [line for line in part if line.x1 > gutter]
        if min(map(len, sides)) < LIMITS.side_lines:
            return None
        if any(side[0].size < LIMITS.sheet_title * max(line.size for line in side[1:]) for side in sides):
            return None
        tops += [side[0] for side in sides]
    left, right, *lower = tops
    is_level = abs(left.y0 - right.y0) < 1 and abs(lower[0].y0 - lower[1].y0) < 1
    is_alike = is_level and all(abs(top.size - left.size) < 1 for top in tops)
    return band if is_alike and not left.text[:1].isdigit() else None


def _has_gap(by_left: list[Line], least: float) -> bool:
    """Return True when a blank column is wider than `least`; most cuts have none and need no weighing."""
    right = by_left[0].x1
    for line in by_left:
        if line.x0 - right > least:
            return True
        if line.x1 > right:
            right = line.x1
    return False


def _find_foot(lines: list[Line], gutter: float) -> int | None:
    """Index of the few lines far below both columns, on the left only: a note, a page number; they end the page."""
    first = max(1, len(lines) - LIMITS.foot_lines)
    low = max(0.0, *[line.y1 for line in lines[:first]])
    for index in range(first, len(lines)):
        line = lines[index]
        if line.y0 - low > LIMITS.foot_gap * line.size and all([lower.x1 <= gutter for lower in lines[index:]]):
            return index
        low = max(low, line.y1)
    return None


def _is_overhung(lines: list[Line], gutter: float) -> bool:
    """Return True when the lines across the gutter only overhang their column: a long word next to text."""
    right = [line for line in lines if line.x0 > gutter]
    edge = min(line.x0 for line in right)
    return all(
        line.x1 - edge < LIMITS.overhang * line.size and any(_overlap_halfway(line, other) for other in right)
        for line in lines
        if line.x0 < gutter < line.x1
    )


def _overlap_halfway(a: Line, b: Line) -> bool:
    """Return True for lines side by side that share half of the lower one's height."""
    return 2 * (min(a.y1, b.y1) - max(a.y0, b.y0)) > min(a.y1 - a.y0, b.y1 - b.y0)


def _find_span(lines: list[Line], gutter: float) -> int | None:
    """Return the cut for the few lines (a title, a table) that run across an otherwise blank gutter.

    The widest blank band may be inside the columns, where their paragraphs happen to end side by side.
    """
    crossing = [line.x0 < gutter < line.x1 for line in lines]
    first = crossing.index(True)
    cut = _row_start(lines, first)
    if not cut:
        cut = next((index for index, is_one in enumerate(crossing) if index > first and not is_one), len(lines))
    above, below = lines[:cut], lines[cut:]
    if not below or max(line.y1 for line in above) > min(line.y0 for line in below) + LIMITS.overlap * below[0].size:
        return None
    return cut


def _row_start(lines: list[Line], index: int) -> int:
    """Index of the first piece of the line there: its number or a word of another script may stand apart before it."""
    while index and _are_one_line(lines[index - 1], lines[index]):
        index -= 1
    return index


def _are_one_line(a: Line, b: Line) -> bool:
    """Return True for pieces side by side on one baseline, at most a blank apart."""
    gap = max(a.x0, b.x0) - min(a.x1, b.x1)
    return abs(a.base - b.base) < LIMITS.overlap * b.size and gap < GUTTER_WIDTH * b.size


def find_crossed_gutter(lines: list[Line]) -> float | None:
    """Return the x that fewest lines cross, between two columns of text."""
    if not lines:
        return None
    sizes = sorted([line.size for line in lines])
    least = GUTTER_WIDTH * sizes[len(sizes) // 2]
    most = max(1, int(LIMITS.crossed * len(lines)))
    by_left, by_right = sorted(lines, key=_left), sorted(lines, key=_right)
    lefts, rights = [line.x0 for line in by_left], [line.x1 for line in by_right]
    chars_left: list[int] | None = None
    chars_right: list[int] = []
    best, position = (most + 1, 0.0), None
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
                best, position = (covered, -gap), middle
    return position


def _sum_chars(lines: list[Line]) -> list[int]:
    """Return the number of characters of the first 0, 1, 2 ... lines."""
    return [0, *accumulate([len(line.text) for line in lines])]


def _is_text(count: int, chars: float) -> bool:
    return count >= LIMITS.side_lines and chars > LIMITS.side_chars * count


def _find_band(lines: list[Line]) -> int | None:
    """Index of the line below the widest blank band (lines are sorted by top)."""
    low, best, band = lines[0].y1, 0.0, None
    for index, line in enumerate(lines):
        if index and line.y0 - low > best:
            best, band = line.y0 - low, index
        if line.y1 > low:
            low = line.y1
    return band

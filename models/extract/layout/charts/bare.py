"""Scales of charts without an axis: bars on one base whose lengths are proportional to the numbers printed at them."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, replace

from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import ChartMark, Drawn, Label, MarkKind
from quire.models.extract.layout.charts.plots import Plot
from quire.models.extract.layout.charts.series import Bar, make_bar, outline_of


@dataclass(frozen=True, slots=True)
class BareLimits:
    """When printed numbers are a scale; shares unless points or ems are named."""

    least_bar: float = 3.0
    """Points: thickness."""
    narrowest: float = 1.5
    """Points: length of a bar; a shorter one is a rule."""
    same_thickness: float = 0.8
    """Points by which the bars of one scale differ."""
    labelled: float = 0.6
    """Bars that have a number."""
    fitting: float = 0.75
    """Numbers that are proportional to their bars."""
    off: float = 0.025
    """Deviation of a length, relative to the longest."""
    digit: float = 0.6
    """Deviation in units of the number's last digit."""
    most_numbers: int = 250
    """More are a table."""
    longest: float = 12.0
    """Points: least length of the longest bar."""
    at_end: float = 1.8
    """Ems between a bar's end and its number."""
    in_middle: float = 0.7
    """The same between their middles, for segments of a stack."""
    beside: float = 0.2
    """Ems beyond the thickness of a horizontal bar in which its number is."""
    above: float = 0.6
    """The same for an upright bar, above which numbers are wider than the bar."""


LIMITS = BareLimits()
Pair = tuple[float, Label, Bar]
"""Length and number of a bar."""


@dataclass(slots=True)
class BareScale:
    """A plot whose axis was made of printed numbers; `is_middle`: these are in the middle of their bars."""

    plot: Plot
    is_middle: bool


def find_bare_scales(drawn: Drawn, samples: set[int], *, is_flipped: bool) -> Iterable[BareScale]:
    """Yield the scales of bars outside known charts, the one with most bars first."""
    numbers = [label for label in drawn.labels if label.number is not None]
    marks = (
        [mark for mark in drawn.marks if _may_be_bar(mark, samples)] if 3 <= len(numbers) <= LIMITS.most_numbers else []
    )
    rects = list({outline_of(mark): mark for mark in reversed(marks)}.values())[::-1]
    ends: dict[tuple[int, int], list[ChartMark]] = {}
    for mark in rects:
        for side, end in enumerate((mark.y0, mark.y1)):
            for place in {round(end / 2), round(end / 2 + 0.5)}:
                ends.setdefault((side, place), []).append(mark)
    used: set[int] = set()
    for (side, _), group in sorted(ends.items(), key=lambda item: -len(item[1])):
        thick = statistics.median(mark.width for mark in group)
        group = [mark for mark in group if abs(mark.width - thick) < LIMITS.same_thickness and id(mark) not in used]
        if len(group) < 3:
            continue
        base = statistics.median(mark.y1 if side else mark.y0 for mark in group)
        bars = [make_bar(mark, base) for mark in group]
        bars = [bar for bar in bars if abs(bar.near - base) < 1]
        scale = _find_scale(bars, base, thick, rects, numbers, is_flipped=is_flipped) if len(bars) >= 3 else None
        if scale is not None:
            used.update(map(id, group))
            yield scale


def _may_be_bar(mark: ChartMark, samples: set[int]) -> bool:
    is_filled = mark.kind in (MarkKind.BAR, MarkKind.AREA, MarkKind.DOT) and not mark.stroked and not mark.is_white
    is_large = mark.width >= LIMITS.least_bar and mark.height > LIMITS.narrowest
    return is_filled and is_large and id(mark.origin) not in samples and mark.alpha > LIMITS.off


def _find_scale(
    bars: list[Bar], base: float, thick: float, rects: list[ChartMark], numbers: list[Label], *, is_flipped: bool
) -> BareScale | None:
    best: list[Pair] = []
    best_factor, is_middle = 0.0, False
    for middle in (False, True):
        pairs = [
            (abs(bar.far - base), label, bar)
            for bar in bars
            if (label := _find_number(bar, thick, numbers, is_middle=middle, is_flipped=is_flipped)) is not None
        ]
        longest = max((length for length, _, _ in pairs), default=0.0)
        is_enough = len(pairs) >= max(3, LIMITS.labelled * len(bars)) and longest >= LIMITS.longest
        if not is_enough or len({round(length) for length, _, _ in pairs}) < 2:
            continue
        factor = statistics.median(abs(_value(label)) / length for length, label, _ in pairs if length > 1)
        fitting = [
            (length, label, bar)
            for length, label, bar in pairs
            if abs(abs(_value(label)) - factor * length)
            < max(LIMITS.off * factor * longest, LIMITS.digit * (label.number.step if label.number else 1))
        ]
        is_fit = len(fitting) >= max(3, LIMITS.fitting * len(pairs)) and factor > 0
        if is_fit and len({_value(label) for _, label, _ in fitting}) >= 3 and len(fitting) > len(best):
            best, best_factor, is_middle = fitting, factor, middle
    if not best:
        return None
    longest = max(length for length, _, _ in best)
    first = best[0][2]
    is_up = first.far < first.near
    if is_middle:
        strips = {(round(bar.mark.x0), round(bar.mark.x1)) for _, _, bar in best}
        above = [mark for mark in rects if (round(mark.x0), round(mark.x1)) in strips]
        longest = max([longest, *((base - mark.y0) if is_up else (mark.y1 - base) for mark in above)])
    slope = -best_factor if is_up else best_factor
    top = base - longest if is_up else base + longest
    places = sorted((base, top))
    left, right = min(bar.mark.x0 for *_, bar in best) - thick, max(bar.mark.x1 for *_, bar in best) + thick
    label = replace(best[0][1], source=best[0][1].origin)
    values = [slope * (place - base) for place in places]
    axis = Axis([label], places, values, False, slope, -slope * base, left - 2, left - 1, is_ticked=True)
    return BareScale(Plot(axis, left, right, margin=3), is_middle)


def _value(label: Label) -> float:
    return label.number.value if label.number is not None else 0.0


def _find_number(bar: Bar, thick: float, numbers: list[Label], *, is_middle: bool, is_flipped: bool) -> Label | None:
    """Return the number at the end or in the middle of a bar."""
    best: tuple[float, Label] | None = None
    away, middle = 1 if bar.far > bar.near else -1, bar.middle
    for label in numbers:
        reach = thick / 2 + (LIMITS.beside if is_flipped else LIMITS.above) * label.size
        if abs((label.x0 + label.x1) / 2 - middle) > reach:
            continue
        half = (label.y1 - label.y0) / 2 if is_flipped else 0
        distance = (label.center[1] - bar.far) * away
        distance = abs(distance - half if distance > 0 else distance + half)
        if is_middle:
            distance = abs(label.center[1] - bar.mark.center[1])
        limit = (LIMITS.in_middle if is_middle else LIMITS.at_end) * label.size
        if distance < limit and (best is None or distance < best[0]):
            best = (distance, label)
    return best[1] if best else None

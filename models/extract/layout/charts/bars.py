"""Bars: which rectangles stand on the base or on each other, and to which category each belongs."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import ChartMark, MarkKind, cluster, group_alike, is_near, looks_like
from quire.models.extract.layout.charts.names import Categories, Entry, find_entry
from quire.models.extract.layout.charts.plots import Plot
from quire.models.extract.layout.charts.series import Bar, Series, Value, ValueKind, make_bar, outline_of


@dataclass(frozen=True, slots=True)
class BarLimits:
    """Distances in points, shares otherwise."""

    widest: float = 0.62
    """Share of the plot's width."""
    narrowest: float = 1.2
    """Thickness of a bar; a thinner one is a tick or gridline."""
    invisible: float = 0.05
    """Opacity of a bar that is not seen."""
    lowest: float = 0.25
    """Height from which a bar is one: 0 has none."""
    on_base: float = 1.3
    """Distance of a bar's end from the base."""
    on_bar: float = 1.1
    """Distance of a bar's end from that of the bar below it."""
    gap: float = 7.0
    """The same for bars that are drawn apart."""
    in_strip: float = 0.8
    """Share of its thickness by which a bar is over the one below it."""
    same_edge: float = 0.3
    """Distance of the edges of two bars in one strip: makers round places to a third of a point."""
    thickness: float = 0.12
    """Difference of the bars' thickness, relative to their median."""
    same_thickness: float = 0.8
    """The same for thin bars, in points: one pixel of a browser."""
    flat: float = 0.03
    """Share of the axis that the longest bar must have."""
    wider: float = 0.25
    """Part of a bar's thickness by which a gap between groups is wider than within."""
    meets_zero: float = 0.6
    """Ems between the bars' base and the 0 of an axis without ticks."""


LIMITS = BarLimits()


def find_bars(plot: Plot, marks: list[ChartMark], samples: set[int]) -> tuple[list[Bar], float | None]:
    """Return the bars of a plot and their base, on which the axis' zero is moved."""
    axis = plot.axis
    seen: dict[tuple[int, int, int, int], ChartMark] = {}
    for mark in marks:
        is_visible = not mark.is_white and mark.alpha > LIMITS.invisible and id(mark.origin) not in samples
        if mark.kind is MarkKind.BAR and is_visible and LIMITS.narrowest < mark.width < LIMITS.widest * plot.width:
            seen.setdefault(outline_of(mark), mark)
    rects = _cut_covered(list(seen.values()))
    if len(rects) >= 3:
        thick = statistics.median(mark.width for mark in rects)
        rects += [
            mark
            for mark in marks
            if mark.kind in (MarkKind.DOT, MarkKind.AREA)
            and not mark.stroked
            and id(mark.origin) not in samples
            and abs(mark.width - thick) < LIMITS.widest
            and any(is_near(mark.color, rect.color) for rect in rects)
        ]
    if not rects:
        return [], None
    base = _find_base(rects, axis)
    pool = [mark for mark in rects if mark.height > LIMITS.lowest]
    on_base = [mark for mark in pool if min(abs(mark.y0 - base), abs(mark.y1 - base)) < LIMITS.on_base]
    bars = _stack([make_bar(mark, base) for mark in on_base], [mark for mark in pool if mark not in on_base])
    if not bars:
        return [], base
    thick = statistics.median(bar.mark.width for bar in bars)
    reach = max(LIMITS.same_thickness, LIMITS.thickness * thick)
    bars = [bar for bar in bars if abs(bar.mark.width - thick) < reach]
    lengths = [abs(bar.far - bar.near) for bar in bars]
    is_chart = (
        len(bars) >= 3
        and len(pool) <= 2 * len(bars)
        and len({round(length) for length in lengths}) > 1
        and max(lengths) > LIMITS.flat * (axis.bottom - axis.top)
    )
    return (bars if is_chart else []), base


def _cut_covered(rects: list[ChartMark]) -> list[ChartMark]:
    """Cut the part of a bar that a bar of another colour, painted later on the same strip, covers."""
    cut = []
    for index, mark in enumerate(rects):
        top, bottom = mark.y0, mark.y1
        for later in rects[index + 1 :]:
            is_strip = abs(later.x0 - mark.x0) < LIMITS.same_edge and abs(later.x1 - mark.x1) < LIMITS.same_edge
            if not is_strip or is_near(mark.color, later.color) or later.alpha < 1 - LIMITS.invisible:
                continue
            if top < later.y0 < bottom - LIMITS.invisible and later.y1 >= bottom:
                bottom = later.y0
            elif top + LIMITS.invisible < later.y1 < bottom and later.y0 <= top:
                top = later.y1
        cut.append(mark if (top, bottom) == (mark.y0, mark.y1) else mark.cut(top, bottom))
    return cut


def _find_base(rects: list[ChartMark], axis: Axis) -> float:
    """Return the height on which most bars stand; where it is 0, the axis is moved so that it is exactly 0."""
    ends: dict[int, list[float]] = {}
    for mark in rects:
        for end in (mark.y0, mark.y1):
            ends.setdefault(round(end), []).append(end)
    levels = [statistics.median(own) for own in ends.values()]
    tops, bottoms = [mark.y0 for mark in rects], [mark.y1 for mark in rects]
    levels.sort(key=lambda level: -sum(abs(end - level) < 1 for end in (*tops, *bottoms)))
    zero = axis.zero
    if zero is None:
        tick = min(axis.places, key=lambda place: abs(place - levels[0]))
        if abs(tick - levels[0]) < (1 if axis.is_ticked else LIMITS.meets_zero * axis.size):
            axis.start += axis.slope * (tick - levels[0])
        return levels[0]
    reach = 1.0 if axis.is_ticked else LIMITS.meets_zero * axis.size
    base = next((level for level in levels if abs(level - zero) < reach), None)
    if base is None:
        return zero
    axis.start = -axis.slope * base
    return base


def _stack(bars: list[Bar], rest: list[ChartMark]) -> list[Bar]:
    """Return the bars with those that stand on others."""
    grew = True
    while grew and rest:
        grew = False
        for mark in list(rest):
            below = next((bar for bar in bars if _stands_on(mark, bar)), None)
            if below is not None:
                is_down = below.far > below.near
                bars.append(Bar(mark, *((mark.y0, mark.y1) if is_down else (mark.y1, mark.y0)), below.level + 1))
                rest.remove(mark)
                grew = True
    return bars


def _stands_on(mark: ChartMark, bar: Bar) -> bool:
    shared = min(bar.mark.x1, mark.x1) - max(bar.mark.x0, mark.x0)
    if shared <= LIMITS.in_strip * max(mark.width, bar.mark.width):
        return False
    gap = abs((mark.y0 if bar.far > bar.near else mark.y1) - bar.far)
    is_apart = gap < min(LIMITS.gap, mark.height / 2, abs(bar.far - bar.near) / 2 + 1) and mark.height > gap + 1
    is_strip = abs(bar.mark.x0 - mark.x0) < LIMITS.same_edge and not is_near(mark.color, bar.mark.color)
    return gap < LIMITS.on_bar or (is_apart and is_strip)


@dataclass(slots=True)
class Slots:
    """Places of the categories, and whether colours are series. `is_stacked`: some bars stand on others."""

    places: list[float]
    is_colored: bool
    is_stacked: bool


def find_slots(bars: list[Bar], legend: Sequence[Entry]) -> Slots:
    """Give each bar the slot of its group, and return the slots. Bars are put in order, in place."""
    bars.sort(key=lambda bar: bar.middle)
    looks = [group[0] for group in group_alike(bar.mark for bar in bars)]
    thick = bars[0].mark.width
    centers = cluster((bar.middle for bar in bars), max(LIMITS.same_thickness, LIMITS.same_edge * thick))
    is_single = len(centers) == len(bars)
    named = sum(find_entry(look, legend) is not None for look in looks)
    is_colored = len(looks) > 1 and not (is_single and len(looks) >= len(bars) - 1 and named < len(looks))
    is_stacked = any(bar.level for bar in bars)
    if not (is_colored and is_single and not is_stacked):
        for bar in bars:
            bar.slot = min(range(len(centers)), key=lambda index: abs(centers[index] - bar.middle))
        return Slots(centers, is_colored, is_stacked)
    gaps = [after.mark.x0 - before.mark.x1 for before, after in pairwise(bars)]
    groups = [[bars[0]]]
    for bar, gap in zip(bars[1:], gaps, strict=True):
        is_wide = gap > min(gaps) + max(1, LIMITS.wider * thick)
        if is_wide or any(looks_like(bar.mark, other.mark) for other in groups[-1]):
            groups.append([bar])
        else:
            groups[-1].append(bar)
    for index, group in enumerate(groups):
        for bar in group:
            bar.slot = index
    return Slots([statistics.mean(bar.middle for bar in group) for group in groups], is_colored, is_stacked)


def name_slots(bars: list[Bar], slots: Slots, found: Categories) -> list[str]:
    """Return the name of each slot; bars move to the closest category if then none has a colour twice."""
    if slots.is_colored and not slots.is_stacked and len(found.names) >= 2:
        nearest = [
            min(range(len(found.places)), key=lambda index: abs(found.places[index] - bar.middle)) for bar in bars
        ]
        looks = group_alike(bar.mark for bar in bars)
        pairs = {
            (slot, next(index for index, group in enumerate(looks) if looks_like(group[0], bar.mark)))
            for slot, bar in zip(nearest, bars, strict=True)
        }
        if len(pairs) == len(bars):
            for slot, bar in zip(nearest, bars, strict=True):
                bar.slot = slot
            slots.places = found.places
            return found.names
    places = slots.places
    if len(found.names) == len(places):
        return found.names
    names = [""] * len(places)
    reach = max(6, min((after - before for before, after in pairwise(places)), default=99) / 2 + 1)
    for name, place in zip(found.names, found.places, strict=True):
        index = min(range(len(places)), key=lambda index: abs(places[index] - place))
        if abs(places[index] - place) < reach:
            names[index] = f"{names[index]} {name}".strip()
    return names


def make_series(bars: list[Bar], slots: Slots, axis: Axis) -> list[Series]:
    """Return a series for each colour; in stacks, the value of a bar is its own length."""
    groups = group_alike(bar.mark for bar in bars) if slots.is_colored else [[bars[0].mark]]
    series = [Series(group[0], axis) for group in groups]
    for bar in bars:
        own = next((item for item in series if looks_like(item.look, bar.mark)), series[0])
        value = axis.value(bar.far)
        stands_on_zero = axis.zero is not None and abs(axis.value(bar.near)) < LIMITS.flat * axis.span
        if bar.level or (slots.is_stacked and stands_on_zero):
            value -= axis.value(bar.near)
        own.values[bar.slot] = Value(value, bar.mark.box, ValueKind.BAR)
    return series

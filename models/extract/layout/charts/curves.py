"""Lines, filled areas and dots: values of each at the places of the categories."""

from dataclasses import dataclass
from itertools import pairwise

from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import COLORS, ChartMark, MarkKind, Point, group_alike, is_near
from quire.models.extract.layout.charts.plots import Plot
from quire.models.extract.layout.charts.series import Series, Value, ValueKind, is_small_square


@dataclass(frozen=True, slots=True)
class CurveLimits:
    """Distances in points, shares otherwise."""

    shortest: float = 0.2
    """Share of the plot's width that a line covers."""
    narrowest_area: float = 0.25
    """The same for an area."""
    least: float = 12.0
    """Width and height of a line, added; a smaller one is a tick or a part of a letter."""
    back: float = 0.3
    """Step back along the categories that a line may make."""
    forward: float = 0.97
    """Least share of its steps that go forward."""
    on_point: float = 1.2
    """Distance of a point of the line from the place of a category."""
    near_dot: float = 3.0
    """The same for dots without a line."""
    near_end: float = 4.0
    """The same for the ends of a line."""
    inside: tuple[float, ...] = (0.0, 0.02, -0.02, 0.6, -0.6)
    """Offsets at which an area is cut, for steep edges."""
    least_height: float = 0.05
    """Difference of the heights of an area at its categories; a flat one is a background."""
    most_areas: int = 12
    """Areas of a plot; more are a picture."""
    outline: float = 0.12
    """Difference of the colours of an area and its outline."""


LIMITS = CurveLimits()


@dataclass(slots=True, eq=False)
class Curve:
    """A line by the points that it states (`ends`) and by all its points; dots without a line have `is_dotted`."""

    look: ChartMark
    ends: list[Point]
    points: list[Point]
    is_dotted: bool = False

    def find_height(self, x: float) -> float | None:
        """Return the height at x: of the closest stated point, else between two points."""
        near = min(self.ends, key=lambda point: abs(point[0] - x))
        distance = abs(near[0] - x)
        if distance < LIMITS.on_point:
            return near[1]
        if self.is_dotted:
            return near[1] if distance < LIMITS.near_dot else None
        for (ax, ay), (bx, by) in pairwise(self.points):
            if ax <= x <= bx and bx > ax:
                return ay + (by - ay) * (x - ax) / (bx - ax)
        return near[1] if distance < LIMITS.near_end else None


def find_curves(plot: Plot, marks: list[ChartMark], dots: list[ChartMark]) -> list[Curve]:
    """Return lines that run over a part of the plot; pieces between dots stop short of them, so the dots count."""
    lines = [
        mark
        for mark in marks
        if mark.kind is MarkKind.LINE and mark.width + mark.height > LIMITS.least and not mark.is_white
    ]
    curves = []
    for group in group_alike(lines):
        ordered = sorted(group, key=lambda mark: mark.x0)
        ends = [point for mark in ordered for point in mark.ends]
        points = [point for mark in ordered for point in mark.points]
        own = sorted({dot.center for dot in dots if is_near(dot.color, group[0].color)})
        if len(own) >= 3 and len(group) >= 2:
            ends = points = own
        if ends[0][0] > ends[-1][0]:
            ends, points = ends[::-1], points[::-1]
        xs = [x for x, _ in ends]
        forward = sum(after >= before - LIMITS.back for before, after in pairwise(xs))
        if max(xs) - min(xs) >= LIMITS.shortest * plot.width and forward >= LIMITS.forward * (len(xs) - 1):
            curves.append(Curve(group[0], ends, points))
    return curves


def find_dots(marks: list[ChartMark]) -> list[ChartMark]:
    """Return the dots; small squares are dots if there are three."""
    dots = [mark for mark in marks if mark.kind is MarkKind.DOT and not mark.is_white]
    squares = [mark for mark in marks if is_small_square(mark) and not mark.is_white]
    return dots + squares if len(squares) >= 3 else dots


def group_dots(dots: list[ChartMark]) -> list[list[ChartMark]]:
    """Return three or more dots of one look at different places."""
    groups = []
    for group in group_alike(dots):
        places = {(round(dot.center[0] * 4), round(dot.center[1] * 4)): dot for dot in reversed(group)}
        if len(places) >= 3:
            groups.append(list(places.values())[::-1])
    return groups


def make_dotted(group: list[ChartMark]) -> Curve:
    """Return dots as a curve."""
    points = sorted(dot.center for dot in group)
    return Curve(group[0], points, points, is_dotted=True)


def find_areas(plot: Plot, marks: list[ChartMark]) -> list[ChartMark]:
    """Return the filled areas; more than a dozen are a map or a drawing."""
    areas = [
        mark
        for mark in marks
        if mark.kind is MarkKind.AREA
        and not mark.is_white
        and mark.width > LIMITS.narrowest_area * plot.width
        and len(mark.ends) >= 4
    ]
    return areas if len(areas) <= LIMITS.most_areas else []


def without_outlines(curves: list[Curve], areas: list[ChartMark]) -> list[Curve]:
    """Return the curves that do not outline an area."""
    return [
        curve for curve in curves if not any(is_near(curve.look.color, area.color, LIMITS.outline) for area in areas)
    ]


def read_curve(curve: Curve, places: list[float], axis: Axis) -> Series:
    """Return the values of a curve at the places."""
    series = Series(curve.look, axis)
    kind = ValueKind.DOT if curve.is_dotted else ValueKind.LINE
    for index, x in enumerate(places):
        y = curve.find_height(x)
        if y is not None:
            series.values[index] = Value(axis.value(y), (x - 1, y - 1, x + 1, y + 1), kind)
    return series


def read_area(area: ChartMark, places: list[float], axis: Axis) -> Series:
    """Return the values of an area: its height if the axis has a zero, else its upper edge."""
    series = Series(area, axis)
    for index, x in enumerate(places):
        cut = _cut_area(area.ends, x)
        if cut is not None:
            top, bottom = cut
            value = axis.value(top) - (axis.value(bottom) if axis.zero is not None else 0)
            series.values[index] = Value(value, (x - 1, top, x + 1, bottom), ValueKind.AREA)
    return series


def _cut_area(points: list[Point], x: float) -> Point | None:
    """Return the heights between which a filled shape is at x; a steep edge at x counts from its inner side."""
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    if not left - 1 <= x <= right + 1:
        return None
    for offset in LIMITS.inside:
        place = min(max(x + offset, left + LIMITS.inside[1] / 2), right - LIMITS.inside[1] / 2)
        heights = [
            ay + (by - ay) * (place - ax) / (bx - ax)
            for (ax, ay), (bx, by) in zip(points[-1:] + points[:-1], points, strict=True)
            if ax <= place < bx or bx <= place < ax
        ]
        if len(heights) >= 2 and max(heights) - min(heights) > LIMITS.least_height:
            return min(heights), max(heights)
    return None


def choose_axis(curve: Curve, axis: Axis, second: Axis | None, *, is_last: bool, has_bars: bool) -> tuple[Axis, bool]:
    """Return the axis of a curve, and whether its colour says so; else it is the right one next to bars or if last."""
    tolerance = COLORS.named[1]
    if second is None or is_near(curve.look.color, second.color, tolerance):
        return second or axis, True
    if is_near(curve.look.color, axis.color, tolerance) and max(axis.color) - min(axis.color) > LIMITS.outline:
        return axis, True
    return (second if has_bars or is_last else axis), False

"""The area of an axis' plot, panels that share the axis, and what is drawn inside."""

from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import ChartMark, Drawn, MarkKind


@dataclass(frozen=True, slots=True)
class PlotLimits:
    """Places of a plot, in points and in steps of its axis."""

    least: float = 40.0
    """Shortest gridline, and narrowest panel."""
    reach: float = 32.0
    """Greatest distance between an axis and its plot."""
    beyond: float = 1.05
    """Steps of the axis by which the plot may go beyond its last numbers."""
    panel: float = 0.12
    """Difference of the widths of panels, relative to the first."""
    far: float = 400.0
    """Farthest mark of a plot without gridlines and frame."""


LIMITS = PlotLimits()
_MARKS = (MarkKind.BAR, MarkKind.LINE, MarkKind.AREA, MarkKind.DOT)


@dataclass(slots=True)
class Plot:
    """An axis and the area of its marks, which go beyond its numbers by `margin` points.

    `panel` counts the panels that share the axis.
    """

    axis: Axis
    left: float
    right: float
    panel: int = 0
    margin: float | None = None

    def __post_init__(self) -> None:
        if self.margin is None:
            self.margin = LIMITS.beyond * self.axis.step + 2

    @property
    def top(self) -> float:
        """Return the highest place of a mark."""
        return self.axis.top - (self.margin or 0)

    @property
    def bottom(self) -> float:
        """Return the lowest place of a mark."""
        return self.axis.bottom + (self.margin or 0)

    @property
    def width(self) -> float:
        """Return its width."""
        return self.right - self.left

    @property
    def box(self) -> Bbox:
        """Return its box."""
        return self.left, self.top, self.right, self.bottom

    def take_marks(self, marks: list[ChartMark]) -> list[ChartMark]:
        """Return the marks inside; bars that go beyond the plot on one side are cut there."""
        inside = []
        for mark in marks:
            if mark.x0 < self.left - 4 or mark.x1 > self.right + 4:
                continue
            is_above, is_below = mark.y0 < self.top - 3, mark.y1 > self.bottom + 3
            if not is_above and not is_below:
                inside.append(mark)
            elif mark.kind is MarkKind.BAR and is_above != is_below and mark.y1 > self.top and mark.y0 < self.bottom:
                inside.append(mark.cut(self.top, self.bottom))
        return inside


def find_plots(axis: Axis, drawn: Drawn) -> list[Plot]:
    """Return the plot of an axis, and the panels next to it that share the axis."""
    spans = [(rule.x0, rule.x1) for rule in axis.rules if rule.width > LIMITS.least]
    frames = [mark for mark in drawn.marks if mark.kind in (MarkKind.BAR, MarkKind.FRAME) and _is_panel(mark, axis)]
    levels = [mark for mark in drawn.marks if mark.kind is MarkKind.ACROSS and mark.width > LIMITS.least]
    reach = LIMITS.beyond * axis.step + 1
    spans += [
        (mark.x0, mark.x1)
        for mark in levels
        if axis.top - reach <= mark.y0 <= axis.bottom + reach and _is_beside(mark, axis)
    ]
    spans += [(mark.x0, mark.x1) for mark in frames if _is_beside(mark, axis)]
    if not spans:
        return _find_bare(axis, drawn.marks)

    def rank(span: tuple[float, float]) -> tuple[int, float]:
        alike = sum(abs(span[0] - x0) < 2 and abs(span[1] - x1) < 2 for x0, x1 in spans)
        return alike, span[1] - span[0]

    left, right = max(spans[:400], key=rank)
    panels: list[tuple[float, float]] = []
    grid: dict[tuple[int, int], set[int]] = {}
    places: dict[tuple[int, int], tuple[float, float]] = {}
    for mark in levels:
        key = (round(mark.x0), round(mark.x1))
        for index, place in enumerate(axis.places):
            if abs(mark.y0 - place) < 1:
                grid.setdefault(key, set()).add(index)
                places[key] = (mark.x0, mark.x1)
    gridded = [places[key] for key, hit in grid.items() if len(hit) >= max(2, len(axis.places) / 2)]
    for x0, x1 in [*((mark.x0, mark.x1) for mark in frames), *gridded]:
        is_alike = abs(x1 - x0 - (right - left)) < LIMITS.panel * (right - left)
        if is_alike and x0 > right - 1 and all(abs(x0 - other) > 3 for other, _ in panels):
            panels.append((x0, x1))
    return [Plot(axis, *span, index) for index, span in enumerate([(left, right), *sorted(panels)])]


def _is_beside(mark: ChartMark, axis: Axis) -> bool:
    return -3 < mark.x0 - axis.right < LIMITS.reach or -3 < axis.left - mark.x1 < LIMITS.reach


def _is_panel(mark: ChartMark, axis: Axis) -> bool:
    """Return whether the mark is as high as the axis."""
    is_high = mark.y0 <= axis.top + 2 and mark.y1 >= axis.bottom - 2
    return is_high and mark.width > LIMITS.least and mark.height < axis.bottom - axis.top + 2 * (axis.step + 2)


def _find_bare(axis: Axis, marks: list[ChartMark]) -> list[Plot]:
    """Return the plot of an axis without gridlines and frame: the marks on the side that has more."""
    beside = [
        mark
        for mark in marks
        if mark.kind in _MARKS
        and axis.top - axis.step <= mark.y0 <= axis.bottom + axis.step
        and mark.width < LIMITS.far
    ]
    right = [mark.x1 for mark in beside if axis.right - 2 < mark.x0 < axis.right + LIMITS.far]
    left = [mark.x0 for mark in beside if axis.left + 2 > mark.x1 > axis.left - LIMITS.far]
    if max(len(right), len(left)) < 2:
        return []
    is_right = len(right) >= len(left)
    return [Plot(axis, axis.right, max(right))] if is_right else [Plot(axis, min(left), axis.left)]

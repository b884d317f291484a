"""Parts of a chart: marks by kind with colour and paint order, and labels with direction, size and colour."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.charts.numbers import Number, read_number

Point = tuple[float, float]
Color = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ColorLimits:
    """Distances of colours (0..1 by component)."""

    same: float = 0.02
    """Between two marks of a series."""
    named: tuple[float, ...] = (0.012, 0.045, 0.1)
    """Between a series and its sample in the legend, closest first: lines are often lighter than their samples."""
    white: float = 0.965
    """Least component of paper."""
    grey: float = 0.08
    """Greatest difference between the components of a grey."""


COLORS = ColorLimits()


class MarkKind(StrEnum):
    """`ACROSS` and `DOWN` are rules; an `AREA` is any other filled shape."""

    BAR = "bar"
    ACROSS = "across"
    DOWN = "down"
    LINE = "line"
    DOT = "dot"
    AREA = "area"
    FRAME = "frame"


FLIPPED = {MarkKind.ACROSS: MarkKind.DOWN, MarkKind.DOWN: MarkKind.ACROSS}


@dataclass(slots=True, eq=False)
class ChartMark:
    """A drawn mark. `points` follow its outline, curves as chords; `ends` are those that the drawing states.

    `source` is the mark of the page that a turned or cut one was made of.
    """

    kind: MarkKind
    x0: float
    y0: float
    x1: float
    y1: float
    color: Color
    points: list[Point] = field(default_factory=list)
    ends: list[Point] = field(default_factory=list)
    alpha: float = 1.0
    stroked: bool = False
    dash: str = ""
    source: "ChartMark | None" = None

    @property
    def width(self) -> float:
        """Return its extent along the categories."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Return its extent along the values."""
        return self.y1 - self.y0

    @property
    def center(self) -> Point:
        """Return the middle of its box."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    @property
    def box(self) -> Bbox:
        """Return its box."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def origin(self) -> "ChartMark":
        """Return the mark of the page."""
        return self.source or self

    @property
    def is_white(self) -> bool:
        """Whether it looks like paper."""
        return min(self.color) > COLORS.white

    def flip(self) -> "ChartMark":
        """Return the mark with x and y exchanged, so that values of a horizontal axis run along y."""
        points, ends = [(y, x) for x, y in self.points], [(y, x) for x, y in self.ends]
        return ChartMark(FLIPPED.get(self.kind, self.kind), self.y0, self.x0, self.y1, self.x1, self.color, points,
                    ends, self.alpha, self.stroked, self.dash, self.origin)  # fmt: skip

    def cut(self, top: float, bottom: float) -> "ChartMark":
        """Return the mark between two heights."""
        return replace(self, y0=max(self.y0, top), y1=min(self.y1, bottom), source=self.origin)


@dataclass(slots=True, eq=False)
class Label:
    """A text object. `angle` is its direction in degrees, counter-clockwise; `number` is set if it is one."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    angle: int
    color: Color
    number: Number | None = None
    source: "Label | None" = None

    def __post_init__(self) -> None:
        if self.number is None:
            self.number = read_number(self.text)

    @property
    def center(self) -> Point:
        """Return the middle of its box."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    @property
    def box(self) -> Bbox:
        """Return its box."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def is_slanted(self) -> bool:
        """Whether it is neither level nor vertical."""
        return self.angle % 90 != 0

    @property
    def origin(self) -> "Label":
        """Return the label of the page."""
        return self.source or self

    def flip(self) -> "Label":
        """Return the label with x and y exchanged; its angle stays that of the page."""
        return Label(self.text, self.y0, self.x0, self.y1, self.x1, self.size, self.angle, self.color, self.number,
                     self.origin)  # fmt: skip


@dataclass(slots=True)
class Drawn:
    """Marks in the order in which they are painted, and labels."""

    marks: list[ChartMark] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)

    def flip(self) -> "Drawn":
        """Return everything with x and y exchanged."""
        return Drawn([mark.flip() for mark in self.marks], [label.flip() for label in self.labels])


def has_marks(marks: list[ChartMark]) -> bool:
    """Return whether there is more than rules."""
    return any(mark.kind not in (MarkKind.ACROSS, MarkKind.DOWN, MarkKind.FRAME) for mark in marks)


def has_curves(marks: list[ChartMark]) -> bool:
    """Return whether there is a line, an area or dots."""
    dots = sum(mark.kind is MarkKind.DOT for mark in marks)
    return dots >= 3 or any(mark.kind in (MarkKind.LINE, MarkKind.AREA) for mark in marks)


def is_near(a: Color, b: Color, tolerance: float = COLORS.same) -> bool:
    """Return whether two colours differ at most by the tolerance in each component."""
    return abs(a[0] - b[0]) <= tolerance and abs(a[1] - b[1]) <= tolerance and abs(a[2] - b[2]) <= tolerance


def is_grey(color: Color) -> bool:
    """Return whether the colour is black, white or grey."""
    return max(color) - min(color) <= COLORS.grey


def looks_like(a: ChartMark, b: ChartMark, tolerance: float = COLORS.same) -> bool:
    """Return whether two marks are of one colour and, where both are lines, of one dash pattern."""
    return is_near(a.color, b.color, tolerance) and (a.dash == b.dash or not (a.stroked and b.stroked))


def group_alike(marks: Iterable[ChartMark]) -> list[list[ChartMark]]:
    """Return the marks by colour and dash pattern, in the order of the first of each."""
    groups: list[list[ChartMark]] = []
    for mark in marks:
        own = next((group for group in groups if looks_like(group[0], mark)), None)
        if own is None:
            groups.append([mark])
        else:
            own.append(mark)
    return groups


def cluster(values: Iterable[float], tolerance: float) -> list[float]:
    """Return the means of groups of values, each no further than the tolerance from the one before."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= tolerance:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]

"""A chart as read, and the limits of reading one."""

from dataclasses import dataclass, field

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import Label
from quire.models.extract.layout.charts.series import Series


@dataclass(frozen=True, slots=True)
class ChartLimits:
    """Guards against false charts, and factors of the confidence."""

    legend_reach: float = 260.0
    """Points between a plot and its legend."""
    sample: float = 0.1
    """Distance of the colours of a mark and its sample."""
    different: float = 0.3
    """Least share of different values of five or more bars: shading of cells has few."""
    named: float = 0.5
    """Least share of categories with a name; also of cells of lines and areas with a value."""
    spread: float = 0.5
    """Least share of different places of dots."""
    repeated: float = 0.4
    """Least share of different names of a line's categories: rows of a table repeat."""
    longest_name: int = 90
    """Characters of the name of a category; a longer one is running text."""
    most_points: int = 200
    """Points of a line from which the numbers of its axis are the rows."""
    on_number: float = 1.5
    """Points between a place and a number of the axis of categories that names it."""
    title_reach: float = 75.0
    """Points above a plot in which its title is."""
    axis_title_reach: float = 30.0
    """Points beside an axis in which its title is."""
    centered: float = 0.12
    """Distance of the title of a panel from its middle, relative to its width."""
    unticked: float = 0.9
    """Factor of the confidence for an axis without ticks."""
    unnamed: float = 0.85
    """The same for several series of which one has no name."""
    guessed_axis: float = 0.75
    """The same for a curve whose axis is not known by its colour."""
    unconfirmed: float = 0.6
    """The same where printed numbers are not those measured, or two series are one."""
    calibrated: float = 0.97
    """Confidence of a value of a chart without a doubt: .968 of 2,289 of makers left out of development are right."""
    pixel: float = 0.75
    """Points of a pixel of a browser."""
    exact: float = 0.05
    """Points: precision of other makers."""
    on_grid: float = 0.02
    """Pixels from the grid of a browser within which a place is on it."""


LIMITS = ChartLimits()


@dataclass(slots=True)
class AxisTitle:
    """An axis of a chart with its title."""

    axis: Axis
    side: str
    title: str = ""


@dataclass(slots=True)
class ReadChart:
    """A chart as read. `names` are those of its categories, `used` the labels that became a part of it."""

    kind: str
    box: Bbox
    names: list[str]
    series: list[Series]
    name_labels: list[list[Label]] = field(default_factory=list)
    title: Label | None = None
    corner: str = ""
    axes: list[AxisTitle] = field(default_factory=list)
    used: list[Label] = field(default_factory=list)
    precision: float = LIMITS.exact
    confidence: float = 1.0

"""Series of values, and the printed numbers that confirm and replace them."""

from dataclasses import dataclass, field
from enum import StrEnum

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import ChartMark, Label, MarkKind


@dataclass(frozen=True, slots=True)
class PrintedLimits:
    """When a printed number is that of a mark."""

    share: float = 0.004
    """Deviation of the measured value, as a share of the axis."""
    alone: float = 0.04
    """The same for a number alone inside its bar."""
    beside: float = 1.2
    """Ems between the middles of the mark and the number along the categories."""
    relative: float = 0.001
    """Deviation relative to the value."""
    own_row: float = 0.6
    """Ems beyond a horizontal bar in which its number is."""


LIMITS = PrintedLimits()


class ValueKind(StrEnum):
    """The kind of mark on which a value is measured."""

    BAR = "bar"
    LINE = "line"
    AREA = "area"
    DOT = "dot"
    SECTOR = "sector"


@dataclass(slots=True)
class Value:
    """A measured value with the box of its mark; `label` prints it, `text` is the value in a longer label."""

    value: float
    box: Bbox
    kind: ValueKind
    label: Label | None = None
    text: str = ""


@dataclass(slots=True)
class Series:
    """Values by the index of their category, measured on `axis`. `look` is one of its marks."""

    look: ChartMark
    axis: Axis
    name: str = ""
    names: list[Label] = field(default_factory=list)
    values: dict[int, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Bar:
    """A bar from `near`, on the base or another bar, to `far`. `level` counts the bars below it in a stack."""

    mark: ChartMark
    near: float
    far: float
    level: int = 0
    slot: int = 0

    @property
    def middle(self) -> float:
        """Return its middle along the categories."""
        return self.mark.center[0]


def make_bar(mark: ChartMark, base: float) -> Bar:
    """Return the bar that stands on the base."""
    is_above = abs(mark.y1 - base) < abs(mark.y0 - base)
    return Bar(mark, mark.y1, mark.y0) if is_above else Bar(mark, mark.y0, mark.y1)


def find_printed(value: Value, numbers: list[Label], axis: Axis, *, is_flipped: bool) -> Label | None:
    """Return the number printed at a mark, if it is the measured value within half its last digit."""
    x0, y0, x1, y1 = value.box
    is_bar = value.kind is ValueKind.BAR
    best: tuple[float, Label] | None = None
    for label in numbers:
        x, y = label.center
        size, number = label.size, label.number
        if number is None:
            continue
        if is_flipped:
            length = label.y1 - label.y0
            is_close = (
                x0 - LIMITS.own_row * size <= x <= x1 + LIMITS.own_row * size
                and y0 - 2 * size - length <= y <= y1 + 2 * size + length
            )
        else:
            reach = LIMITS.beside * size + (0 if is_bar else 8)
            is_close = x0 - reach <= x <= x1 + reach and y0 - 2 * size <= y <= y1 + 2 * size
        if not is_close:
            continue
        tolerance = max(LIMITS.own_row * number.step, LIMITS.share * axis.span) + LIMITS.relative * abs(value.value)
        if is_bar and x0 - 1 <= label.x0 and label.x1 <= x1 + 1 and y0 <= y <= y1:
            tolerance = max(tolerance, min(LIMITS.alone * axis.span, abs(value.value) / 2))
        distance = abs(x - (x0 + x1) / 2) + abs(y - (y0 + y1) / 2)
        if abs(number.value - value.value) <= tolerance and (best is None or distance < best[0]):
            best = (distance, label)
    return best[1] if best else None


def outline_of(mark: ChartMark) -> tuple[int, int, int, int]:
    """Return the rounded box of a mark; two marks of one outline are a bar painted twice."""
    return round(mark.x0), round(mark.y0), round(mark.x1), round(mark.y1)


def is_small_square(mark: ChartMark) -> bool:
    """Return whether a rectangle may be a dot."""
    low, high = min(mark.width, mark.height), max(mark.width, mark.height)
    return mark.kind is MarkKind.BAR and high <= 12 and 3 * high < 5 * low

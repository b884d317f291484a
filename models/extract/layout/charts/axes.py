"""Value axes: numbers in one column, evenly stepped, made exact by ticks, gridlines or the common base of bars.

Everything is in the frame of a chart whose values run along y; charts of horizontal bars are flipped before.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter

from quire.models.extract.layout.charts.marks import ChartMark, Color, Drawn, Label, MarkKind
from quire.models.extract.layout.charts.numbers import Number, read_factor


@dataclass(frozen=True, slots=True)
class AxisLimits:
    """When numbers are an axis; distances are in ems unless points are named."""

    aligned: float = 1.2
    """Points between the edges of numbers in one column."""
    off: float = 0.25
    """Greatest distance of a number from its place on the scale."""
    even: float = 0.02
    """Deviation of a step from a multiple of the smallest."""
    widest_step: float = 3.5
    """Largest step, in multiples of the smallest: numbers may be missing."""
    decades: float = 1.9
    """Least range of a logarithmic axis, in powers of ten."""
    tick_reach: float = 0.8
    """Distance of a tick from its number."""
    same_offset: float = 0.45
    """Points by which the distances of numbers from their ticks differ."""
    ticked: float = 0.6
    """Least share of the numbers that have a tick."""
    misfit: float = 0.005
    """Share of the axis by which a number may miss its place: a cut number is off by a factor."""
    most_numbers: int = 60
    """Longest column; more are a table."""


LIMITS = AxisLimits()


@dataclass(slots=True, eq=False)
class Axis:
    """A scale: value (or its logarithm) = slope * y + start. `left` and `right` bound its numbers.

    `is_ticked`: places are those of ticks. `residue`: greatest distance of a number from its place, in points.
    """

    labels: list[Label]
    places: list[float]
    numbers: list[float]
    is_log: bool
    slope: float
    start: float
    left: float
    right: float
    is_ticked: bool = False
    residue: float = 0.0
    rules: list[ChartMark] = field(default_factory=list)

    def value(self, place: float) -> float:
        """Return the value at a height."""
        value = self.slope * place + self.start
        return math.pow(10, min(value, 300)) if self.is_log else value

    def place(self, value: float) -> float:
        """Return the height of a value."""
        return ((math.log10(value) if self.is_log else value) - self.start) / self.slope

    @property
    def top(self) -> float:
        """Return the upper end."""
        return min(self.places)

    @property
    def bottom(self) -> float:
        """Return the lower end."""
        return max(self.places)

    @property
    def step(self) -> float:
        """Return the mean distance of two numbers, in points."""
        return (self.bottom - self.top) / max(1, len(self.places) - 1)

    @property
    def span(self) -> float:
        """Return the range of its values."""
        return abs(self.value(self.top) - self.value(self.bottom))

    @property
    def size(self) -> float:
        """Return the type size of its numbers."""
        return self.labels[0].size

    @property
    def color(self) -> Color:
        """Return the colour of its numbers."""
        return self.labels[0].color

    @property
    def unit(self) -> str:
        """Return `%` if the numbers have it."""
        return (self.labels[0].number or Number(0, 1)).unit

    @property
    def zero(self) -> float | None:
        """Return the height of 0, None if the axis does not reach it."""
        zero = None if self.is_log else self.place(0)
        return zero if zero is not None and self.top - 3 <= zero <= self.bottom + 3 else None


Item = tuple[float, float, Label]
"""Place, value and label of a number."""


def fit_scale(places: Sequence[float], values: Sequence[float]) -> tuple[float, float] | None:
    """Return slope and start of the straight line through the values, None if the places are one."""
    count = len(places)
    middle, mean = sum(places) / count, sum(values) / count
    spread = sum((place - middle) ** 2 for place in places)
    if not spread:
        return None
    slope = sum((place - middle) * (value - mean) for place, value in zip(places, values, strict=True)) / spread
    return (slope, mean - slope * middle) if slope else None


def has_scale(labels: list[Label]) -> bool:
    """Return whether some of the numbers are in one row or column with even steps."""
    for view in (labels, [label.flip() for label in labels]):
        for column in _find_columns(view):
            items = [(label.center[1], (label.number or Number(0, 1)).value, label) for label in column]
            if len(items) <= LIMITS.most_numbers and _find_scale(items) is not None:
                return True
    return False


def find_axes(drawn: Drawn) -> list[Axis]:
    """Return the axes whose values run along y."""
    numbers = [label for label in drawn.labels if label.number is not None]
    rules = [mark for mark in drawn.marks if mark.kind is MarkKind.ACROSS]
    axes: list[Axis] = []
    used: set[int] = set()
    for column in _find_columns(numbers):
        pending = [label for label in column if id(label) not in used]
        while 3 <= len(pending) <= LIMITS.most_numbers:
            best = _find_scale([(label.center[1], (label.number or Number(0, 1)).value, label) for label in pending])
            if best is None:
                break
            is_log, items = best
            used.update(id(label) for _, _, label in items)
            pending = [label for label in pending if id(label) not in used]
            axis = _make_axis(is_log, items if is_log else _multiply(items, drawn.labels), rules)
            if axis is not None and not _is_cut(axis, drawn.labels):
                axes.append(axis)
    return axes


def _find_columns(numbers: list[Label]) -> Iterator[list[Label]]:
    """Yield numbers of one size with a common right, left or middle, the longest columns first."""
    columns: list[list[Label]] = []
    keys: tuple[Callable[[Label], float], ...] = (lambda n: n.x1, lambda n: n.x0, lambda n: n.center[0])
    for key in keys:
        column: list[Label] = []
        first = last = 0.0
        for place, label in sorted(((key(label), label) for label in numbers), key=itemgetter(0)):
            if column and (place - last >= LIMITS.aligned or place - first >= 3):
                columns.append(column)
                column = []
            first, last = place if not column else first, place
            column.append(label)
        columns.append(column)
    for column in sorted(columns, key=len, reverse=True):
        by_look: dict[tuple[int, int], list[Label]] = {}
        for label in column:
            by_look.setdefault((round(label.size * 2), label.angle), []).append(label)
        yield from (sorted(alike, key=lambda label: label.y0) for alike in by_look.values() if len(alike) >= 3)


def _find_scale(items: list[Item]) -> tuple[bool, list[Item]] | None:
    """Return whether the scale is logarithmic, and the largest set of numbers that are on one."""
    best: tuple[tuple[int, bool], list[Item]] | None = None
    for is_log in (False, True):
        logs = [(place, math.log10(value), label) for place, value, label in items if value > 0]
        scaled = logs if is_log else items
        for index, (place, value, _) in enumerate(scaled):
            for other, other_value, _ in scaled[index + 1 : index + 4]:
                if other - place < 5 or other_value == value:
                    continue
                slope = (other_value - value) / (other - place)
                fitting = [
                    item
                    for item in scaled
                    if abs((item[1] - value) / slope + place - item[0]) < LIMITS.off * item[2].size
                ]
                rank = (len(fitting), not is_log)
                if len(fitting) >= 3 and (best is None or rank > best[0]) and _is_scale(fitting, is_log):
                    best = (rank, fitting)
    return None if best is None else (not best[0][1], best[1])


def _is_scale(items: list[Item], is_log: bool) -> bool:
    """Return whether the steps are even, or the numbers round ones over two powers of ten."""
    if any(after[0] - before[0] < 0.5 for before, after in pairwise(items)):
        return False
    values = [value for _, value, _ in items]
    if is_log:
        mantissas = [math.pow(10, value % 1) for value in values]
        is_round = all(abs(part - round(part)) < LIMITS.even / 1000 * 10 for part in mantissas)
        return is_round and max(values) - min(values) >= LIMITS.decades
    steps = [abs(after - before) for before, after in pairwise(values)]
    least = min(steps)
    multiples = [step / least for step in steps] if least > 0 else [0.0]
    is_even = all(abs(part - round(part)) < LIMITS.even and 0 < part < LIMITS.widest_step for part in multiples)
    return is_even and sum(round(part) == 1 for part in multiples) >= LIMITS.ticked * len(multiples)


def _multiply(items: list[Item], labels: list[Label]) -> list[Item]:
    """Return the numbers, times a factor that is printed at the upper end of the axis or next to the lower."""
    own = [label for _, _, label in items]
    left, right = min(label.x0 for label in own), max(label.x1 for label in own)
    top, bottom = min(label.y0 for label in own), max(label.y1 for label in own)
    is_flipped = own[0].source is not None
    for label in labels:
        factor = read_factor(label.text)
        if factor is None:
            continue
        is_above = left - 10 <= label.x0 <= right + 25 and 0 < top - label.y0 < 40
        is_beside = 0 < label.x1 - right < 30 and label.y1 > bottom - 40
        if is_beside if is_flipped else is_above:
            return [(place, value * factor, item) for place, value, item in items]
    return items


def _make_axis(is_log: bool, items: list[Item], rules: list[ChartMark]) -> Axis | None:
    """Return the axis with the places of its ticks or gridlines if most of its numbers have one."""
    labels, places = [label for _, _, label in items], [place for place, _, _ in items]
    left, right = min(label.x0 for label in labels), max(label.x1 for label in labels)
    near = [
        [(rule.y0 + rule.height / 2 - place, rule) for rule in rules if _is_tick(rule, label, place, left, right)]
        for place, _, label in items
    ]
    values = [value for _, value, _ in items]
    fit = fit_scale(places, values)
    if fit is None:
        return None
    numbers = [math.pow(10, value) for value in values] if is_log else values
    axis = Axis(labels, places, numbers, is_log, *fit, left, right)
    offsets = sorted({round(offset, 1) for own in near for offset, _ in own}, key=abs)
    if offsets:
        common = max(
            offsets, key=lambda shift: sum(any(abs(o - shift) < LIMITS.same_offset for o, _ in own) for own in near)
        )
        hits = [
            min((abs(offset - common), offset) for offset, _ in own if abs(offset - common) < LIMITS.same_offset)[1]
            if any(abs(offset - common) < LIMITS.same_offset for offset, _ in own)
            else None
            for own in near
        ]
        ticked = [
            (place + hit, value) for place, value, hit in zip(places, values, hits, strict=True) if hit is not None
        ]
        exact = fit_scale(*zip(*ticked, strict=True)) if len(ticked) >= max(2, LIMITS.ticked * len(items)) else None
        if exact is not None:
            snapped = [place + (common if hit is None else hit) for place, hit in zip(places, hits, strict=True)]
            used = [rule for own in near for offset, rule in own if abs(offset - common) < LIMITS.same_offset]
            axis = replace(axis, places=snapped, slope=exact[0], start=exact[1], is_ticked=True, rules=used)
    axis.residue = max(
        abs((value - axis.start) / axis.slope - place) for place, value in zip(axis.places, values, strict=True)
    )
    return axis


def _is_tick(rule: ChartMark, label: Label, place: float, left: float, right: float) -> bool:
    """Return whether the rule is a tick or gridline next to the number, or a gridline below it."""
    if abs(rule.y0 + rule.height / 2 - place) >= LIMITS.tick_reach * label.size:
        return False
    return (
        -2 < rule.x0 - right < 26
        or -2 < left - rule.x1 < 26
        or (rule.x0 <= right and rule.x1 >= right + 20)
        or (rule.x0 < left - 20 and rule.x1 >= left)
    )


def _is_cut(axis: Axis, labels: list[Label]) -> bool:
    """Return whether numbers miss their places, or another number touches one: then a part of each was lost."""
    own = {id(label) for label in axis.labels}
    if axis.residue > max(LIMITS.misfit * (axis.bottom - axis.top), LIMITS.off * axis.size):
        return True
    return any(
        id(other) not in own
        and other.number is not None
        and other.angle == label.angle
        and abs(other.center[1] - label.center[1]) < other.size / 5
        and max(other.x0 - label.x1, label.x0 - other.x1) < label.size / 5
        for label in axis.labels
        for other in labels
    )

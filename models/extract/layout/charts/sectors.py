"""Pies and rings: sectors of one centre that make a whole turn, with their labels."""

import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import (
    COLORS,
    ChartMark,
    Drawn,
    Label,
    MarkKind,
    Point,
    group_alike,
    is_near,
)
from quire.models.extract.layout.charts.names import Entry, find_entry
from quire.models.extract.layout.charts.numbers import read_number
from quire.models.extract.layout.charts.series import Series, Value, ValueKind


@dataclass(frozen=True, slots=True)
class SectorLimits:
    """Distances relative to the radius, angles in radians."""

    least_radius: float = 14.0
    """Points."""
    round_off: float = 0.012
    """Deviation of the points of a sector from its circle."""
    center_off: float = 0.06
    """Distance of the centres of sectors of one pie, and difference of their radii."""
    most: float = 1.04
    """Farthest point of a sector."""
    rim: float = 0.93
    """Distance from the centre from which a point is on the rim."""
    agreeing: float = 0.4
    """Least share of the circles through points of a ring's sector that agree."""
    least_turn: float = 5.9
    """Least sum of the angles of a pie: a small sector may be missing."""
    most_turn: float = 6.45
    """Greatest sum of the angles, for outlines that overlap."""
    most_points: int = 400
    """Points of a sector; more are a drawing."""
    most_shapes: int = 200
    """Shapes of a page; more are a map or an illustration, which would take long to compare."""
    label_reach: float = 1.55
    """Distance of a label from the centre."""
    far: float = 2.3
    """The same for a text that may be a label, with a leader line."""
    same_share: float = 0.75
    """Percent by which a printed share differs from the measured."""
    wrapped: float = 0.75
    """Ems between the lines of a label."""
    title: float = 1.15
    """Type size of a title relative to the smallest label."""
    precision: float = 0.05
    """Percent."""


LIMITS = SectorLimits()
_SHARE = re.compile(r"(?<!\d)\(?(\d+(?:[.,]\d+)?)\s?%\)?")
_TURN = 2 * math.pi


@dataclass(slots=True)
class Sector:
    """A part of a disc or ring: `start` is its first angle, clockwise from the right, `sweep` its extent."""

    x: float
    y: float
    radius: float
    start: float
    sweep: float
    mark: ChartMark

    @property
    def place(self) -> float:
        """Return the angle of its middle, clockwise from the top."""
        return (self.start + self.sweep / 2 + math.pi / 2) % _TURN

    def off(self, angle: float) -> float:
        """Return the distance of an angle from the sector, 0 inside."""
        place = (angle - self.start) % _TURN
        return 0.0 if place <= self.sweep else min(place - self.sweep, _TURN - place)


@dataclass(slots=True)
class Pie:
    """A read pie: names and shares in clockwise order."""

    center: Point
    radius: float
    series: Series
    names: list[str] = field(default_factory=list)
    labels: list[list[Label]] = field(default_factory=list)


def find_pies(drawn: Drawn, legend: list[Entry]) -> list[Pie]:
    """Return the pies and rings of a page."""
    return [
        _read_pie(sorted(sectors, key=lambda sector: sector.place), drawn.labels, legend)
        for sectors in _find_turns(drawn.marks)
    ]


def has_pie(marks: list[ChartMark]) -> bool:
    """Return whether sectors make a whole turn."""
    return any(True for _ in _find_turns(marks))


def _find_turns(marks: list[ChartMark]) -> Iterator[list[Sector]]:
    """Yield the sectors of each pie and ring."""
    groups: list[list[Sector]] = []
    shapes = [mark for mark in marks if _may_be_sector(mark)]
    for mark in shapes if len(shapes) <= LIMITS.most_shapes else ():
        sector = _read_sector(mark)
        if sector is None:
            continue
        reach = LIMITS.center_off * sector.radius + 1
        own = next(
            (
                group
                for group in groups
                if math.dist((group[0].x, group[0].y), (sector.x, sector.y)) < reach
                and abs(group[0].radius - sector.radius) < reach
            ),
            None,
        )
        if own is None:
            groups.append([sector])
        else:
            own.append(sector)
    for group in groups:
        sectors = list({(round(one.start, 2), round(one.sweep, 2)): one for one in group}.values())
        turn = sum(sector.sweep for sector in sectors)
        is_whole = LIMITS.least_turn < turn < LIMITS.most_turn
        if is_whole and len(sectors) >= 2 and len(group_alike(sector.mark for sector in sectors)) >= 2:
            yield sectors


def _may_be_sector(mark: ChartMark) -> bool:
    low, high = min(mark.width, mark.height), max(mark.width, mark.height)
    is_shape = mark.kind in (MarkKind.AREA, MarkKind.DOT, MarkKind.BAR) and not mark.stroked
    corners = 6 if mark.kind is MarkKind.BAR else 5
    return is_shape and high >= 7 and low >= COLORS.white / 3 and corners <= len(mark.points) <= LIMITS.most_points


def _read_sector(mark: ChartMark) -> Sector | None:
    """Return the sector that a filled shape is."""
    points = mark.points
    points = points[:-1] if math.dist(points[0], points[-1]) < LIMITS.precision else points
    sector = _read_cornered(mark, points) or _read_ringed(mark, points)
    return sector if sector is not None and sector.radius >= LIMITS.least_radius else None


def _read_cornered(mark: ChartMark, points: list[Point]) -> Sector | None:
    """Return a sector of a disc: one corner is at the same distance from all other points."""
    count = len(points)
    tolerance = LIMITS.round_off * max(mark.width, mark.height) + LIMITS.precision * 2
    for index, center in enumerate(points):
        if (
            abs(math.dist(center, points[index - count // 3]) - math.dist(center, points[index - count // 2]))
            > tolerance
        ):
            continue
        distances = [math.dist(center, point) for other, point in enumerate(points) if other != index]
        radius = statistics.median(distances)
        if radius > 8 and all(abs(distance - radius) < tolerance for distance in distances):
            before, after = points[index - 1], points[(index + 1) % count]
            angles = [
                math.atan2(y - center[1], x - center[0])
                for x, y in (before, after, points[(index + count // 2) % count])
            ]
            sweep = (angles[1] - angles[0]) % _TURN
            is_inside = (angles[2] - angles[0]) % _TURN < sweep
            start, sweep = (angles[0], sweep) if is_inside else (angles[1], _TURN - sweep)
            return Sector(*center, radius, start, sweep, mark)
    return None


def _read_ringed(mark: ChartMark, points: list[Point]) -> Sector | None:
    """Return a sector of a ring, or a whole disc: circles through points at equal distances agree."""
    count, size = len(points), max(mark.width, mark.height)
    circles = []
    for step in sorted({1, max(1, count // 12)}):
        for index in range(0, count, max(1, count // 48)):
            corners = [points[(index + part * step) % count] for part in range(3)]
            sides = [math.dist(corners[0], corners[1]), math.dist(corners[1], corners[2])]
            is_even = abs(sides[0] - sides[1]) <= max(sides) / 3
            circle = _find_circle(*corners) if is_even and (count >= 14 or sides[0] <= size / 2) else None
            if circle is not None and 8 < circle[2] < 400:
                circles.append(circle)
    if len(circles) < 2:
        return None
    circles.sort(key=lambda circle: -circle[2])
    agreeing = max(
        (
            [c for c in circles if math.dist(c[:2], chosen[:2]) < LIMITS.center_off * chosen[2]]
            for chosen in (circles[0], circles[len(circles) // 4], circles[len(circles) // 2])
        ),
        key=len,
    )
    if len(agreeing) < max(2, LIMITS.agreeing * len(circles)):
        return None
    x, y = statistics.median(c[0] for c in agreeing), statistics.median(c[1] for c in agreeing)
    distances = [math.dist((x, y), point) for point in points]
    radius = statistics.median(d for d in distances if d > max(distances) * (1 - 2 * LIMITS.center_off))
    inner = [distance for distance in distances if distance < LIMITS.rim * radius]
    hole = statistics.median(inner) if inner else radius
    near_center, off = LIMITS.center_off * radius, LIMITS.precision * radius
    if max(distances) > LIMITS.most * radius + 0.5 or any(d > near_center and abs(d - hole) > off for d in inner):
        return None
    angles = sorted(
        math.atan2(py - y, px - x)
        for (px, py), distance in zip(points, distances, strict=True)
        if distance > radius * (1 - LIMITS.precision)
    )
    if len(angles) < 2:
        return None
    gaps = [(angles[(index + 1) % len(angles)] - angle) % _TURN for index, angle in enumerate(angles)]
    widest = max(range(len(gaps)), key=lambda index: gaps[index])
    sweep = _TURN - gaps[widest]
    if not inner and sweep > 6:
        sweep = _TURN
    return Sector(x, y, radius, angles[(widest + 1) % len(angles)], sweep, mark)


def _find_circle(a: Point, b: Point, c: Point) -> tuple[float, float, float] | None:
    """Return the centre and radius of the circle through three points."""
    double = 2 * (a[0] * (b[1] - c[1]) + b[0] * (c[1] - a[1]) + c[0] * (a[1] - b[1]))
    if abs(double) < LIMITS.precision / 1000:
        return None
    squares = [x * x + y * y for x, y in (a, b, c)]
    x = (squares[0] * (b[1] - c[1]) + squares[1] * (c[1] - a[1]) + squares[2] * (a[1] - b[1])) / double
    y = (squares[0] * (c[0] - b[0]) + squares[1] * (a[0] - c[0]) + squares[2] * (b[0] - a[0])) / double
    return x, y, math.dist((x, y), a)


def _read_pie(sectors: list[Sector], labels: list[Label], legend: list[Entry]) -> Pie:
    x, y = statistics.median(s.x for s in sectors), statistics.median(s.y for s in sectors)
    radius, turn = statistics.median(s.radius for s in sectors), sum(s.sweep for s in sectors)
    scale = Axis([Label("100%", 0, 0, 0, 0, 1, 0, (0, 0, 0))], [0, 100], [0, 100], False, 1, 0, 0, 0)
    pie = Pie((x, y), radius, Series(sectors[0].mark, scale))
    named = [entry for entry in legend if not _SHARE.search(entry.name)]  # samples of others are leader lines
    near = COLORS.named[1]
    entries = [find_entry(s.mark, (e for e in named if is_near(e.samples[0].color, s.mark.color, near)))
               for s in sectors]  # fmt: skip
    taken = {id(label) for entry in entries if entry is not None for label in entry.labels}
    own = _share_labels(pie, sectors, [label for label in labels if id(label) not in taken], any(entries))
    for index, (sector, entry) in enumerate(zip(sectors, entries, strict=True)):
        share, names, text, used = 100 * sector.sweep / turn, list[str](), "", list[Label]()
        printed: Label | None = None
        for label in sorted(own[index], key=lambda label: (round(label.center[1]), label.x0)):
            match = _SHARE.search(label.text)
            number = read_number(match[1]) if match else label.number
            if number is not None and abs(number.value - share) < LIMITS.same_share:
                printed, text = label, f"{match[1]}%" if match else label.text
                name = (label.text[: match.start()] + label.text[match.end() :]) if match else ""
                name = name.strip(" :;,-–()")
            else:
                name = label.text if label.number is None or label.number.is_year else ""
            if name:
                names.append(name)
            if name or printed is label:
                used.append(label)
        name = entry.name if entry is not None else " ".join(names)
        pie.names.append(name)
        pie.labels.append(used if entry is None else [*entry.labels, *([printed] if printed else [])])
        pie.series.values[index] = Value(share, sector.mark.box, ValueKind.SECTOR, printed, text)
    return pie


def _share_labels(pie: Pie, sectors: list[Sector], labels: list[Label], is_named: bool) -> list[list[Label]]:
    """Return the labels of each sector: by their angle, or in circular order if there is a text for each."""
    (x, y), radius = pie.center, pie.radius
    near = [label for label in labels if math.dist(label.center, pie.center) < LIMITS.far * radius + 60]
    smallest = min((label.size for label in near), default=0.0)
    own: list[list[Label]] = [[] for _ in sectors]
    placed: list[tuple[Label, float, bool]] = []
    for label in near:
        is_inside = math.dist(label.center, pie.center) < radius
        px, py = label.center if is_inside else (min(max(x, label.x0), label.x1), min(max(y, label.y0), label.y1))
        is_title = label.y1 < y - radius and label.size > LIMITS.title * smallest
        if math.dist((px, py), pie.center) <= LIMITS.label_reach * radius + 8 and not is_title:
            placed.append((label, math.atan2(py - y, px - x), is_inside))
    blocks: list[list[tuple[Label, float]]] = []
    for label, angle, is_inside in sorted(placed, key=lambda item: item[0].y0):
        if is_inside or (label.number is not None and not label.number.is_year):
            continue
        block = next((block for block in blocks if _goes_on(block[-1][0], label)), None)
        if block is None:
            blocks.append([(label, angle)])
        else:
            block.append((label, angle))
    whole: dict[int, int] = {}
    count = len(sectors)
    if len(blocks) == count > 2 and not is_named:
        blocks.sort(key=lambda block: (block[0][1] + math.pi / 2) % _TURN)
        shift = min(
            range(count),
            key=lambda shift: sum(sectors[(i + shift) % count].off(block[0][1]) for i, block in enumerate(blocks)),
        )
        whole = {id(label): (i + shift) % count for i, block in enumerate(blocks) for label, _ in block}
    for label, angle, _ in placed:
        nearest = min(range(count), key=lambda index: sectors[index].off(angle))
        own[whole.get(id(label), nearest)].append(label)
    return own


def _goes_on(above: Label, label: Label) -> bool:
    is_below = -LIMITS.agreeing * above.size < label.y0 - above.y1 < LIMITS.wrapped * above.size
    return is_below and min(label.x1, above.x1) > max(label.x0, above.x0)

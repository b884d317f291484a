"""Drawings and text objects of a page as marks and labels, for charts. Read when a page may have one, not otherwise."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from quire.models.cdom.geometry import Bbox
from quire.models.extract.formats.pdf.engine import turn_box
from quire.models.extract.layout.charts.marks import FLIPPED, ChartMark, Color, Drawn, Label, MarkKind, Point, has_marks
from quire.models.extract.layout.charts.numbers import Number, read_number, read_sign


@dataclass(frozen=True, slots=True)
class DrawingLimits:
    """Sizes in points of the kinds of marks, and in ems of the gaps in text objects."""

    rule: float = 1.1
    """Thickness up to which a filled rectangle is a rule too."""
    dot: float = 16.0
    """Largest dot."""
    least_dot: float = 0.8
    """Smallest dot."""
    straight: float = 0.15
    """Deviation of an edge from level or upright."""
    full: float = 0.995
    """Share of its box that a rectangle fills."""
    rounded: float = 0.9
    """The same for one with round corners."""
    round_points: float = 0.3
    """The same for a dot."""
    short: float = 6.0
    """Longest side of a shape that is too small to be a part of a chart."""
    gap: float = 0.45
    """Gap between two texts of one text object."""
    back: float = 0.6
    """Step back that begins another text."""
    off: float = 0.25
    """Distance of baselines that begins another text."""
    touching: float = 0.12
    """Gap between letters of a word."""
    capital: float = 0.72
    """Height of figures."""
    tallest: float = 1000.0
    """Points: height up to which a line may be a label."""
    most_chorded: int = 150
    """Items of a path whose curves become chords."""
    most_marks: int = 20000
    """A page with more is a map or a plot of points."""


LIMITS = DrawingLimits()
_CHORDS = 4
"""Chords of a curve; a circle of four curves then has 16 points."""
_POWER = re.compile(r"([−-]?\d+(?:[.,]\d*)?\s?[×x·]\s?)?[−-]?10")
_EXPONENT = re.compile(r"[−-]?\d{1,2}")
Path = tuple[list[Point], list[Point], int]
"""Points of a subpath with curves as chords, those that the path states, and the number of curves."""


def read_drawn(
    page: Any, turn: Any, boxes: list[Bbox] | None = None, may_hold: Callable[[list[ChartMark]], bool] = has_marks
) -> Drawn:
    """Return the marks and labels of a page, at their places after its rotation.

    Args:
        page: The engine's page.
        turn: The matrix of its rotation, None without one.
        boxes: Boxes of lines; only text objects that begin in one are read, where the page is not turned.
        may_hold: Returns whether marks may be those of a chart; no labels are read otherwise.
    """
    drawings = page.get_cdrawings()
    if len(drawings) > LIMITS.most_marks:
        return Drawn()
    marks = [mark for drawing in drawings if "items" in drawing for mark in _read_drawing(drawing)]
    if not may_hold(marks):
        return Drawn()
    trace = page.get_texttrace()
    if boxes is not None and turn is None:
        rows: dict[int, list[Bbox]] = {}
        for box in (box for box in boxes if box[3] - box[1] < LIMITS.tallest):
            for row in range(int(box[1]) - 1, int(box[3]) + 2):
                rows.setdefault(row, []).append(box)
        trace = [span for span in trace if _is_in(span["chars"][0][2], rows)]
    labels = [*_read_labels(trace)]
    if turn is not None:
        for mark in marks:
            mark.x0, mark.y0, mark.x1, mark.y1 = turn_box(mark.box, turn)
            mark.points, mark.ends = _turn_points(mark.points, turn), _turn_points(mark.ends, turn)
            mark.kind = mark.kind if turn.a else FLIPPED.get(mark.kind, mark.kind)
        for label in labels:
            label.x0, label.y0, label.x1, label.y1 = turn_box(label.box, turn)
            label.angle = (label.angle - round(math.degrees(math.atan2(turn.b, turn.a))) + 180) % 360 - 180
    return Drawn(marks[: LIMITS.most_marks], labels)


def _is_in(origin: Point, rows: dict[int, list[Bbox]]) -> bool:
    x, y = origin
    return any(box[0] - 3 <= x <= box[2] and box[1] - 1 <= y <= box[3] + 1 for box in rows.get(int(y), ()))


def make_drawn_reader(page: Any, turn: Any) -> Callable[[list[Bbox], Callable[[list[ChartMark]], bool]], Drawn]:
    """Return a function that reads the page's marks and, if these may be a chart, the labels that begin in boxes."""
    return lambda boxes, may_hold: read_drawn(page, turn, boxes, may_hold)


def _turn_points(points: list[Point], turn: Any) -> list[Point]:
    return [turn_box((x, y, x, y), turn)[:2] for x, y in points]


def _read_drawing(drawing: dict[str, Any]) -> Iterator[ChartMark]:
    """Yield a mark for each part of a path."""
    fill = drawing.get("fill") if "f" in drawing["type"] and drawing.get("fill_opacity") != 0 else None
    stroke = drawing.get("color") if "s" in drawing["type"] and drawing.get("stroke_opacity") != 0 else None
    alpha, dash = drawing.get("fill_opacity"), drawing.get("dashes") or ""
    for points, ends, curves in _part_path(drawing["items"]):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        box = (min(xs), min(ys), max(xs), max(ys))
        if not all(map(math.isfinite, box)):
            continue
        if fill is not None and (len(points) > 2 or stroke is None):
            yield from _read_fill(box, points, ends, curves, fill, 1.0 if alpha is None else alpha)
        elif stroke is not None:
            yield from _read_stroke(box, points, ends, stroke, dash if dash != "[] 0" else "")


def _read_fill(
    box: tuple[float, ...], points: list[Point], ends: list[Point], curves: int, color: Color, alpha: float
) -> Iterator[ChartMark]:
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    low, high = min(width, height), max(width, height)
    if low < LIMITS.rule and high > 2:
        yield ChartMark(MarkKind.ACROSS if width > height else MarkKind.DOWN, x0, y0, x1, y1, color, alpha=alpha)
    share = _find_area(points) / (width * height) if width * height > 0 else 0.0
    is_rounded = share > LIMITS.rounded and curves > 0 and high > 14 and low > 2 and len(points) < 40
    if (share > LIMITS.full and _is_upright(points)) or is_rounded:
        kind = MarkKind.BAR
    elif _is_dot(width, height) and share > LIMITS.round_points:
        kind = MarkKind.DOT
    elif width * height > 0 and high > LIMITS.short:
        kind = MarkKind.AREA
    else:
        return
    yield ChartMark(kind, x0, y0, x1, y1, color, points, ends, alpha)


def _read_stroke(
    box: tuple[float, ...], points: list[Point], ends: list[Point], color: Color, dash: str
) -> Iterator[ChartMark]:
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    is_closed = len(points) > 3 and math.dist(points[0], points[-1]) < LIMITS.straight
    if len(points) == 2 and width < LIMITS.straight and height >= 0.5:
        yield ChartMark(MarkKind.DOWN, x0, y0, x1, y1, color, stroked=True, dash=dash)
    elif len(points) == 2 and height < LIMITS.straight and width >= 0.5:
        yield ChartMark(MarkKind.ACROSS, x0, y0, x1, y1, color, points, ends, stroked=True, dash=dash)
    elif _is_dot(width, height) and (is_closed or len(points) <= 3):
        yield ChartMark(MarkKind.DOT, x0, y0, x1, y1, color, points, ends, stroked=True)
    elif (is_closed or len(ends) <= 4) and len(points) > 2 and _is_upright(points):
        if is_closed:
            yield ChartMark(MarkKind.FRAME, x0, y0, x1, y1, color, points, ends, stroked=True)
        for (ax, ay), (bx, by) in pairwise(points):
            kind = MarkKind.DOWN if abs(ax - bx) < LIMITS.straight else MarkKind.ACROSS
            yield ChartMark(kind, min(ax, bx), min(ay, by), max(ax, bx), max(ay, by), color, stroked=True)
    else:
        yield ChartMark(MarkKind.LINE, x0, y0, x1, y1, color, points, ends, stroked=True, dash=dash)


def _is_dot(width: float, height: float) -> bool:
    low, high = min(width, height), max(width, height)
    return low > LIMITS.least_dot and high <= LIMITS.dot and high < 2 * low


def _is_upright(points: list[Point]) -> bool:
    """Return whether all edges are level or upright."""
    return all(
        abs(ax - bx) < LIMITS.straight or abs(ay - by) < LIMITS.straight for (ax, ay), (bx, by) in pairwise(points)
    )


def _find_area(points: list[Point]) -> float:
    return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(points[-1:] + points[:-1], points, strict=True))) / 2


def _part_path(items: Sequence[tuple[Any, ...]]) -> Iterator[Path]:
    """Yield the connected parts of a path; curves of a long one, a logo or letters, are straight."""
    points: list[Point] = []
    ends: list[Point] = []
    curves = 0
    chords = _CHORDS if len(items) <= LIMITS.most_chorded else 1
    for kind, *values in items:
        if kind in ("re", "qu"):
            if points:
                yield points, ends, curves
            points, ends, curves = [], [], 0
            yield _corners_of(kind, values[0]), _corners_of(kind, values[0]), 0
            continue
        start, end = tuple(values[0]), tuple(values[-1])
        if not points or abs(points[-1][0] - start[0]) + abs(points[-1][1] - start[1]) > LIMITS.straight / 5:
            if points:
                yield points, ends, curves
            points, ends, curves = [start], [start], 0
        if kind == "c":
            curves += 1
            points += [_point_at(values, step / _CHORDS) for step in range(1, chords)]
        points.append(end)
        ends.append(end)
    if points:
        yield points, ends, curves


def _corners_of(kind: str, shape: Any) -> list[Point]:
    if kind == "re":
        x0, y0, x1, y1 = shape
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
    upper_left, upper_right, lower_left, lower_right = map(tuple, shape)
    return [upper_left, upper_right, lower_right, lower_left, upper_left]


def _point_at(values: list[Any], part: float) -> Point:
    """Return the point of a cubic curve."""
    start, first, second, end = values
    a, b, c, d = (1 - part) ** 3, 3 * (1 - part) ** 2 * part, 3 * (1 - part) * part**2, part**3
    x = a * start[0] + b * first[0] + c * second[0] + d * end[0]
    return x, a * start[1] + b * first[1] + c * second[1] + d * end[1]


@dataclass(slots=True)
class _Run:
    """Characters of a text object: (character, box, origin), and positions along its direction."""

    direction: Point
    size: float
    color: Color
    chars: list[tuple[str, Any, Any]] = field(default_factory=list)
    start: float = 0.0
    end: float = 0.0
    base: float = 0.0
    has_blank: bool = False

    @property
    def text(self) -> str:
        return " ".join("".join(char for char, _, _ in self.chars).split())


def _read_labels(trace: Iterable[dict[str, Any]]) -> Iterator[Label]:
    """Yield the page's text objects; `10` with a raised exponent is one number."""
    joined: list[_Run] = []
    for span in trace:
        for run in _part_span(span) if span.get("type") != 3 else ():
            if not (joined and _join(joined[-1], run)):
                joined.append(run)
    made = [label for label in (_make_label(run) for run in joined if run.text) if all(map(math.isfinite, label.box))]
    labels = [*{(label.text, round(label.x0), round(label.y0)): label for label in made}.values()]
    taken: set[int] = set()
    for index, label in enumerate(labels):
        exponent = labels[index + 1] if index + 1 < len(labels) else None
        if exponent is not None and _POWER.fullmatch(label.text) and _is_raised(exponent, label):
            factor = read_number(label.text[: -len("10")].strip(" ×x·")) if len(label.text) > 3 else None
            value = (factor.value if factor else 1.0) * math.pow(10, read_sign(exponent.text))
            label.number = Number(value, value)
            label.text, label.x1 = f"{value:g}", exponent.x1
            taken.add(id(exponent))
    return (label for label in labels if id(label) not in taken)


def _is_raised(exponent: Label, label: Label) -> bool:
    gap = exponent.x0 - label.x1
    is_small = exponent.size < LIMITS.rounded * label.size and exponent.y1 < label.y1 - label.size / 10
    return is_small and -1 < gap < label.size / 2 and _EXPONENT.fullmatch(exponent.text) is not None


def _part_span(span: dict[str, Any]) -> Iterator[_Run]:
    """Yield the texts of a text object, parted at wide gaps."""
    dx, dy = span["dir"]
    size, is_level = span["size"], min(abs(dx), abs(dy)) < LIMITS.touching / 5
    gap, back, off = LIMITS.gap * size, LIMITS.back * size, LIMITS.off * size
    run: _Run | None = None
    end = last = 0.0
    for code, _, origin, box in span["chars"]:
        x, y = origin
        place, base = x * dx + y * dy, y * dx - x * dy
        if run is not None and (place - end > gap or place < end - back or not -off <= base - last <= off):
            run.end, run.base = end, last
            yield run
            run = None
        char = chr(code) if code > 0 else "\ufffd"
        is_blank = char.isspace()
        if run is None:
            if is_blank:
                continue
            run, end = _Run((dx, dy), size, _read_color(span["color"]), start=place), place
        last = base
        far = max(box[0] * dx + box[1] * dy, box[2] * dx + box[3] * dy) if is_level else place + size / 2
        if not is_blank:
            end = far
        elif not is_level or not run.has_blank:
            end = max(end, far - off if is_level else place)
        run.has_blank = is_blank
        run.chars.append((" " if is_blank else char, box, origin))
    if run is not None:
        run.end, run.base = end, last
        yield run


def _join(before: _Run, run: _Run) -> bool:
    """Add a text to the one before it if it continues a word or number."""
    size = run.size
    is_alike = before.direction == run.direction and abs(before.size - size) < size / 10 and before.color == run.color
    gap = run.start - before.end
    if not (is_alike and abs(before.base - run.base) < size / 10 and -LIMITS.touching < gap / size < LIMITS.gap):
        return False
    left, right = before.text, run.text
    is_apart = gap > LIMITS.touching * size or before.has_blank
    is_point = right in ".," or left[-1] in ".,"
    if not is_apart and left[-1].isdigit() and right[0].isdigit():
        goes_on = len(right) == 1 or len(left.strip("-−")) == 1
    elif is_apart:
        goes_on = right[0].islower()
    else:
        goes_on = is_point or not (right[0].isupper() or right[0].isdigit()) or left[-1] in "-−$€£"
    goes_on = goes_on or (len(left) == 1 and not left.isdigit())
    if not goes_on or (read_number(left) and read_number(right) and is_apart):
        return False
    if is_apart and not before.has_blank:
        before.chars.append((" ", run.chars[0][1], run.chars[0][2]))
    before.chars += run.chars
    before.end, before.has_blank = run.end, run.has_blank
    return True


def _make_label(run: _Run) -> Label:
    """Return the text with a box that hugs its figures, as ticks are at the middle of those."""
    seen = [box for char, box, _ in run.chars if char != " "]
    lefts, tops, rights, bottoms = zip(*seen, strict=True)
    x0, y0, x1, y1 = min(lefts), min(tops), max(rights), max(bottoms)
    angle = round(math.degrees(math.atan2(-run.direction[1], run.direction[0])))
    x, y = run.chars[0][2]
    if angle == 0:
        y0, y1 = y - LIMITS.capital * run.size, y
    elif angle == 90:
        x0, x1 = x - LIMITS.capital * run.size, x
    elif angle == -90:
        x0, x1 = x, x + LIMITS.capital * run.size
    return Label(run.text, x0, y0, x1, y1, run.size, angle, run.color)


def _read_color(color: Any) -> Color:
    """Return a colour of one, three or four components as red, green and blue."""
    parts = tuple(color)
    if len(parts) == 4:
        red, green, blue = ((1 - part) * (1 - parts[3]) for part in parts[:3])
        return red, green, blue
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (parts[0],) * 3 if parts else (0.0, 0.0, 0.0)

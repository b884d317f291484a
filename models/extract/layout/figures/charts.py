"""The passes that read the charts of a page, take their labels from its lines, and put them among its pictures."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from quire.models.cdom.geometry import Bbox, bbox_area, intersection_area, union_bbox
from quire.models.cdom.tree import BlockType
from quire.models.extract.layout.charts.axes import has_scale
from quire.models.extract.layout.charts.marks import ChartMark, Drawn, Label, MarkKind, has_curves, has_marks
from quire.models.extract.layout.charts.numbers import Number, read_number
from quire.models.extract.layout.charts.read import read_charts
from quire.models.extract.layout.charts.result import ReadChart
from quire.models.extract.layout.charts.sectors import has_pie
from quire.models.extract.layout.figures.pictures import ChartText, Picture
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.lines.turned import PageTurn
from quire.models.extract.layout.text.captions import is_caption

CHART_UNREAD = "chart-unread"
"""Warning: a chart of the page could not be read as a table; its labels are the picture's text."""


@dataclass(frozen=True, slots=True)
class FoundChartLimits:
    """The gate, and what becomes a table."""

    label_chars: int = 90
    """Most characters of a label."""
    most_sectors: int = 12
    """Shapes that are joined to the box around sectors."""
    most_strips: int = 400
    """Pictures of a page; more are the tiles of one."""
    least_strip: float = 4.0
    """Points: least width of a picture that is a bar."""
    widest_strip: float = 120.0
    """Points: greatest width."""
    square: float = 0.7
    """Least ratio of the sides of a box around sectors."""
    sector: float = 20.0
    """Points: least height and width of two shapes that may be sectors."""
    floor: float = 0.65
    """Confidence from which a chart becomes a table."""
    pitch: float = 1.7
    """Ems between the baselines of running text."""
    most_marks: int = 20000
    """Marks of a page; more are a map, and would take seconds."""
    most_numbers: int = 300
    """Lines that are a number; a page with more is a table."""
    tallest: float = 1000.0
    """Points: height of a line up to which labels are looked for in it."""


LIMITS = FoundChartLimits()


@dataclass(slots=True)
class FoundCharts:
    """Charts of a page, and the line of each of their labels."""

    charts: list[ReadChart] = field(default_factory=list)
    line_of: dict[Label, Line] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.charts)

    @property
    def used(self) -> set[Label]:
        """Return the labels that are in the tables."""
        return {label for chart in self.charts if chart.confidence >= LIMITS.floor for label in chart.used}


def find_charts(marks: PageMarks) -> FoundCharts:
    """Return the charts of the page; drawings are read only if numbers and vectors show that there may be one."""
    vectors = len(marks.shapes) + len(marks.fills) + len(marks.horizontals) + len(marks.verticals)
    strips = _find_strips(marks)
    if (not marks.shapes and not strips and len(marks.fills) < 3) or vectors > LIMITS.most_marks:
        return FoundCharts()
    labels = [line for line in marks.lines if len(line.text) <= LIMITS.label_chars]
    may_hold = _find_signs(marks, labels) if not strips else lambda drawn: True
    if may_hold is None:
        return FoundCharts()
    labels = [line for line in labels if not is_caption(line.text)]
    drawn = marks.drawn([line.bbox for line in labels], may_hold)
    line_of = _match_lines(drawn.labels, labels)
    if len(drawn.marks) + len(strips) < 2:
        return FoundCharts()
    all_marks = Drawn([*drawn.marks, *strips], list(line_of))
    charts = read_charts(all_marks, lambda label: _is_alone(line_of[label], label, marks.lines))
    for chart in charts:
        if strips and len(chart.series) > 1:
            chart.confidence = 0.0
    return FoundCharts(charts, line_of)


def _find_strips(marks: PageMarks) -> list[ChartMark]:
    """Return as bars the pictures that are painted in place of bars with a gradient: of one width, three on one base.

    Their colours are not compared, so only a single series is read.
    """
    rows: dict[tuple[int, int], set[int]] = {}
    for x0, y0, x1, y1 in marks.pictures if 3 <= len(marks.pictures) <= LIMITS.most_strips else ():
        if LIMITS.least_strip < x1 - x0 < LIMITS.widest_strip and y1 - y0 > 1:
            rows.setdefault((round(x1 - x0), round(y1)), set()).add(round(y1 - y0))
    widths = {width for (width, _), heights in rows.items() if len(heights) >= 3}
    boxes = [box for box in marks.pictures if any(abs(box[2] - box[0] - width) <= 1 for width in widths)]
    if len({round(box[0]) for box in boxes}) < len(boxes):
        return []  # stacked
    return [ChartMark(MarkKind.BAR, *box, (LIMITS.square,) * 3) for box in boxes]


def _is_alone(line: Line, label: Label, lines: list[Line]) -> bool:
    """Return whether a label is most of its line, and the line is outside running text and rows."""
    if 2 * len(label.text) < len(line.text):
        return False
    near = [
        other
        for other in lines
        if other is not line
        and abs(other.size - line.size) < 0.5
        and abs(other.base - line.base) < LIMITS.pitch * line.size
        and min(other.x1, line.x1) + 3 * line.size > max(other.x0, line.x0)
    ]
    return not near or not line.upright


def _find_signs(marks: PageMarks, lines: list[Line]) -> Callable[[list[ChartMark]], bool] | None:
    """Return None if no numbers are an axis or stand at bars, and no shapes may be sectors; else what must be drawn."""
    numbers = [(line, number) for line in lines if (number := read_number(line.text)) is not None]
    if len(numbers) > LIMITS.most_numbers:
        return None
    has_sectors = _has_sectors(marks.shapes)
    has_axis = (bool(marks.shapes) or len(numbers) < 3) and _has_axis(lines, numbers)
    if (len(numbers) >= 3 or has_axis) and _has_bars(marks):
        return has_marks
    if not (has_sectors or (has_axis and marks.shapes)):
        return None
    return lambda drawn: (has_axis and has_curves(drawn)) or (has_sectors and has_pie(drawn))


def _has_axis(lines: list[Line], numbers: list[tuple[Line, Number]]) -> bool:
    """Return whether three numbers with even steps are in one row or column."""
    for line in lines:
        if line.text[-1:].isdigit() or line.text[-1:] == "%":
            words = [read_number(word) for word in line.text.split()]
            values = [word.value for word in words if word is not None]
            steps = {round(after - before, 9) for before, after in pairwise(values)}
            if len(values) >= 3 and len(values) == len(words) and len(steps) == 1:
                return True
    labels = [Label(line.text, *line.bbox, round(line.size), 0, (0.0, 0.0, 0.0), number) for line, number in numbers]
    return len(labels) >= 3 and has_scale(labels)


def _has_sectors(shapes: list[Bbox]) -> bool:
    """Return whether large shapes that touch, painted one after the other, are in a square as the sectors of a pie."""
    large = [box for box in dict.fromkeys(shapes) if min(box[2] - box[0], box[3] - box[1]) > LIMITS.sector]
    for start, whole in enumerate(large):
        for box in large[start + 1 : start + LIMITS.most_sectors]:
            x0, y0, x1, y1 = min(whole[0], box[0]), min(whole[1], box[1]), max(whole[2], box[2]), max(whole[3], box[3])
            if (
                x1 - x0 > whole[2] - whole[0] + box[2] - box[0] + 1
                or y1 - y0 > whole[3] - whole[1] + box[3] - box[1] + 1
            ):
                break
            whole = (x0, y0, x1, y1)
            if LIMITS.square * (x1 - x0) < y1 - y0 < (x1 - x0) / LIMITS.square:
                return True
    return False


def _has_bars(marks: PageMarks) -> bool:
    """Return whether three shades of one thickness and different lengths stand on one base."""
    boxes = {tuple(map(round, box)) for box in marks.shapes}
    boxes |= {(round(fill.x0), round(fill.y0), round(fill.x1), round(fill.y1)) for fill in marks.fills}
    bases: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for x0, y0, x1, y1 in boxes if len(boxes) >= 3 else ():
        upright, lying = (x1 - x0, y1 - y0), (y1 - y0, x1 - x0)
        for side, base, bar in ((0, y1, upright), (2, y0, upright), (4, x0, lying), (6, x1, lying)):
            for shift in (0, 1):  # two grids, so that no edge of a cell parts equal ones
                bases.setdefault((side + shift, (base + shift) // 2), []).append(bar)
    for bars in bases.values():
        for shift in (0, 2) if len(bars) >= 3 else ():
            lengths: dict[int, set[int]] = {}
            for thick, length in bars:
                lengths.setdefault((thick + shift) // 4, set()).add(length)
            if max(map(len, lengths.values())) >= 3:
                return True
    return False


def take_labels(
    charts: FoundCharts, lines: list[Line], turned: object, mirror: PageTurn | None
) -> tuple[FoundCharts, list[Line]]:
    """Return the charts and the lines that are not in their tables; on turned and mirrored pages no chart is read."""
    if turned is not None or mirror is not None:
        return FoundCharts(), lines
    taken = {id(charts.line_of[label]) for label in charts.used}
    return charts, [line for line in lines if id(line) not in taken]


def _match_lines(labels: Iterable[Label], lines: list[Line]) -> dict[Label, Line]:
    """Return the line of each label that is a part of one; hidden labels have none."""
    rows: dict[int, list[tuple[Line, str]]] = {}
    for line in lines:
        item = (line, "".join(line.text.split()))
        for row in range(int(line.y0) - 1, int(min(line.y1, line.y0 + LIMITS.tallest)) + 2):
            rows.setdefault(row, []).append(item)
    matched = {}
    for label in labels:
        x, y = label.center
        text = "" if label.number is not None and label.text == f"{label.number.value:g}" else label.text
        text = "".join(text.split())
        for line, whole in rows.get(int(y), ()):
            if line.x0 - 1 <= x <= line.x1 + 1 and line.y0 - 1 <= y <= line.y1 + 1 and text in whole:
                matched[label] = line
                break
    return matched


@dataclass(slots=True)
class _Placed:
    """A chart in place of the drawings that it covers."""

    chart: ReadChart
    owners: list[Picture]


def place_charts(
    found: FoundCharts, pictures: list[Picture], lines: list[Line], upright: PageMarks
) -> tuple[list[Picture], list[ChartText], list[Line]]:
    """Put each chart in place of the drawings that it covers; a drawing of several is parted."""
    line_of = found.line_of
    placed = [_Placed(chart, [p for p in pictures if p.drawn and _covers(chart, p)]) for chart in found.charts]
    for item in placed:
        if item.chart.confidence < LIMITS.floor and item.owners:
            for picture in item.owners:
                picture.is_chart = True
            if CHART_UNREAD not in upright.warnings:
                upright.warnings.append(CHART_UNREAD)
    placed = [item for item in placed if item.chart.confidence >= LIMITS.floor]
    counts = Counter(id(picture) for item in placed for picture in item.owners)
    used = found.used
    given: set[int] = set()
    new, texts = list[Picture](), list[ChartText]()
    for item in placed:
        picture, held = _make_picture(item, line_of, counts)
        new.append(picture)
        title = item.chart.title
        head = None if title is None or title in used else line_of[title]
        head = head if any(line is head for line in held) else None
        above, below = list[Line](), list[Line]()
        for line in held:
            parts = [] if id(line) in given else _find_unused(line, line_of, used)
            given.add(id(line))
            (above if line is head else below).extend(parts)
        x0, y0, x1, y1 = picture.box
        if above:
            texts.append(ChartText((x0, y0 - 1, x1, y0), above, BlockType.CAPTION))
        if below:
            texts.append(ChartText((x0, y1, x1, y1 + 1), below, BlockType.PARAGRAPH))
    kept = [picture for picture in pictures if id(picture) not in counts]
    return [*kept, *new], texts, [line for line in lines if id(line) not in given]


def _make_picture(item: _Placed, line_of: dict[Label, Line], counts: Counter[int]) -> tuple[Picture, list[Line]]:
    """Return the picture of a chart below its title, and all lines that were in its drawings or labels."""
    chart, title = item.chart, item.chart.title
    own = list({id(line_of[label]): line_of[label] for label in chart.used}.values())
    boxes = [chart.box, *(line.bbox for line in own)]
    boxes += [picture.box for picture in item.owners if counts[id(picture)] == 1]
    if title is not None:
        boxes = [_below(box, title) for box in boxes]
    return Picture(union_bbox(boxes), True, own, chart, is_chart=True), [
        *own,
        *(line for picture in item.owners for line in picture.lines),
    ]


def _below(box: Bbox, title: Label) -> Bbox:
    """Return the part of the box below the title if the title is at its top."""
    return (box[0], max(box[1], title.y1), box[2], box[3]) if title.y1 < (box[1] + box[3]) / 2 else box


def _covers(chart: ReadChart, picture: Picture) -> bool:
    shared = intersection_area(chart.box, picture.box)
    return shared > min(bbox_area(chart.box), bbox_area(picture.box)) / 5


def _find_unused(line: Line, line_of: dict[Label, Line], used: set[Label]) -> list[Line]:
    """Return the line, or those of its labels that no chart used."""
    labels = [label for label, other in line_of.items() if other is line]
    left = [label for label in labels if label not in used]
    if len(left) == len(labels):
        return [line]
    return [replace(line, x0=label.x0, x1=label.x1, text=label.text, runs=[], parts=()) for label in left]

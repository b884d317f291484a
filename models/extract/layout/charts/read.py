"""Charts of a page: axes, plots, marks, names and printed values together, with guards against false charts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.geometry import Bbox
from quire.models.extract.layout.charts.axes import Axis, find_axes
from quire.models.extract.layout.charts.bare import find_bare_scales
from quire.models.extract.layout.charts.bars import find_bars, find_slots, make_series, name_slots
from quire.models.extract.layout.charts.curves import (
    Curve,
    choose_axis,
    find_areas,
    find_curves,
    find_dots,
    group_dots,
    make_dotted,
    read_area,
    read_curve,
    without_outlines,
)
from quire.models.extract.layout.charts.marks import ChartMark, Drawn, Label, MarkKind, cluster, is_near
from quire.models.extract.layout.charts.names import (
    Categories,
    Entry,
    find_categories,
    find_colored,
    find_entry,
    find_legend,
    settle_places,
)
from quire.models.extract.layout.charts.numbers import read_number, write_value
from quire.models.extract.layout.charts.plots import Plot, find_plots
from quire.models.extract.layout.charts.result import LIMITS, AxisTitle, ReadChart
from quire.models.extract.layout.charts.sectors import find_pies
from quire.models.extract.layout.charts.series import Series, Value, ValueKind, find_printed


@dataclass(slots=True)
class _View:
    """A page as it is seen for one direction of values; `samples` are the ids of the marks of legends."""

    drawn: Drawn
    legend: list[Entry]
    samples: set[int]
    is_flipped: bool
    is_title: Callable[[Label], bool]


def read_charts(drawn: Drawn, is_title: Callable[[Label], bool] = lambda label: True) -> list[ReadChart]:
    """Return the charts of the page's marks and labels; `is_title` returns False for a part of running text."""
    legend = find_legend(drawn)
    samples = {id(mark) for entry in legend for mark in entry.samples}
    charts = [
        ReadChart("pie", _box_around(pie.center, pie.radius), pie.names, [pie.series], pie.labels,
              used=[label for own in pie.labels for label in own])
        for pie in find_pies(drawn, legend)
    ]  # fmt: skip
    flipped = drawn.flip()
    upright = _View(drawn, legend, samples, False, is_title)
    lying = _View(flipped, legend, samples, True, is_title)
    columns, rows = find_axes(drawn), find_axes(flipped)
    charts += _read_upright(upright, columns, rows)
    for axis in rows:
        for plot in find_plots(axis, flipped):
            middle = (axis.top + axis.bottom) / 2
            if not any(_is_over(chart.box, middle, axis.left) for chart in charts):
                charts += _read_plot(lying, plot, None, None)
    for view in (upright, lying):
        for scale in find_bare_scales(view.drawn, samples, is_flipped=view.is_flipped):
            box = _unflip(scale.plot.box, view)
            if not any(_overlap(box, chart.box) for chart in charts):
                read = [*_read_plot(view, scale.plot, None, None, is_bare=True)]
                numbers = [read_number(name) for chart in read for name in chart.names]
                if not (scale.is_middle and all(number is not None and not number.is_year for number in numbers)):
                    charts += read
    return charts


def _box_around(center: tuple[float, float], radius: float) -> Bbox:
    return center[0] - radius, center[1] - radius, center[0] + radius, center[1] + radius


def _unflip(box: Bbox, view: _View) -> Bbox:
    return (box[1], box[0], box[3], box[2]) if view.is_flipped else box


def _overlap(a: Bbox, b: Bbox) -> bool:
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def _is_over(box: Bbox, x: float, y: float) -> bool:
    return box[0] - 5 <= x <= box[2] + 5 and box[1] - 80 <= y <= box[3] + 80


def _read_upright(view: _View, columns: list[Axis], rows: list[Axis]) -> Iterator[ReadChart]:
    """Yield charts whose values run upwards; an axis on the other side of the same plot is a second one."""
    plots = [plot for axis in columns for plot in find_plots(axis, view.drawn)]
    done: set[int] = set()
    for plot in plots:
        if id(plot) in done:
            continue
        axis = plot.axis
        twin = next((other for other in plots if other.axis is not axis and _is_same(plot, other)), None)
        cross = next((row for row in rows if _crosses(row, plot)), None)
        second = None
        if twin is not None:
            done.add(id(twin))
            second = twin.axis
            if second.left < axis.left:
                plot, second = Plot(second, plot.left, plot.right, plot.panel), axis
        yield from _read_plot(view, plot, second, cross)


def _is_same(a: Plot, b: Plot) -> bool:
    is_wide = abs(a.left - b.left) < 4 and abs(a.right - b.right) < 4
    return is_wide and abs(a.axis.top - b.axis.top) < 30 and abs(a.axis.bottom - b.axis.bottom) < 30


def _crosses(row: Axis, plot: Plot) -> bool:
    """Return whether a horizontal axis is right below the plot; in its frame `left` is its upper edge."""
    is_within = plot.left - 12 <= row.top and row.bottom <= plot.right + 12
    return is_within and -6 < row.left - plot.axis.bottom < 70


def _read_plot(
    view: _View, plot: Plot, second: Axis | None, cross: Axis | None, *, is_bare: bool = False
) -> Iterator[ReadChart]:
    """Yield the chart of a plot if there is one."""
    axis = plot.axis
    marks = plot.take_marks(view.drawn.marks)
    bars, base = find_bars(plot, marks, view.samples)
    inside = [mark for mark in marks if id(mark.origin) not in view.samples and not mark.is_white]
    dots = find_dots(inside) if not bars else [mark for mark in inside if mark.kind is MarkKind.DOT]
    curves = find_curves(plot, inside, dots) if not view.is_flipped else []
    groups = group_dots(dots) if not (bars or curves) else []
    areas = find_areas(plot, inside) if not bars and not view.is_flipped else []
    if areas:
        curves = without_outlines(curves, areas)
    if not (bars or ((curves or areas or groups) and not view.is_flipped)):
        return
    legend = _near_legend(view, plot, [*inside, *(bar.mark for bar in bars)])
    taken = {id(label) for entry in legend for label in entry.labels}
    taken |= {id(label.origin) for own in (axis, second) if own is not None and not is_bare for label in own.labels}
    free = [label for label in view.drawn.labels if id(label.origin) not in taken]
    page = _Reading(view, plot, second, cross, legend, free, base)
    if bars:
        slots = find_slots(bars, legend)
        found = page.find_categories(slots.places)
        names = name_slots(bars, slots, found)
        page.name_places(names, slots.places, found)
        page.series = make_series(bars, slots, axis)
        if any(bar.far in (plot.top, plot.bottom) for bar in bars):  # cut there, so that its value is not known
            page.confidence *= LIMITS.unconfirmed
    elif groups and not areas and cross is not None:
        yield from page.read_scatter(groups, cross)
        return
    else:
        curves = curves or [make_dotted(group) for group in groups]
        if not page.find_rows(curves, areas):
            return
    page.read_curves(curves, areas, has_bars=bool(bars))
    kind = "combined" if bars and curves else "bar" if bars else "area" if areas else "line"
    if page.is_chart(has_bars=bool(bars)) and (not is_bare or bars):
        page.name_series()
        yield page.make_chart(kind, is_bare=is_bare)


def _near_legend(view: _View, plot: Plot, marks: Iterable[ChartMark]) -> list[Entry]:
    """Return the entries in a colour of the plot, the nearest to it first."""
    colors = {mark.color for mark in marks}
    x0, y0, x1, y1 = _unflip(plot.box, view)

    def distance(entry: Entry) -> float:
        label = entry.labels[0]
        return max(0, x0 - label.x1, label.x0 - x1) + max(0, y0 - label.y1, label.y0 - y1)

    near = [
        entry
        for entry in view.legend
        if distance(entry) < LIMITS.legend_reach
        and any(is_near(entry.samples[0].color, color, LIMITS.sample) for color in colors)
    ]
    return sorted(near, key=distance)


def _is_over_axis(label: Label, item: AxisTitle) -> bool:
    """Return whether a level text is right above the numbers of an upright axis."""
    axis = item.axis
    is_column = item.side in ("left", "right") and label.angle == 0
    return is_column and axis.left - 20 < label.center[0] < axis.right + 20 and 0 < axis.top - label.y1 < 30


class _Reading:
    """One plot while it is read."""

    def __init__(
        self,
        view: _View,
        plot: Plot,
        second: Axis | None,
        cross: Axis | None,
        legend: list[Entry],
        free: list[Label],
        base: float | None,
    ) -> None:
        self.view, self.plot, self.second, self.cross = view, plot, second, cross
        self.legend, self.free, self.base = legend, free, base
        self.places: list[float] = []
        self.names: list[str] = []
        self.name_labels: list[list[Label]] = []
        self.series: list[Series] = []
        self.confidence = 1.0

    def find_categories(
        self, slots: Sequence[float], ticks: Sequence[float] = (), *, is_line: bool = False
    ) -> Categories:
        """Return the texts that name the slots; numbers of an axis of categories may."""
        base = None if is_line else self.base
        return find_categories(
            self.plot, self.free, slots, base, is_flipped=self.view.is_flipped, ticks=ticks, is_line=is_line
        )

    def name_places(self, names: list[str], places: list[float], found: Categories) -> None:
        """Set the rows of the table with the labels of each."""
        self.names, self.places = names, places
        self.name_labels = [[] for _ in names]
        for place, labels in zip(found.places, found.labels, strict=True):
            nearest = min(range(len(places)), key=lambda index: abs(places[index] - place))
            self.name_labels[nearest] += labels

    def find_rows(self, curves: list[Curve], areas: list[ChartMark]) -> bool:
        """Set the categories of curves: labels below, or the places of their points by the axis of categories."""
        outlines = [curve.ends for curve in curves] or [area.ends for area in areas]
        points = cluster((x for ends in outlines for x, _ in ends), LIMITS.unconfirmed)
        if not points:
            return False
        axis, height = self.plot.axis, self.plot.axis.bottom - self.plot.axis.top
        ticks = [
            mark.center[0]
            for mark in self.view.drawn.marks
            if mark.kind is MarkKind.DOWN
            and axis.bottom - 4 < mark.y1 < axis.bottom + height / 2 + 12
            and self.plot.left - 3 < mark.x0 < self.plot.right + 3
            and (mark.height < 9 or mark.height > LIMITS.unticked * height)
        ]
        found = self.find_categories(points, ticks, is_line=True)
        cross = self.cross
        if cross is not None and len(found.names) < len(cross.labels):
            if len(points) > LIMITS.most_points:
                points = cross.places
            names, labels = [], []
            for place in points:
                label = min(cross.labels, key=lambda label: abs(label.center[1] - place))
                is_on = abs(label.center[1] - place) < LIMITS.on_number
                names.append(label.text if is_on else write_value(cross.value(place), cross.span / 1000))
                labels.append([label] if is_on else [])
            self.names, self.places, self.name_labels = names, points, labels
        elif found.names:
            self.name_places(found.names, settle_places(found, points, ticks), found)
        return len(self.places) >= 2

    def read_curves(self, curves: list[Curve], areas: list[ChartMark], *, has_bars: bool) -> None:
        """Add the series of lines and areas."""
        for curve in curves:
            axis, is_known = choose_axis(
                curve, self.plot.axis, self.second, is_last=curve is curves[-1], has_bars=has_bars
            )
            self.confidence *= 1 if is_known or self.second is None else LIMITS.guessed_axis
            self.series.append(read_curve(curve, self.places, axis))
        self.series += [read_area(area, self.places, self.plot.axis) for area in areas]
        self.series = [series for series in self.series if len(series.values) >= 2 or has_bars]

    def is_chart(self, *, has_bars: bool) -> bool:
        """Return whether the values are those of a chart, not shades of a table's cells or lines of a drawing."""
        rows, names = len(self.names), self.names
        count = sum(len(series.values) for series in self.series)
        if count < 3 or rows < 2 or sum(bool(name.strip()) for name in names) < LIMITS.named * rows:
            return False
        if max(map(len, names)) > LIMITS.longest_name:
            return False
        axis = self.plot.axis
        if not has_bars:
            is_full = count >= LIMITS.named * rows * len(self.series)
            return is_full and len(set(names)) >= LIMITS.repeated * rows
        bars = [item for series in self.series for item in series.values.values() if item.kind is ValueKind.BAR]
        different = len({round(bar.value / (axis.span or 1) * 10**6) for bar in bars})
        if len(bars) >= 5 and different < LIMITS.different * len(bars):
            return False
        if len(axis.labels) == 1:
            return True
        numbers = [number for name in names if (number := read_number(name)) is not None and not number.is_year]
        is_stub = self.view.is_flipped and 2 * len(numbers) > rows
        return not is_stub and not any(min(bar.box[2], axis.right) - max(bar.box[0], axis.left) > 1 for bar in bars)

    def name_series(self) -> None:
        """Name each series by the legend, by a text in its colour, or the only one by the title of its panel."""
        x0, y0, x1, y1 = _unflip(self.plot.box, self.view)
        near = [
            label
            for label in self.free
            if x0 - 10 < label.origin.x0 and label.origin.x1 < x1 + 150 and y0 - 20 < label.origin.center[1] < y1 + 20
        ]
        owners: dict[int, Series] = {}
        for series in list(self.series):
            entry = find_entry(series.look, self.legend)
            owner = owners.setdefault(id(entry), series) if entry is not None else series
            if owner is not series and not owner.values.keys() & series.values.keys():
                owner.values |= series.values  # one series in two shades
                self.series.remove(series)
                continue
            label = None if entry is not None else find_colored(series.look, near)
            if entry is not None:
                series.name, series.names = entry.name, entry.labels
            elif label is not None:
                series.name, series.names = label.text, [label]
        if len(self.series) == 1 and not self.series[0].name:
            title = self._find_panel_title((x0, y0, x1, y1))
            if title is not None:
                self.series[0].name, self.series[0].names = title.text, [title]
        elif not all(series.name for series in self.series):
            self.confidence *= LIMITS.unnamed

    def _find_panel_title(self, box: Bbox) -> Label | None:
        """Return the text above the middle of a plot."""
        top = box[1] if self.view.is_flipped else self.plot.axis.top
        middle, reach = (box[0] + box[2]) / 2, LIMITS.centered * (box[2] - box[0]) + 4
        above = [
            label.origin
            for label in self.free
            if label.angle == 0
            and label.number is None
            and abs(label.origin.center[0] - middle) < reach
            and -3 < top - label.origin.y1 < LIMITS.title_reach
        ]
        above.sort(key=lambda label: abs(top - label.y1))
        return next((label for label in above if self.view.is_title(label)), None)

    def read_scatter(self, groups: list[list[ChartMark]], cross: Axis) -> Iterator[ReadChart]:
        """Yield dots with their x and y; each is a row, named by its series."""
        axis = self.plot.axis
        dots = [dot for group in groups for dot in group]
        columns, rows = ({round(dot.center[side]) for dot in dots} for side in (0, 1))
        if min(len(columns), len(rows)) < LIMITS.spread * len(dots):
            return  # the squares of a table, or the nodes of a drawing
        xs, ys = Series(groups[0][0], cross, "x"), Series(groups[0][0], axis, "y")
        for group in groups:
            entry = find_entry(group[0], self.legend)
            for dot in group:
                x, y = dot.center
                index = len(self.names)
                self.names.append(entry.name if entry is not None else "")
                self.name_labels.append(entry.labels if entry is not None else [])
                xs.values[index] = Value(cross.value(x), dot.box, ValueKind.DOT)
                ys.values[index] = Value(axis.value(y), dot.box, ValueKind.DOT)
        self.series = [xs, ys]
        yield self.make_chart("scatter", is_bare=False)

    def make_chart(self, kind: str, *, is_bare: bool) -> ReadChart:
        """Return the chart, with the numbers that print its values."""
        view, plot, axis = self.view, self.plot, self.plot.axis
        boxes = [value.box for series in self.series for value in series.values.values()]
        top, bottom = min(axis.top, *(box[1] for box in boxes)), max(axis.bottom, *(box[3] for box in boxes))
        box = _unflip((plot.left, top, plot.right, bottom), view)
        named = {id(label.origin) for own in self.name_labels for label in own}
        numbers = [label for label in self.free if label.number is not None and id(label.origin) not in named]
        confirmed, values = 0, 0
        for series in self.series if kind != "scatter" else ():
            for value in series.values.values():
                value.label = find_printed(value, numbers, series.axis, is_flipped=view.is_flipped)
                confirmed, values = confirmed + (value.label is not None), values + 1
            for value in series.values.values() if view.is_flipped else ():
                value.box = _unflip(value.box, view)
        inside = [n for n in numbers if plot.left < n.center[0] < plot.right and plot.top < n.center[1] < plot.bottom]
        places = [tuple(value.box for value in series.values.values()) for series in self.series]
        self.confidence *= LIMITS.unconfirmed if len(set(places)) < len(places) and kind != "scatter" else 1
        if kind != "scatter" and len(inside) >= max(3, values / 2) and confirmed < len(inside) / 2:
            self.confidence *= LIMITS.unconfirmed
        self.confidence *= 1 if axis.is_ticked else LIMITS.unticked
        chart = ReadChart(kind, box, self.names, self.series, self.name_labels, confidence=self.confidence)
        own = [] if is_bare else [axis, *([self.second] if self.second is not None else [])]
        chart.axes = [AxisTitle(item, self._side_of(item)) for item in own]
        if self.cross is not None and kind == "scatter":
            chart.axes.append(AxisTitle(self.cross, "bottom"))
        chart.precision = self._find_precision()
        chart.used = [label for item in chart.axes for label in item.axis.labels]
        chart.used += [label for series in self.series for label in series.names]
        chart.used += [label for own_labels in self.name_labels for label in own_labels]
        chart.used += [v.label for s in self.series for v in s.values.values() if v.label is not None]
        self._find_titles(chart)
        chart.used = [label.origin for label in chart.used]
        return chart

    def _side_of(self, axis: Axis) -> str:
        if self.view.is_flipped:
            return "bottom" if axis.left > self.plot.right - 2 else "top"
        return "right" if axis.left > (self.plot.left + self.plot.right) / 2 else "left"

    def _find_precision(self) -> float:
        """Return the precision of places in points: half a pixel if all ends of bars are whole pixels."""
        ends = [v.box[index] for s in self.series for v in s.values.values() if v.kind is ValueKind.BAR
                for index in ((0, 2) if self.view.is_flipped else (1, 3))]  # fmt: skip
        steps = [(after - before) / LIMITS.pixel for before, after in pairwise(ends)]
        is_web = len(ends) > 4 and all(abs(step - round(step)) < LIMITS.on_grid for step in steps)
        return LIMITS.pixel / 2 if is_web else max(LIMITS.exact, self.plot.axis.residue / 2)

    def _find_titles(self, chart: ReadChart) -> None:
        """Set the titles of the chart and its axes, and mark their labels as used."""
        x0, y0, x1, _ = chart.box
        taken = {id(label.origin) for label in chart.used}
        free = [label.origin for label in self.free if label.number is None and id(label.origin) not in taken]
        middle = (x0 + x1) / 2
        over = [label for item in chart.axes for label in free if _is_over_axis(label, item)]
        above = [
            label
            for label in free
            if -20 < y0 - label.y1 < LIMITS.title_reach
            and label.angle == 0
            and label not in over
            and len(label.text) > 3
            and not label.text[0].isdigit()
            and x0 - 20 <= label.center[0] <= x1 + 20
        ]
        above.sort(key=lambda label: (-label.size, abs(label.center[0] - middle)))
        chart.title = next((label for label in above if self.view.is_title(label)), None)
        for item in chart.axes:
            item_free = [label for label in free if label is not chart.title]
            title = self._find_axis_title(item, item_free, chart.box)
            if title is not None:
                item.title = title.text
                chart.used.append(title)
        self._find_corner(chart, free)

    def _find_corner(self, chart: ReadChart, free: list[Label]) -> None:
        """Set the title of the categories: below those of upright bars, turned left of those of horizontal ones."""
        labels = [label.origin for own in self.name_labels for label in own]
        if not labels or chart.kind == "scatter":
            return
        x0, y0, x1, y1 = chart.box
        low, left = max(label.y1 for label in labels), min(label.x0 for label in labels)
        taken = {id(label.origin) for label in chart.used}
        for label in free:
            x, y = label.center
            if self.view.is_flipped:
                is_beside = label.angle == 90 and y0 < y < y1 and -1 <= left - label.x1 < LIMITS.axis_title_reach
            else:
                is_beside = label.angle == 0 and -1 <= label.y0 - low < LIMITS.axis_title_reach
                is_beside = is_beside and abs(x - (x0 + x1) / 2) < LIMITS.centered * (x1 - x0)
            if is_beside and label is not chart.title and id(label) not in taken and self.view.is_title(label):
                chart.corner = label.text
                chart.used.append(label)
                return

    def _find_axis_title(self, item: AxisTitle, free: list[Label], box: Bbox) -> Label | None:
        axis, reach = item.axis, LIMITS.axis_title_reach
        x0, y0, x1, y1 = box
        if item.side in ("bottom", "top"):
            beside = [
                label
                for label in free
                if label.angle == 0
                and x0 <= label.center[0] <= x1
                and (0 < label.y0 - axis.right < reach if item.side == "bottom" else 0 < axis.left - label.y1 < reach)
            ]
        else:
            beside = [
                label
                for label in free
                if _is_over_axis(label, item)
                or (
                    abs(label.angle) == 90
                    and y0 - 10 <= label.center[1] <= y1 + 10
                    and (
                        -1 <= axis.left - label.x1 < reach
                        if item.side == "left"
                        else -1 <= label.x0 - axis.right < reach
                    )
                )
            ]
        return beside[0] if beside else None

"""A chart as the tree's table: categories as rows and series as columns, each cell with the box of its mark."""

import math
from collections.abc import Iterator

from quire.models.cdom.geometry import Bbox, round_bbox, union_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import ChartAxis, PictureFacts
from quire.models.extract.layout.charts.axes import Axis
from quire.models.extract.layout.charts.marks import Label
from quire.models.extract.layout.charts.numbers import write_value
from quire.models.extract.layout.charts.result import LIMITS, AxisTitle, ReadChart
from quire.models.extract.layout.charts.series import Series, Value

PRINTED, MEASURED = "printed", "measured"
_DECIMALS = 2
"""Decimals of a confidence."""


def make_table(chart: ReadChart) -> Table:
    """Return the table of a chart."""
    count, cols = len(chart.names), len(chart.series) + 1
    cells = [*_make_head(chart)]
    for row in range(count):
        own = chart.name_labels[row] if row < len(chart.name_labels) else []
        cells.append(Cell(row=row + 1, col=0, text=chart.names[row], bbox=_box_of(own)))
        for col, series in enumerate(chart.series, start=1):
            value = series.values.get(row)
            cells.append(
                Cell(row=row + 1, col=col) if value is None else _make_cell(chart, series.axis, value, row + 1, col)
            )
    return Table(rows=count + 1, cols=cols, cells=tuple(cells))


def _make_head(chart: ReadChart) -> Iterator[Cell]:
    yield Cell(row=0, col=0, header=True, text=chart.corner)
    for col, series in enumerate(chart.series, start=1):
        yield Cell(row=0, col=col, header=True, text=_name_of(chart, series), bbox=_box_of(series.names))


def _name_of(chart: ReadChart, series: Series) -> str:
    """Return the name of a series, with the title of its axis if the chart has several or the series no name."""
    title = next((item.title for item in chart.axes if item.axis is series.axis), "")
    has_sides = chart.kind != "scatter" and len({id(item.axis) for item in chart.axes}) > 1
    if not series.name or (title and has_sides):
        return (
            f"{series.name} ({title})"
            if series.name and title
            else title or ("Share" if chart.kind == "pie" else "Value")
        )
    return series.name


def _box_of(labels: list[Label]) -> Bbox | None:
    return round_bbox(union_bbox([label.origin.box for label in labels])) if labels else None


def _make_cell(chart: ReadChart, axis: Axis, value: Value, row: int, col: int) -> Cell:
    """Return the cell of a value: the number printed at its mark, or the measured one."""
    label, confidence = value.label, round(LIMITS.calibrated * chart.confidence, _DECIMALS)
    if label is not None:
        box = union_bbox([value.box, label.origin.box])
        text = value.text or label.text
        return Cell(row=row, col=col, text=text, bbox=round_bbox(box), confidence=confidence, origin=PRINTED)
    text = write_value(value.value, find_precision(chart, axis, value.value)) + axis.unit
    return Cell(
        row=row, col=col, text=text, bbox=round_bbox(value.box), confidence=confidence, origin=MEASURED
    )  # fmt: skip


def find_precision(chart: ReadChart, axis: Axis, value: float) -> float:
    """Return the precision of a measured value, in its unit."""
    step = chart.precision * abs(axis.slope)
    return abs(value) * (math.exp(step * math.log(10)) - 1) if axis.is_log else step


def make_facts(chart: ReadChart) -> PictureFacts:
    """Return what the tree states about a chart."""
    axis = chart.series[0].axis
    precision = find_precision(chart, axis, axis.value(axis.top))
    return PictureFacts(
        kind="chart",
        chart=chart.kind,
        title=chart.title.text if chart.title is not None else "",
        axes=tuple(map(_make_axis, chart.axes)),
        precision=float(f"{precision:.2g}"),
    )


def _make_axis(item: AxisTitle) -> ChartAxis:
    values = sorted((item.axis.numbers[0], item.axis.numbers[-1]))
    return ChartAxis(
        title=item.title,
        unit=item.axis.unit,
        scale="log" if item.axis.is_log else "linear",
        low=values[0],
        high=values[1],
        side=item.side,
    )

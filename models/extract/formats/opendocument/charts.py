"""Charts of OpenDocument files: the content of an object in, a picture block with kind, title, axes and table out."""

from collections.abc import Mapping
from typing import Final

from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import FlowBlock
from quire.models.extract.formats.flow.charts import (
    MAX_POINTS,
    ChartColumn,
    ChartPoint,
    Points,
    StoredAxis,
    StoredChart,
    number_points,
)
from quire.models.extract.formats.flow.sheet import parse_area
from quire.models.extract.formats.opendocument.styles import CHART, OFFICE, STYLE, SVG, TABLE, TEXT, count
from quire.models.extract.formats.sheets.charts import parse_float, show_point

_KINDS: Final = {"circle": "pie", "ring": "pie", "bubble": "scatter", "stock": "line", "filled-radar": "radar"}
"""Kinds whose name differs from that in the file."""
_SIDES: Final = {"left": "bottom", "right": "top"}
"""Sides of value axes of lying bars."""
_MAX_REPEATED: Final = 100
"""Repetitions of one cell of the values."""


def read_chart(content: Element, alt: str = "") -> FlowBlock | None:
    """Return the picture block of a chart with the copy of its values; None for other objects."""
    node = next(content.iter(CHART + "chart"), None)
    table = next(node.iter(TABLE + "table"), None) if node is not None else None
    copy = _Copy(table) if table is not None else None
    if node is None or copy is None or not any(point.text for column in copy.columns for point in column):
        return None
    return _read(node, content, copy).make_block(alt)


class _Copy:
    """The copy of a chart's values: `columns` with their head first.

    A series names its values by their cells in this table or in the sheet. The table states the cells of the sheet.
    """

    def __init__(self, table: Element) -> None:
        rows: list[list[ChartPoint]] = []
        self._name = table.get(TABLE + "name") or "local-table"
        self._places: dict[str, int] = {}
        size = 0
        for row in table.iter(TABLE + "table-row"):
            points: list[ChartPoint] = []
            for cell in row.iterfind(TABLE + "table-cell"):
                text = "\n".join("".join(line.itertext()) for line in cell.iterfind(TEXT + "p")).strip()
                stated = cell.get(OFFICE + "value")
                for place in cell.iter(SVG + "desc"):
                    self._places.setdefault(place.text or "", len(points))
                times = count(cell.get(TABLE + "number-columns-repeated"), _MAX_REPEATED)
                points += [ChartPoint(text, stated if text and stated != text else None)] * times
            rows.append(points)
            size += len(points)
            if size > MAX_POINTS:
                rows = []
                break
        width = max(map(len, rows), default=0)
        self.columns = [[row[col] if col < len(row) else ChartPoint() for row in rows] for col in range(width)]

    def find(self, node: Element, name: str) -> int | None:
        """Return the column whose cells an attribute of a series names."""
        address = node.get(name) or ""
        sheet, _, area = address.partition(".")
        if sheet.strip("'") == self._name and (box := parse_area(area.replace(".", ""))) is not None:
            return box[1] if box[1] < len(self.columns) else None
        return self._places.get(address)

    def points(self, col: int) -> Points:
        """Return the points of a column."""
        return number_points(self.columns[col][1:])


def _read(node: Element, content: Element, copy: _Copy) -> StoredChart:
    styles = {style.get(STYLE + "name"): style for style in content.iter(STYLE + "style")}
    plot = node.find(CHART + "plot-area")
    plot = plot if plot is not None else node
    chart, kind = StoredChart(_title_of(node)), _kind_of(node)
    is_lying = _properties(styles, plot).get(CHART + "vertical") == "true"
    axes: dict[str, int] = {}
    is_dated = False
    for axis in plot.iterfind(CHART + "axis"):
        name, dimension = axis.get(CHART + "name") or "", axis.get(CHART + "dimension")
        if dimension == "y":
            side = "right" if name.startswith("secondary") else "left"
            axes[name] = len(chart.axes)
            chart.axes.append(_read_axis(styles, axis, _SIDES[side] if is_lying else side))
        elif dimension == "x" and not name.startswith("secondary"):
            chart.corner = _title_of(axis)
            chart.x_axis = _read_axis(styles, axis, "bottom") if kind == "scatter" else None
            is_dated = any(key.endswith("}axis-type") and value == "date" for key, value in axis.attrib.items())
    used = _add_series(plot, chart, copy, kind, axes)
    if used < set(range(1, len(copy.columns))):  # its series do not name all of the copy, which is then the table
        chart.columns = [
            ChartColumn(own[0].text, copy.points(col), kind) for col, own in enumerate(copy.columns) if col
        ]
        used = set()
    if 0 not in used and not any(column.across for column in chart.columns):
        names = copy.points(0)
        if is_dated:
            names = {index: show_point(point.value or point.text, "yyyy-mm-dd") for index, point in names.items()}
        chart.levels = [names]
        chart.corner = chart.corner or copy.columns[0][0].text
    return chart


def _add_series(plot: Element, chart: StoredChart, copy: _Copy, kind: str, axes: Mapping[str, int]) -> set[int]:
    """Add the series, and return the columns of the copy that they name. Dots without places have those before them."""
    used: set[int] = set()
    across: Points = {}
    for series in plot.iterfind(CHART + "series"):
        values = copy.find(series, CHART + "values-cell-range-address")
        if values is None:
            return set()
        domains = [copy.find(domain, TABLE + "cell-range-address") for domain in series.iterfind(CHART + "domain")]
        columns = [values, *(domain for domain in domains if domain is not None)]
        used.update(columns)
        if kind == "scatter" and len(columns) > 1:
            across = copy.points(columns[-1])
        has_sizes = len(columns) > 2  # sizes are the values of bubbles, which state their heights before their places
        chart.columns.append(
            ChartColumn(
                copy.columns[values][0].text,
                copy.points(columns[1] if has_sizes else values),
                _kind_of(series) or kind,
                axes.get(series.get(CHART + "attached-axis") or "", 0),
                across,
                copy.points(values) if has_sizes else {},
            )
        )
    return used


def _kind_of(node: Element) -> str:
    name = (node.get(CHART + "class") or "").rpartition(":")[2]
    return _KINDS.get(name, name)


def _title_of(node: Element) -> str:
    """Return the title of a chart or axis with single blanks between words."""
    title = node.find(CHART + "title")
    return " ".join("".join(title.itertext()).split()) if title is not None else ""


def _properties(styles: Mapping[str | None, Element], node: Element) -> Mapping[str, str]:
    style = styles.get(node.get(CHART + "style-name") or "")
    properties = style.find(STYLE + "chart-properties") if style is not None else None
    return {str(key): str(value) for key, value in properties.attrib.items()} if properties is not None else {}


def _read_axis(styles: Mapping[str | None, Element], axis: Element, side: str) -> StoredAxis:
    stated = _properties(styles, axis)
    return StoredAxis(
        side,
        _title_of(axis),
        stated.get(CHART + "logarithmic") == "true",
        low=parse_float(stated.get(CHART + "minimum")),
        high=parse_float(stated.get(CHART + "maximum")),
    )

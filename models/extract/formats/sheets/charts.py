"""Charts and diagrams of Office files: a data part in, a picture block with kind, title, axes and table out."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.xml import A, C, Element, number, tag_of
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
from quire.models.extract.formats.flow.sheet import Workbook, parse_area
from quire.models.extract.formats.sheets.formats import is_date, moment_of, show

CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_NOISY_CHARS: Final = 17
"""Characters of a number as a double is written in full; longer ones end in rounding noise."""
_MAX_FORMULA_CHARS: Final = 1000
"""Characters of a formula that are read: some dozen areas of cells."""
_KINDS: Final = {"bar": "bar", "bar3D": "bar", "line": "line", "line3D": "line", "stock": "line", "area": "area",
                 "area3D": "area", "pie": "pie", "pie3D": "pie", "doughnut": "pie", "ofPie": "pie",
                 "scatter": "scatter", "bubble": "scatter", "radar": "radar", "surface": "surface",
                 "surface3D": "surface"}  # fmt: skip
_NEW_KINDS: Final = {"clusteredColumn": "histogram", "boxWhisker": "box", "regionMap": "map", "paretoLine": "line"}
"""Kinds since 2016 whose name differs from that in the file."""
_SIDES: Final = {"l": "left", "r": "right", "t": "top", "b": "bottom"}
FindCells = Callable[[str], list[list[ChartPoint]]]
"""Returns the rows of cells that a formula names."""


def find_cells(workbook: Workbook, formula: str) -> list[list[ChartPoint]]:
    """Return the rows of the cells that a formula names, such as `Sheet1!$A$2:$B$9`; none for other formulas."""
    rows: list[list[ChartPoint]] = []
    count = 0
    for part in formula[:_MAX_FORMULA_CHARS].strip().removeprefix("=").strip("()").split(","):
        name, _, area = part.rpartition("!")
        name = name.strip().strip("'").replace("''", "'").rpartition("]")[2]
        sheet = next((sheet for sheet in workbook.sheets if sheet.name == name), None)
        box = parse_area(area)
        if sheet is None or box is None:
            return []
        top, left, bottom, right = box
        count += (bottom - top + 1) * (right - left + 1)
        if count > MAX_POINTS:
            return []
        rows += [
            [
                ChartPoint(sheet.cells.get((row, col), ""), sheet.moments.get((row, col)))
                for col in range(left, right + 1)
            ]
            for row in range(top, bottom + 1)
        ]
    return rows


def read_chart(root: Element, find: FindCells = lambda formula: [], alt: str = "") -> FlowBlock:
    """Return the picture block of a chart or diagram; `find` gives the cells of values that the part has no copy of."""
    if root.tag == CX + "chartSpace":
        return _NewChart(root, find).read().make_block(alt)
    if root.tag == C + "chartSpace":
        return _Chart(root, find).read().make_block(alt)
    return FlowBlock(BlockType.PICTURE, _read_lines(root) or alt)


def _read_lines(node: Element | None) -> str:
    """Return the texts of a title or diagram, one paragraph per line."""
    if node is None:
        return ""
    paragraphs = ("".join(text.text or "" for text in line.iter(A + "t")) for line in node.iter(A + "p"))
    lines = [line.strip() for line in paragraphs if line.strip()]
    return "\n".join(lines) or " ".join(value.text or "" for value in node.iter(C + "v", CX + "v")).strip()


class _Chart:
    """A chart of Office 2007 and later."""

    def __init__(self, root: Element, find: FindCells) -> None:
        self._root, self._find = root, find
        self._epoch_1904 = _val(root.find(C + "date1904")) in ("1", "true")
        self._chart = StoredChart()

    def read(self) -> StoredChart:
        """Return the chart."""
        space = self._root.find(C + "chart")
        space = space if space is not None else self._root
        title = space.find(C + "title")
        self._chart.title = _read_lines(title)
        plot = space.find(C + "plotArea")
        parts = list(plot) if plot is not None else []
        axes = {_val(node.find(C + "axId")): node for node in parts if tag_of(node).endswith("Ax")}
        groups = [node for node in parts if tag_of(node).endswith("Chart")] or [space]
        value_axes: list[Element] = []
        for group in groups:
            own = [axes[name] for node in group.iterfind(C + "axId") if (name := _val(node)) in axes]
            self._read_group(group, own, value_axes)
        if title is not None and not self._chart.title and len(self._chart.columns) == 1:
            self._chart.title = self._chart.columns[0].name
        return self._chart

    def _read_group(self, group: Element, axes: list[Element], value_axes: list[Element]) -> None:
        """Add the series of a plot on its axes."""
        chart, kind = self._chart, _KINDS.get(tag_of(group).removeprefix(C).removesuffix("Chart"), "")
        named = next((node for node in axes if node.tag != C + "valAx"), None)
        if kind == "scatter" and len(axes) > 1:
            chart.x_axis = chart.x_axis or self._read_axis(axes[0], group)
            chart.corner = chart.corner or chart.x_axis.title
            axes = axes[1:]
        elif named is not None:
            chart.corner = chart.corner or _read_lines(named.find(C + "title"))
        scale = next((node for node in axes if node.tag == C + "valAx"), None)
        if scale is not None and scale not in value_axes:
            value_axes.append(scale)
            chart.axes.append(self._read_axis(scale, group))
        for node in group.iter(C + "ser"):
            code = _code_of(named) if named is not None and named.tag == C + "dateAx" else ""
            name = self._read_levels(node.find(C + "tx"))[-1:]
            column = ChartColumn(
                " ".join(point.text for point in name[0].values()) if name else node.findtext(f"{C}tx/{C}v") or "",
                self._read_points(node, "val") or self._read_points(node, "yVal"),
                kind,
                value_axes.index(scale) if scale is not None else 0,
                self._read_points(node, "xVal"),
                self._read_points(node, "bubbleSize"),
            )
            chart.columns.append(column)
            chart.levels = chart.levels or self._read_levels(node.find(C + "cat"), len(column.points), code)

    def _read_points(self, series: Element, name: str) -> Points:
        return next(iter(self._read_levels(series.find(C + name))[-1:]), {})

    def _read_levels(self, node: Element | None, count: int = 0, code: str = "") -> list[Points]:
        """Return the levels of a reference, the innermost last: its copy, else the cells that it names."""
        if node is None:
            return []
        levels: list[Points] = [
            {number(point.get("idx")): self._read_point(point, code) for point in level.iter(C + "pt")}
            for level in list(node.iter(C + "lvl"))[::-1] or [node]
        ]
        return levels if any(levels) else _arrange(self._find(node.findtext(f".//{C}f") or ""), count)

    def _read_point(self, point: Element, code: str) -> ChartPoint:
        parent = point.getparent()
        stated = point.get("formatCode") or (parent.findtext(C + "formatCode") if parent is not None else None) or ""
        text = point.findtext(C + "v") or ""
        return show_point(text, code if stated in ("", "General") else stated, epoch_1904=self._epoch_1904)

    def _read_axis(self, node: Element, group: Element) -> StoredAxis:
        """Return a value axis; that of stacks of 100 % has their shares."""
        scaling = node.find(C + "scaling")
        limits = [parse_float(_val(scaling.find(C + name))) if scaling is not None else None for name in ("min", "max")]
        is_share = _val(group.find(C + "grouping")) == "percentStacked"
        low, high = (0.0, 1.0) if is_share and limits == [None, None] else limits
        code = _code_of(node)
        if not code:
            code = next((text.text or "" for text in group.iterfind(f".//{C}val//{C}formatCode")), "")
        return StoredAxis(
            _SIDES.get(_val(node.find(C + "axPos")), "left"),
            _read_lines(node.find(C + "title")),
            scaling is not None and scaling.find(C + "logBase") is not None,
            is_share or "%" in code,
            low,
            high,
        )


class _NewChart:
    """A chart of a kind since 2016: waterfall, treemap, sunburst, funnel, histogram, box, map."""

    def __init__(self, root: Element, find: FindCells) -> None:
        self._root, self._find = root, find

    def read(self) -> StoredChart:
        """Return the chart."""
        chart = StoredChart(_read_lines(self._root.find(f"{CX}chart/{CX}title")))
        data = {node.get("id", ""): node for node in self._root.iterfind(f"{CX}chartData/{CX}data")}
        for axis in self._root.iter(CX + "axis"):
            title = _read_lines(axis.find(CX + "title"))
            scale = axis.find(CX + "valScaling")
            if scale is None:
                chart.corner = chart.corner or title
            elif not chart.axes:
                form = axis.find(CX + "numFmt")
                is_percent = form is not None and "%" in (form.get("formatCode") or "")
                limits = [parse_float(scale.get(name)) for name in ("min", "max")]
                chart.axes.append(StoredAxis("left", title, is_percent=is_percent, low=limits[0], high=limits[1]))
        for series in self._root.iter(CX + "series"):
            own = data.get(_val(series.find(CX + "dataId")))
            if own is None:
                continue
            layout = series.get("layoutId", "")
            name, kind = _read_lines(series.find(CX + "tx")), _NEW_KINDS.get(layout, layout)
            values = [points for node in own.iterfind(CX + "numDim") for points in self._read_levels(node)]
            chart.columns += [ChartColumn(name, points, kind) for points in values]
            count = max(map(len, values), default=0)
            chart.levels = chart.levels or [
                points for node in own.iterfind(CX + "strDim") for points in self._read_levels(node, count)
            ]
        return chart

    def _read_levels(self, node: Element, count: int = 0) -> list[Points]:
        levels: list[Points] = [
            {
                number(point.get("idx")): show_point(point.text or "", level.get("formatCode") or "")
                for point in level.iterfind(CX + "pt")
            }
            for level in list(node.iterfind(CX + "lvl"))[::-1]
        ]
        return levels if any(levels) else _arrange(self._find(node.findtext(CX + "f") or ""), count)


def _val(node: Element | None) -> str:
    return node.get("val", "") if node is not None else ""


def _arrange(rows: Sequence[Sequence[ChartPoint]], count: int) -> list[Points]:
    """Return rows of cells as levels: columns, or the rows where those are as long as there are values."""
    if not rows:
        return []
    lines: Iterator[Sequence[ChartPoint]] = zip(*rows, strict=True)
    is_level = len(rows) == 1 or (len(rows[0]) == count != len(rows))
    return [number_points(line) for line in (rows if is_level else lines)]


def _code_of(axis: Element) -> str:
    """Return the number format of an axis; empty for that of its values."""
    form = axis.find(C + "numFmt")
    code = form.get("formatCode") or "" if form is not None else ""
    return "" if code == "General" else code


def parse_float(text: str | None) -> float | None:
    """Return a stated number, or None."""
    try:
        return float(text) if text else None
    except ValueError:
        return None


def show_point(text: str, code: str, *, epoch_1904: bool = False) -> ChartPoint:
    """Return a stored number as its format displays it, without the noise of binary fractions (4.4000000000000004)."""
    text = text.strip()
    value = parse_float(text)
    if value is None or value != value or abs(value) == float("inf"):
        return ChartPoint(text)
    plain = format(value, ".15g") if len(text) >= _NOISY_CHARS else text
    if code in ("", "General", "@"):
        return ChartPoint(plain)
    shown = show(value, code, epoch_1904=epoch_1904).strip()
    if is_date(code):
        return ChartPoint(shown or plain, moment_of(value, code, epoch_1904=epoch_1904) or None)
    return ChartPoint(shown, plain if shown != plain else None) if shown else ChartPoint(plain)

"""A chart whose data a file states: columns of points in, a picture block with facts and table out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType, ChartAxis, PictureFacts
from quire.models.extract.formats.flow.blocks import FlowBlock

MAX_POINTS: Final = 10_000
"""Cells of the table that a chart becomes; a chart with more is a point cloud and not readable as a table."""
STORED: Final = "stored"


class ChartPoint(NamedTuple):
    """A value or name of a chart as it is displayed; `value` is the stored number or ISO date where it differs."""

    text: str = ""
    value: str | None = None

    @property
    def number(self) -> float | None:
        """Return the stored number."""
        try:
            return float(self.value or self.text)
        except ValueError:
            return None


Points = Mapping[int, ChartPoint]
"""Points by index."""


@dataclass(slots=True)
class StoredAxis:
    """An axis as a file states it; without a stated range it is that of its values."""

    side: str
    title: str = ""
    is_log: bool = False
    is_percent: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(slots=True)
class ChartColumn:
    """A series: its points, and for dots their places across and their sizes. `axis` is an index."""

    name: str
    points: Points
    kind: str = ""
    axis: int = 0
    across: Points = field(default_factory=dict)
    sizes: Points = field(default_factory=dict)


@dataclass(slots=True)
class StoredChart:
    """A chart as a file states it. `levels` name its categories, the innermost last; `x_axis` is that of dots."""

    title: str = ""
    columns: list[ChartColumn] = field(default_factory=list)
    levels: list[Points] = field(default_factory=list)
    corner: str = ""
    axes: list[StoredAxis] = field(default_factory=list)
    x_axis: StoredAxis | None = None

    def make_block(self, alt: str = "") -> FlowBlock:
        """Return the picture block of the chart."""
        kinds = {column.kind for column in self.columns}
        facts = PictureFacts(
            kind="chart",
            chart=kinds.pop() if len(kinds) == 1 else "combined" if kinds else "",
            title=self.title,
            axes=tuple(self._make_axes()),
        )
        return FlowBlock(BlockType.PICTURE, self.title or alt, table=self._make_table(), picture=facts)

    def _make_axes(self) -> Iterator[ChartAxis]:
        owned: list[tuple[StoredAxis, list[Points]]] = [
            (axis, [column.points for column in self.columns if column.axis == index])
            for index, axis in enumerate(self.axes)
        ]
        if self.x_axis is not None:
            owned.append((self.x_axis, [column.across for column in self.columns]))
        for axis, points in owned:
            numbers = [number for own in points for point in own.values() if (number := point.number) is not None]
            if not numbers and None in (axis.low, axis.high):
                continue
            low = axis.low if axis.low is not None else min(numbers)
            high = axis.high if axis.high is not None else max(numbers)
            factor = 100 if axis.is_percent else 1
            yield ChartAxis(
                title=axis.title,
                unit="%" if axis.is_percent else "",
                scale="log" if axis.is_log else "linear",
                low=float(f"{low * factor:.12g}"),
                high=float(f"{high * factor:.12g}"),
                side=axis.side,
            )

    def _make_table(self) -> Table | None:
        if not any(column.points for column in self.columns):
            return None
        if any(column.sizes for column in self.columns) or self._differ_across():
            return make_table([*self._list_dots()], named=1)
        levels = self.levels or [column.across for column in self.columns[:1] if column.across]
        parts = [*levels, *(column.points for column in self.columns)]
        indexes = sorted({index for points in parts for index in points})
        if len(indexes) * len(parts) > MAX_POINTS:
            return None
        parts[: len(levels)] = levels = _fill_down(levels, indexes)
        levels = levels or [{}]
        names = [*([""] * (len(levels) - 1)), self.corner, *map(self._name_of, self.columns)]
        rows = [[points.get(index, ChartPoint()) for points in parts] for index in indexes]
        if len(parts) == len(self.columns):
            rows = [[ChartPoint(), *row] for row in rows]
        return make_table([[*map(ChartPoint, names)], *rows], named=len(levels))

    def _differ_across(self) -> bool:
        """Return whether series of dots have different places."""
        return any(column.across != self.columns[0].across for column in self.columns)

    def _list_dots(self) -> Iterator[list[ChartPoint]]:
        has_sizes = any(column.sizes for column in self.columns)
        if sum(len(column.points) for column in self.columns) * (3 + has_sizes) > MAX_POINTS:
            return
        x_title = self.x_axis.title if self.x_axis is not None else ""
        y_title = self.axes[0].title if self.axes else ""
        yield [*map(ChartPoint, ("", x_title or "x", y_title or "y", *(["size"] if has_sizes else [])))]
        for column in self.columns:
            for index, point in sorted(column.points.items()):
                x = column.across.get(index, ChartPoint(str(index + 1)) if not column.across else ChartPoint())
                size = [column.sizes.get(index, ChartPoint())] if has_sizes else []
                yield [ChartPoint(column.name), x, point, *size]

    def _name_of(self, column: ChartColumn) -> str:
        """Return the name of a series, with the title of its axis if there are several or it has no name."""
        title = self.axes[column.axis].title if column.axis < len(self.axes) else ""
        if title and column.name and len({other.axis for other in self.columns}) > 1:
            return f"{column.name} ({title})"
        return column.name or title


def part_caption(chart: FlowBlock) -> list[FlowBlock]:
    """Return a chart that was read, below its text as a caption; other pictures keep their text."""
    if chart.table is None or not chart.text:
        return [chart]
    text, chart.text = chart.text, ""
    return [
        replace(chart, type=BlockType.CAPTION, text=text, table=None, picture=None, asset=None, parent=chart),
        chart,
    ]


def _fill_down(levels: Sequence[Points], indexes: Sequence[int]) -> list[Points]:
    """Return levels of categories with the names of outer ones, stated only where they begin, at each category."""
    filled: list[Points] = []
    for depth, points in enumerate(levels[:-1]):
        whole, name = dict[int, ChartPoint](), ChartPoint()
        for index in indexes:
            begins = any(index in outer for outer in levels[:depth])
            name = whole[index] = points.get(index, ChartPoint() if begins else name)
        filled.append(whole)
    return [*filled, *levels[-1:]]


def make_table(rows: Sequence[Sequence[ChartPoint]], *, named: int = 1) -> Table | None:
    """Return rows as a table whose first row is the header and whose first `named` columns are names."""
    if not rows:
        return None
    cells = tuple(
        Cell(
            row=row,
            col=col,
            header=row == 0,
            text=point.text,
            value=point.value,
            origin=STORED if row and col >= named and point.text else None,
        )
        for row, points in enumerate(rows)
        for col, point in enumerate(points)
    )
    return Table(rows=len(rows), cols=max(map(len, rows)), cells=cells)


def number_points(points: Iterable[ChartPoint]) -> Points:
    """Return points by their index, without empty ones."""
    return {index: point for index, point in enumerate(points) if point.text}

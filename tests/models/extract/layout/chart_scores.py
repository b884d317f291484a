"""The share of a chart's values that are in the tables read."""

import math

from quire.models.cdom.table import Table
from quire.models.extract.layout.charts.numbers import read_number
from tests.models.extract.layout.chart_makers import Spec


def count_right(spec: Spec, tables: list[Table]) -> tuple[int, int]:
    """Return how many values are in the row of their category and the column of their series, and how many there are.

    A value may differ by 1 %, a share of a pie by half a percent, a point of a scatter by 1 % of its axis.
    """
    grids = [{(cell.row, cell.col): cell.text for cell in table.cells} for table in tables]
    if spec.kind == "scatter":
        wanted = [(key, *point) for key, points in spec.points.items() for point in points]
        rows = [[grid.get((row, col), "") for col in range(3)] for grid in grids for row in range(1, len(grid) // 3)]
        found = [(name, _read(x), _read(y)) for name, x, y in rows]
        right = sum(
            any(abs(a - x) < 1 and abs(b - y) < spec.top / 100 and name == key for name, a, b in found)
            for key, x, y in wanted
        )
        return right, len(wanted)
    right = 0
    for name, key, value in spec.facts:
        tolerance = 0.5 if spec.kind in ("pie", "donut") else abs(value) / 100
        right += any(
            abs(_read(text) - value) <= tolerance
            and grid.get((row, 0)) == name
            and (grid.get((0, col)) == key or len(spec.series) == 1)
            for grid in grids
            for (row, col), text in grid.items()
            if row and col
        )
    return right, len(spec.facts)


def _read(text: str) -> float:
    number = read_number(text)
    return number.value if number is not None else math.inf

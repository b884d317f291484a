"""Tables of a document: cells with places, and the grid as pandas or Arrow data."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MOST_ROWS = 60
"""Rows of a table that a notebook shows."""
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points, from the top left corner of the page."""


@dataclass(frozen=True)
class Cell:
    """One cell; `row` and `col` count from 0. `bbox` is None where the format has no places.

    `value` is the ISO date or time of a spreadsheet cell with a date format.
    """

    row: int
    col: int
    text: str = ""
    row_span: int = 1
    col_span: int = 1
    header: bool = False
    bbox: Box | None = None
    confidence: float = 1.0
    value: str | None = None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Cell":
        """Return the cell of its JSON; unknown keys are ignored."""
        known = {name: raw[name] for name in _CELL_FIELDS if name in raw}
        return cls(**known, bbox=box_of(raw))

    def to_html(self) -> str:
        """Return the cell as an HTML element. Its text is escaped."""
        element = "th" if self.header else "td"
        spans = {"rowspan": self.row_span, "colspan": self.col_span}
        attributes = "".join(f' {name}="{count}"' for name, count in spans.items() if count > 1)
        return f"<{element}{attributes}>{escape(self.text)}</{element}>"


_CELL_FIELDS = ("row", "col", "text", "row_span", "col_span", "header", "confidence", "value")


@dataclass(frozen=True)
class TablePart:
    """The part of a table on one page: `rows` rows after those of the parts before it."""

    page: int
    rows: int
    bbox: Box | None = None


@dataclass(frozen=True)
class Table:
    """One table. A table that continues over pages is one table with `parts`."""

    block_id: str
    page: int
    bbox: Box | None
    rows: int
    cols: int
    cells: list[Cell] = field(repr=False)
    parts: list[TablePart] = field(repr=False)

    @classmethod
    def of(cls, block: Mapping[str, Any]) -> "Table":
        """Return the table of a block of type `table`."""
        raw = block["table"]
        parts = [TablePart(part["page"], part["rows"], box_of(part)) for part in raw.get("parts", ())]
        cells = [Cell.of(cell) for cell in raw["cells"]]
        return cls(block["id"], block["page"], box_of(block), raw["rows"], raw["cols"], cells, parts)

    @cached_property
    def grid(self) -> list[list[str]]:
        """Texts by row and column. A cell that spans several places has its text in each."""
        grid = [[""] * self.cols for _ in range(self.rows)]
        for cell in self.cells:
            for row in range(cell.row, min(cell.row + cell.row_span, self.rows)):
                for col in range(cell.col, min(cell.col + cell.col_span, self.cols)):
                    grid[row][col] = cell.text
        return grid

    @cached_property
    def header_rows(self) -> int:
        """Number of rows at the top whose cells are all headers."""
        body = [cell.row for cell in self.cells if not cell.header]
        return min(body, default=self.rows)

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns: their header texts from top to bottom, unique; `column_1` where there is none."""
        names: list[str] = []
        for col in range(self.cols):
            texts = dict.fromkeys(row[col].strip() for row in self.grid[: self.header_rows])
            base = name = " ".join(text for text in texts if text) or f"column_{col + 1}"
            number = 1
            while name in names:
                number += 1
                name = f"{base}_{number}"
            names.append(name)
        return names

    @property
    def body(self) -> list[list[str]]:
        """Rows below the header."""
        return self.grid[self.header_rows :]

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table as a pandas data frame of texts. Needs `pip install quire-client[tables]`."""
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> "pa.Table":
        """Return the table as an Arrow table of texts. Needs `pip install quire-client[tables]`."""
        import pyarrow as pa

        columns = [[row[col] for row in self.body] for col in range(self.cols)]
        return pa.table([pa.array(column, pa.string()) for column in columns], names=self.columns)

    def to_csv(self) -> str:
        """Return the table as CSV with a header line."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.body])
        return out.getvalue()

    def _repr_html_(self) -> str:
        rows: dict[int, list[Cell]] = {}
        for cell in self.cells:
            if cell.row < MOST_ROWS:
                rows.setdefault(cell.row, []).append(cell)
        lines = ["<tr>" + "".join(cell.to_html() for cell in cells) + "</tr>" for _, cells in sorted(rows.items())]
        more = f"<p><i>{self.rows - MOST_ROWS} more rows</i></p>" if self.rows > MOST_ROWS else ""
        return f"<table>{''.join(lines)}</table>{more}"


def box_of(raw: Mapping[str, Any]) -> Box | None:
    """Return the box of a JSON object, or None if it has none."""
    box = raw.get("bbox")
    return None if box is None else (box[0], box[1], box[2], box[3])

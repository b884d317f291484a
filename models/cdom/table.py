"""A table inside a block: a grid of cells with spans and header marks. Pure data."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import FailFast, Field

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.span import Span

T = TypeVar("T")
Many = Annotated[tuple[T, ...], FailFast()]
"""A tuple whose validation stops at the first wrong item.

Without it each wrong item costs an error of a kilobyte: 5 MB of zeros in place of cells took 4 GB of memory.
"""

SHARE_SUM = "share-sum"
"""The kind of check that blames no single cell."""


def is_empty(values: tuple[object, ...]) -> bool:
    """Return whether a field that is left out when empty is empty."""
    return not values


def is_none(value: object) -> bool:
    """Return whether a field that is left out when null is null."""
    return value is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell; `row` and `col` are 0-based and name its top-left place in the grid.

    `confidence`: the chance (0..1) that its text is right and stands where it belongs. `value`: the ISO date or time
    of a cell of a spreadsheet with a date format, whose text may leave open which part is the month; in charts also the
    stored number of a value that its format displays otherwise. `spans`: styles and links in its text, as in a block.
    `origin`, in charts: `printed` where the page prints the value, `measured`, or `stored` where the file states it.
    """

    row: int
    col: int
    row_span: int = 1
    col_span: int = 1
    header: bool = False
    text: str = ""
    bbox: Bbox | None = None
    confidence: float = 1.0
    value: str | None = None
    spans: Annotated[Many[Span], Field(exclude_if=is_empty)] = ()
    origin: Annotated[str | None, Field(exclude_if=is_none)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCheck:
    """An arithmetic rule of a table. `cells` are indices; when the rule does not hold, the last is the doubtful cell.

    `kind`: `column-sum` and `row-sum` (the total last), `running-balance` (old balance, new balance, movement),
    `share-sum` (percentages that make 100; any may be wrong), `date-order` (a column of dates), `date` (invalid date).
    """

    kind: str
    cells: tuple[int, ...]
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """The part of a table on one page: `rows` rows after those of the parts before it.

    `bbox` is around everything printed there, including a repeated header.
    """

    page: int
    bbox: Bbox | None = None
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`rows` × `cols` places, each covered by at most one cell; cells are in row-major order.

    `checks` are the sums found in it; one that does not hold shows that a figure was misread or misprinted.
    `parts`, in order and with all rows between them, describe a table over several pages; empty for a single page.
    """

    rows: int
    cols: int
    cells: Many[Cell] = ()
    checks: Many[TableCheck] = ()
    parts: Many[TablePart] = ()

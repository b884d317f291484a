"""A table inside a block: a grid of cells with spans and header marks. Pure data."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import FailFast

from models.cdom.geometry import Bbox

T = TypeVar("T")
Many = Annotated[tuple[T, ...], FailFast()]
"""A tuple whose validation stops at the first wrong item.

Without it each wrong item costs an error of a kilobyte: 5 MB of zeros in place of cells took 4 GB of memory.
"""

SHARE_SUM = "share-sum"
"""The kind of check that blames no single cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell; `row` and `col` are 0-based and name its top-left place in the grid.

    `confidence`: the chance (0..1) that its text is right and stands where it belongs.
    """

    row: int
    col: int
    row_span: int = 1
    col_span: int = 1
    header: bool = False
    text: str = ""
    bbox: Bbox | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCheck:
    """What a table promises of its figures; `cells` are indices, the last is the one in doubt where it does not hold.

    `kind`: `column-sum` and `row-sum` (the total last), `running-balance` (what the balance was, what it is, what moved
    it), `share-sum` (percentages that make 100; any may be wrong), `date-order` (a column of dates), `date` (no day).
    """

    kind: str
    cells: tuple[int, ...]
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePart:
    """What of a table stands on one page: `rows` rows after those of the parts before it.

    `bbox` is around all that is printed there, a repeated header among it.
    """

    page: int
    bbox: Bbox | None = None
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`rows` × `cols` places, each covered by at most one cell; cells stand in row-major order.

    `checks` are the sums found in it; one that does not hold says that a figure was read (or printed) wrongly.
    `parts`, in order and with all rows between them, where it goes on over pages; empty for a table on one page.
    """

    rows: int
    cols: int
    cells: Many[Cell] = ()
    checks: Many[TableCheck] = ()
    parts: Many[TablePart] = ()

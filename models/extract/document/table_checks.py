"""Checks that prove a table: totals against the figures that they add up.

A row or column is a total by its label. It is checked where the table shows that it adds up: another total of the same
row or column holds, or one wrong digit explains the difference. Averages and medians are not checked.
"""

from dataclasses import dataclass, replace
from decimal import Decimal

from quire.models.cdom.flags import CHECK_FAILED
from quire.models.cdom.table import SHARE_SUM, Table, TableCheck
from quire.models.cdom.tree import FlagSpan
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.draft import Draft
from quire.models.extract.document.series_checks import TOTAL, check_series, is_one_digit, read_figure, tolerance_of


@dataclass(frozen=True, slots=True)
class TableCheckLimits:
    """Limits for sums that prove a table."""

    least: int = 2
    """Least addends of a sum."""
    most: int = 400
    """Rows beyond which totals are not checked."""
    most_cells: int = 20000
    """Cells of a table whose sums are checked: the search grows with rows times columns."""
    doubt: float = 0.7
    """Factor by which a failing check lowers a table's confidence."""


LIMITS = TableCheckLimits()

Figure = tuple[int, Decimal]
"""Index of a cell and its value."""


def check_blocks(drafts: list[Draft]) -> list[PageBlock]:
    """Return the blocks of the drafts with the checks of their tables."""
    return [check_block(draft.block) for draft in drafts]


def leave_unchecked(drafts: list[Draft]) -> list[PageBlock]:
    """Return the blocks as they are."""
    return [draft.block for draft in drafts]


def check_block(block: PageBlock) -> PageBlock:
    """Return the block with the checks of its table; failing ones are flagged and lower its confidence."""
    if block.table is None or block.picture is not None or len(block.table.cells) > LIMITS.most_cells:
        return block
    checks = check_table(block.table)
    if not checks:
        return block
    table = replace(block.table, checks=checks)
    if all(check.holds for check in checks):
        return replace(block, table=table)
    failing = sorted({check.cells[-1] for check in checks if not check.holds and check.kind != SHARE_SUM})
    spans = tuple(FlagSpan(flag=CHECK_FAILED, start=0, end=len(table.cells[cell].text), cell=cell) for cell in failing)
    return replace(
        block,
        table=table,
        confidence=round(block.confidence * LIMITS.doubt, 3),
        flags=(*block.flags, CHECK_FAILED),
        flag_spans=(*block.flag_spans, *spans),
    )


def check_table(table: Table) -> tuple[TableCheck, ...]:
    """Return sums of columns and rows, balances, shares and dates, in reading order of their last cells."""
    grid = {(cell.row, cell.col): index for index, cell in enumerate(table.cells)}
    down = _check(table, grid, turned=False)
    along = _check(table, grid, turned=True)
    return tuple(sorted([*down, *along, *check_series(table, grid)], key=lambda check: (check.cells[-1], check.kind)))


def _check(table: Table, grid: dict[tuple[int, int], int], *, turned: bool) -> list[TableCheck]:
    """Check the total rows of a table (its total columns when it is `turned`)."""
    rows, cols = (table.cols, table.rows) if turned else (table.rows, table.cols)

    def cell(row: int, col: int) -> int | None:
        return grid.get((col, row) if turned else (row, col))

    labels = [_is_total_label(table, [cell(row, col) for col in range(min(cols, 3))]) for row in range(rows)]
    kind = "row-sum" if turned else "column-sum"
    checks: list[TableCheck] = []
    for total in (row for row in range(LIMITS.least, min(rows, LIMITS.most)) if labels[row]):
        checks += _check_total(
            table, [[cell(row, col) for row in range(total + 1)] for col in range(cols)], labels, kind
        )
    return checks


def _is_total_label(table: Table, cells: list[int | None]) -> bool:
    """Return whether the first text among the cells names a total."""
    text = next((table.cells[i].text for i in cells if i is not None and table.cells[i].text.strip()), "")
    return TOTAL.match(text) is not None


def _check_total(table: Table, columns: list[list[int | None]], labels: list[bool], kind: str) -> list[TableCheck]:
    """Return the checks of one total, one per column; none when the table adds up nowhere."""
    sums: list[tuple[list[Figure], Figure]] = []
    for column in columns:
        figures = [(row, _figure(table, index)) for row, index in enumerate(column)]
        *above, (_, last) = figures
        if last is None:
            continue
        addends = _pick_addends([(row, figure) for row, figure in above if figure is not None], labels, last)
        if len(addends) >= LIMITS.least:
            sums.append((addends, last))
    gaps = [sum((value for _, value in addends), Decimal(0)) - last[1] for addends, last in sums]
    holds = [abs(gap) <= _tolerance([*addends, last]) for gap, (addends, last) in zip(gaps, sums, strict=True)]
    proven = sum(holds) >= max(1, len(holds) / 2)
    return [
        TableCheck(kind=kind, cells=(*(index for index, _ in addends), last[0]), holds=hold)
        for gap, hold, (addends, last) in zip(gaps, holds, sums, strict=True)
        if hold or (is_one_digit(gap) and (proven or len(sums) == 1))
    ]


def _pick_addends(above: list[tuple[int, Figure]], labels: list[bool], last: Figure) -> list[Figure]:
    """Return the figures that the total adds up.

    Candidates are the figures since the total above, the totals above, and all figures but totals. The first that fits
    is returned, or the figures since the last total.
    """
    before = max((row for row, _ in above if labels[row]), default=-1)
    since = [figure for row, figure in above if row > before]
    totals = [figure for row, figure in above if labels[row]]
    plain = [figure for row, figure in above if not labels[row]]
    for addends in (since, totals, plain, [*totals[-1:], *since]):
        if len(addends) >= LIMITS.least and abs(sum(v for _, v in addends) - last[1]) <= _tolerance([*addends, last]):
            return addends
    return since if len(since) >= LIMITS.least else plain


def _tolerance(figures: list[Figure]) -> Decimal:
    return tolerance_of([value for _, value in figures])


def _figure(table: Table, index: int | None) -> Figure | None:
    if index is None or table.cells[index].header:
        return None
    value = read_figure(table.cells[index].text)
    return None if value is None else (index, value)

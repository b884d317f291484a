"""Checks of what follows on each other in a table: running balances, percentages that make 100, dates in order.

Stated only of columns that show their rule: most balances follow from the one before, another column of shares makes
100, all dates but one stand in order. An alarm needs, as for totals, a difference that one wrong digit makes.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from itertools import pairwise

from models.cdom.table import SHARE_SUM, Table, TableCheck
from models.extract.document.figures import is_one_digit, read_figure, tolerance_of

RUNNING_BALANCE, DATE_ORDER, DATE = "running-balance", "date-order", "date"

_BALANCE = re.compile(r"\b(?:balance|saldo|solde|kontostand|running total)\b", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)|(\d{1,2})([./])(\d{1,2})\5(\d{4})")
_MOST_ROWS, _MOST_COLUMNS = 400, 16
"""Rows and columns beyond which a table is not checked: pairs of columns are tried for every row."""
_LEAST_BALANCES, _BALANCE_SHARE = 3, 2 / 3
"""Balances that must follow from the one before, and their share of all: fewer show no rule."""
_LEAST_SHARES, _LEAST_DATES, _MANY_DATES = 3, 4, 8
"""Percentages that make 100, dates in order that are a rule, and as many that one of them out of order is an error."""
_WHOLE = Decimal(100)

Column = list[int | None]
"""Indices of the cells of a column, a place a row."""
Moves = tuple[tuple[int, int], ...]
"""Columns that move a balance, each with its sign."""
Reader = Callable[[str], date | None]


def check_series(table: Table, grid: dict[tuple[int, int], int]) -> list[TableCheck]:
    """All such checks of the table; `grid` gives the cell that begins in a place."""
    if not 2 < table.rows <= _MOST_ROWS or table.cols > _MOST_COLUMNS:
        return []
    columns = [[_body(table, grid.get((row, col))) for row in range(table.rows)] for col in range(table.cols)]
    heads = [_head_of(table, grid, col) for col in range(table.cols)]
    return [*_check_balances(table, columns, heads), *_check_shares(table, columns), *_check_dates(table, columns)]


def _body(table: Table, at: int | None) -> int | None:
    return None if at is None or table.cells[at].header else at


def _head_of(table: Table, grid: dict[tuple[int, int], int], col: int) -> str:
    """The texts over the column: its header cells, or its first cell."""
    held = [at for row in range(table.rows) if (at := grid.get((row, col))) is not None]
    heads = [at for at in held if table.cells[at].header] or held[:1]
    return " ".join([table.cells[at].text for at in heads])


def _check_balances(table: Table, columns: list[Column], heads: list[str]) -> Iterator[TableCheck]:
    """Every balance of a column so named against the one before it and what moved it."""
    named = [col for col, head in enumerate(heads) if _BALANCE.search(head)]
    if not named:
        return
    values = [[None if at is None else read_figure(table.cells[at].text) for at in column] for column in columns]
    for balance in named:
        others = [col for col in range(table.cols) if col not in named and any(v is not None for v in values[col])]
        best: list[tuple[int, int, Moves, Decimal]] = []
        for moves in _ways(others):
            for step in (1, -1):
                steps = list(_balance_steps(values, balance, moves, step))
                if _count_held(steps) > _count_held(best):
                    best = steps
        yield from _state_balances(columns, balance, best)


def _ways(columns: list[int]) -> Iterator[Moves]:
    """One column of signed figures, or two of which one adds and the other takes."""
    for one in columns:
        yield ((one, 1),)
        yield ((one, -1),)
        yield from (((one, 1), (other, -1)) for other in columns if other != one)


def _balance_steps(
    values: list[list[Decimal | None]], balance: int, moves: Moves, step: int
) -> Iterator[tuple[int, int, Moves, Decimal]]:
    """(row before, row, moves, difference) wherever two rows with a balance stand together, in the order of time."""
    held = [row for row, value in enumerate(values[balance]) if value is not None][::step]
    for before, row in pairwise(held):
        if abs(row - before) != 1:
            continue
        was, now = values[balance][before], values[balance][row]
        moved = [sign * value for col, sign in moves if (value := values[col][row]) is not None]
        if was is not None and now is not None and moved:
            yield before, row, moves, now - was - sum(moved)


def _count_held(steps: list[tuple[int, int, Moves, Decimal]]) -> int:
    return sum(not gap for *_, gap in steps)


def _state_balances(
    columns: list[Column], balance: int, steps: list[tuple[int, int, Moves, Decimal]]
) -> Iterator[TableCheck]:
    """A wrong balance breaks two steps by the same difference and is blamed for both; else what moved it is."""
    held = _count_held(steps)
    if held < _LEAST_BALANCES or held < _BALANCE_SHARE * (len(steps) - 1):
        return
    blamed = False
    for at, (before, row, moves, gap) in enumerate(steps):
        following = steps[at + 1][3] if at + 1 < len(steps) else None
        is_balance = gap != 0 and following == -gap
        moved = [cell for col, _ in moves if (cell := columns[col][row]) is not None]
        ends = [cell for cell in (columns[balance][before], columns[balance][row]) if cell is not None]
        if not gap or (not blamed and is_one_digit(gap)):
            cells = (*moved, *ends) if is_balance else (*ends, *moved)
            yield TableCheck(kind=RUNNING_BALANCE, cells=cells, holds=not gap)
        blamed = is_balance and not blamed


def _check_shares(table: Table, columns: list[Column]) -> Iterator[TableCheck]:
    """Columns of percentages that make 100; one that misses it by a digit is stated where another makes it."""
    found: list[tuple[tuple[int, ...], Decimal, bool]] = []
    for column in columns:
        shares = [at for at in column if at is not None and "%" in table.cells[at].text]
        values = [read_figure(table.cells[at].text) for at in shares]
        figures = [value for value in values if value is not None]
        if len(figures) < _LEAST_SHARES or len(figures) < len(values) or max(figures) >= _WHOLE or min(figures) < 0:
            continue
        gap = sum(figures, Decimal(0)) - _WHOLE
        allowed = max(tolerance_of(figures), Decimal(1) if all(v == int(v) for v in figures) else Decimal(0))
        found.append((tuple(shares), gap, abs(gap) <= allowed))
    proven = any(holds for *_, holds in found)
    for cells, gap, holds in found:
        if holds or (proven and is_one_digit(gap)):
            yield TableCheck(kind=SHARE_SUM, cells=cells, holds=holds)


def _check_dates(table: Table, columns: list[Column]) -> Iterator[TableCheck]:
    """Columns of dates: days that there are, in order up or down."""
    for column in columns:
        held = [at for at in column if at is not None and _DATE.fullmatch(table.cells[at].text.strip())]
        if len(held) < _LEAST_DATES or len(held) < sum(at is not None and table.cells[at].text != "" for at in column):
            continue
        texts = [table.cells[at].text.strip() for at in held]
        best = max((_read_day_first, _read_month_first), key=lambda read: _rate(read, texts))
        days = [best(text) for text in texts]
        wrong = [at for at, day in zip(held, days, strict=True) if day is None]
        if len(wrong) == 1:
            yield TableCheck(kind=DATE, cells=(wrong[0],), holds=False)
        if not wrong:
            yield from _check_order(held, texts, best)


def _rate(read: Reader, texts: list[str]) -> tuple[int, int]:
    """How many are dates, and how well they stand in order."""
    days = [day for text in texts if (day := read(text)) is not None]
    up = sum(one <= other for one, other in pairwise(days))
    return len(days), max(up, len(days) - 1 - up)


def _read_day_first(text: str) -> date | None:
    return _make_date(text, month_first=False)


def _read_month_first(text: str) -> date | None:
    return _make_date(text, month_first=True)


def _make_date(text: str, *, month_first: bool) -> date | None:
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    if found[1]:
        year, month, day = found[1], found[2], found[3]
    else:
        first, second, year = found[4], found[6], found[7]
        month, day = (first, second) if month_first and found[5] == "/" else (second, first)
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _check_order(held: list[int], texts: list[str], read: Reader) -> Iterator[TableCheck]:
    days = [day for text in texts if (day := read(text)) is not None]
    for turned in (days, [date.fromordinal(date.max.toordinal() - day.toordinal()) for day in days]):
        if _rises(turned):
            yield TableCheck(kind=DATE_ORDER, cells=tuple(held), holds=True)
            return
    if len(days) < _MANY_DATES:
        return
    odd = [at for at in range(len(days)) if _is_misread(at, days, texts, read)]
    if len(odd) == 1:
        yield TableCheck(kind=DATE_ORDER, cells=(*held[: odd[0]], *held[odd[0] + 1 :], held[odd[0]]), holds=False)


def _rises(days: list[date]) -> bool:
    return all(one <= other for one, other in pairwise(days))


def _is_misread(at: int, days: list[date], texts: list[str], read: Reader) -> bool:
    """True when all dates but this one are in order, and another digit in one place puts it in order as well."""
    rest = days[:at] + days[at + 1 :]
    if not (_rises(rest) or _rises(rest[::-1])):
        return False
    around = sorted([day for place in (at - 1, at + 1) if 0 <= place < len(days) for day in [days[place]]])
    text = texts[at]
    changed = (
        text[:place] + digit + text[place + 1 :]
        for place, char in enumerate(text)
        if char.isdigit()
        for digit in "0123456789"
    )
    return any(day is not None and around[0] <= day <= around[-1] for day in map(read, changed))

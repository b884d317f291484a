"""Checks of sequences in a table: running balances, percentages that add up to 100, dates in order.

Made only where columns show their rule: most balances follow from the one before, another column of shares adds up to
100, all dates but one are in order. An alarm needs, as for totals, a difference that one wrong digit makes. Also reads
figures as tables print them: signs, brackets, currencies and grouped digits, parsed to exact numbers.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from itertools import pairwise

from quire.models.cdom.table import SHARE_SUM, Table, TableCheck

RUNNING_BALANCE, DATE_ORDER, DATE = "running-balance", "date-order", "date"

_BALANCE = re.compile(r"\b(?:balance|saldo|solde|kontostand|running total)\b", re.IGNORECASE)
TOTAL = re.compile(
    r"\s*(?:grand |sub-?|net )?(?:totals?|sum|summe|gesamt\w*|zwischensumme|totale|total général|suma|somme)\b", re.I
)
"""The start of the label of a row that is the sum of others."""
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)|(\d{1,2})([./])(\d{1,2})\5(\d{4})")
_MOST_ROWS, _MOST_COLUMNS = 20_000, 16
"""Rows and columns beyond which a table is not checked: pairs of columns are compared for every row."""
_LEAST_BALANCES, _BALANCE_SHARE = 3, 2 / 3
"""Balances that must follow from the one before, and their share of all: fewer show no rule."""
_LEAST_SHARES, _LEAST_DATES, _MANY_DATES = 3, 4, 8
"""Percentages that add up to 100; dates in order that are a rule; dates among which one out of order is an error."""
_WHOLE = Decimal(100)

Column = list[int | None]
"""Indices of the cells of a column, one per row."""
Moves = tuple[tuple[int, int], ...]
"""Columns that change a balance, each with its sign."""
Reader = Callable[[str], date | None]


def check_series(table: Table, grid: dict[tuple[int, int], int]) -> list[TableCheck]:
    """Return all such checks of the table; `grid` maps (row, column) to the cell that begins there."""
    if not 2 < table.rows <= _MOST_ROWS or table.cols > _MOST_COLUMNS:
        return []
    columns = [[_body_cell(table, grid.get((row, col))) for row in range(table.rows)] for col in range(table.cols)]
    heads = [_head_of(table, grid, col) for col in range(table.cols)]
    return [*_check_balances(table, columns, heads), *_check_shares(table, columns), *_check_dates(table, columns)]


def _body_cell(table: Table, index: int | None) -> int | None:
    return None if index is None or table.cells[index].header else index


def _head_of(table: Table, grid: dict[tuple[int, int], int], col: int) -> str:
    """Return the texts above the column: its header cells, or its first cell."""
    indexes = [index for row in range(table.rows) if (index := grid.get((row, col))) is not None]
    heads = [index for index in indexes if table.cells[index].header] or indexes[:1]
    return " ".join([table.cells[index].text for index in heads])


def _check_balances(table: Table, columns: list[Column], heads: list[str]) -> Iterator[TableCheck]:
    """Check every balance in the columns with such a header against the one before and its changes."""
    named = [col for col, head in enumerate(heads) if _BALANCE.search(head)]
    if not named:
        return
    values = [[None if i is None else read_figure(table.cells[i].text) for i in column] for column in columns]
    totals = frozenset(row for row in range(table.rows) if _is_total_row(table, columns, row))
    for balance in named:
        others = [col for col in range(table.cols) if col not in named and any(v is not None for v in values[col])]
        best: list[tuple[int, int, Moves, Decimal]] = []
        for moves in _list_moves(others):
            for step in (1, -1):
                steps = list(_balance_steps(values, balance, moves, step, totals))
                if _count_held(steps) > _count_held(best):
                    best = steps
        yield from _state_balances(columns, balance, best)


def _is_total_row(table: Table, columns: list[Column], row: int) -> bool:
    """Return whether the first text of a row names a total, whose figures are not movements."""
    cells = (column[row] for column in columns[:3])
    text = next((table.cells[i].text for i in cells if i is not None and table.cells[i].text.strip()), "")
    return TOTAL.match(text) is not None


def _list_moves(columns: list[int]) -> Iterator[Moves]:
    """Yield each column of signed figures, and each pair of which one adds and the other subtracts."""
    for column in columns:
        yield ((column, 1),)
        yield ((column, -1),)
        yield from (((column, 1), (minus, -1)) for minus in columns if minus != column)


def _balance_steps(
    values: list[list[Decimal | None]], balance: int, moves: Moves, step: int, skipped: frozenset[int]
) -> Iterator[tuple[int, int, Moves, Decimal]]:
    """Yield (row before, row, moves, difference) for neighbouring rows with a balance, in order of time.

    Rows of `skipped` (totals) may stand between them.
    """
    rows = [row for row, value in enumerate(values[balance]) if value is not None and row not in skipped][::step]
    for before, row in pairwise(rows):
        if any(between not in skipped for between in range(min(before, row) + 1, max(before, row))):
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
    """Yield the checks. A wrong balance breaks two steps by the same difference; otherwise a change is wrong."""
    held_count = _count_held(steps)
    if held_count < _LEAST_BALANCES or held_count < _BALANCE_SHARE * (len(steps) - 1):
        return
    blamed = False
    for index, (before, row, moves, gap) in enumerate(steps):
        following = steps[index + 1][3] if index + 1 < len(steps) else None
        is_balance = gap != 0 and following == -gap
        moved = [cell for col, _ in moves if (cell := columns[col][row]) is not None]
        ends = [cell for cell in (columns[balance][before], columns[balance][row]) if cell is not None]
        if not gap or (not blamed and is_one_digit(gap)):
            cells = (*moved, *ends) if is_balance else (*ends, *moved)
            yield TableCheck(kind=RUNNING_BALANCE, cells=cells, holds=not gap)
        blamed = is_balance and not blamed


def _check_shares(table: Table, columns: list[Column]) -> Iterator[TableCheck]:
    """Check columns of percentages for 100; report one that misses it by a digit if another adds up."""
    checked: list[tuple[tuple[int, ...], Decimal, bool]] = []
    for column in columns:
        shares = [i for i in column if i is not None and "%" in table.cells[i].text]
        values = [read_figure(table.cells[i].text) for i in shares]
        figures = [value for value in values if value is not None]
        if len(figures) < _LEAST_SHARES or len(figures) < len(values) or max(figures) >= _WHOLE or min(figures) < 0:
            continue
        gap = sum(figures, Decimal(0)) - _WHOLE
        allowed = max(tolerance_of(figures), Decimal(1) if all(v == int(v) for v in figures) else Decimal(0))
        checked.append((tuple(shares), gap, abs(gap) <= allowed))
    proven = any(holds for *_, holds in checked)
    for cells, gap, holds in checked:
        if holds or (proven and is_one_digit(gap)):
            yield TableCheck(kind=SHARE_SUM, cells=cells, holds=holds)


def _check_dates(table: Table, columns: list[Column]) -> Iterator[TableCheck]:
    """Check columns of dates: dates must exist and be in ascending or descending order."""
    for column in columns:
        dated = [i for i in column if i is not None and _DATE.fullmatch(table.cells[i].text.strip())]
        if len(dated) < _LEAST_DATES or len(dated) < sum(i is not None and table.cells[i].text != "" for i in column):
            continue
        texts = [table.cells[i].text.strip() for i in dated]
        best = max((_read_day_first, _read_month_first), key=lambda read: _rate_order(read, texts))
        days = [best(text) for text in texts]
        wrong = [i for i, day in zip(dated, days, strict=True) if day is None]
        if len(wrong) == 1:
            yield TableCheck(kind=DATE, cells=(wrong[0],), holds=False)
        if not wrong:
            yield from _check_order(dated, texts, best)


def _rate_order(read: Reader, texts: list[str]) -> tuple[int, int]:
    """Return the number of dates, and how many neighbours are in order."""
    days = [day for text in texts if (day := read(text)) is not None]
    up = sum(first <= second for first, second in pairwise(days))
    return len(days), max(up, len(days) - 1 - up)


def _read_day_first(text: str) -> date | None:
    return _make_date(text, month_first=False)


def _read_month_first(text: str) -> date | None:
    return _make_date(text, month_first=True)


def _make_date(text: str, *, month_first: bool) -> date | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    if match[1]:
        year, month, day = match[1], match[2], match[3]
    else:
        first, second, year = match[4], match[6], match[7]
        month, day = (first, second) if month_first and match[5] == "/" else (second, first)
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _check_order(cells: list[int], texts: list[str], read: Reader) -> Iterator[TableCheck]:
    days = [day for text in texts if (day := read(text)) is not None]
    for ascending in (days, [date.fromordinal(date.max.toordinal() - day.toordinal()) for day in days]):
        if _rises(ascending):
            yield TableCheck(kind=DATE_ORDER, cells=tuple(cells), holds=True)
            return
    if len(days) < _MANY_DATES:
        return
    odd = [i for i in range(len(days)) if _is_misread(i, days, texts, read)]
    if len(odd) == 1:
        yield TableCheck(kind=DATE_ORDER, cells=(*cells[: odd[0]], *cells[odd[0] + 1 :], cells[odd[0]]), holds=False)


def _rises(days: list[date]) -> bool:
    return all(first <= second for first, second in pairwise(days))


def _is_misread(index: int, days: list[date], texts: list[str], read: Reader) -> bool:
    """Return whether all dates but this one are in order, and changing one of its digits puts it in order."""
    others = days[:index] + days[index + 1 :]
    if not (_rises(others) or _rises(others[::-1])):
        return False
    around = sorted([days[i] for i in (index - 1, index + 1) if 0 <= i < len(days)])
    text = texts[index]
    changed = (
        text[:i] + digit + text[i + 1 :] for i, char in enumerate(text) if char.isdigit() for digit in "0123456789"
    )
    return any(day is not None and around[0] <= day <= around[-1] for day in map(read, changed))


_FIGURE = re.compile(
    r"[\s$€£¥]*(?:(?P<open>\()[\s$€£¥]*)?(?:(?P<sign>[-−–+])[\s$€£¥]*)?"
    r"(?P<digits>\d[\d.,'  ]*+)\s*(?:[$€£¥%]\s*)?(?:\)\s*)?"
)

_NOTE_MARK = re.compile(r"(?<=[\d)%])[⁰¹²³⁴-⁹ᵃ-ᶻ]{1,2}(?:,[⁰¹²³⁴-⁹ᵃ-ᶻ]{1,2})*+\s*$")


def read_figure(text: str) -> Decimal | None:
    """Return the number that makes up the whole text, or None; a raised note mark after it does not count."""
    match = _FIGURE.fullmatch(_NOTE_MARK.sub("", text))
    if match is None:
        return None
    value = _read_digits(match["digits"].strip())
    if value is None:
        return None
    is_negative = bool(match["open"]) or match["sign"] in ("-", "−", "–")
    return -value if is_negative else value


def _read_digits(digits: str) -> Decimal | None:
    """Return the value of digits with separators between them, or None when they form no number."""
    plain = re.sub(r"[\s'  ]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+", plain):
        return Decimal(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+", plain):
        return Decimal(plain.replace(".", "").replace(",", "."))
    return None


def tolerance_of(values: list[Decimal]) -> Decimal:
    """Return half a unit of the last printed decimal for the sum of figures that were rounded separately.

    Whole numbers are counts and two decimals are money, which are not rounded.
    """
    exponent = min(0, *(int(value.as_tuple().exponent) for value in values))
    return Decimal(0) if exponent == 0 or exponent == -2 else Decimal(len(values)).sqrt() * Decimal(10) ** exponent / 2


def is_one_digit(gap: Decimal) -> bool:
    """Return whether one wrong digit explains the difference: a figure from 1 to 9, then zeros."""
    return gap != 0 and len(gap.normalize().as_tuple().digits) == 1

"""Balances, shares and dates prove a table: one changed digit is found at its cell, other columns raise no alarm."""

import random
from datetime import date, timedelta

from quire.models.cdom.flags import CHECK_FAILED
from quire.models.cdom.table import SHARE_SUM, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.series_checks import DATE, DATE_ORDER, RUNNING_BALANCE
from quire.models.extract.document.table_checks import check_block, check_table
from tests.models.extract.document.test_table_checks import change_digit, make_table, write

TABLES = 300


def checks_of(table: Table, kind: str) -> list[bool]:
    return [check.holds for check in check_table(table) if check.kind == kind]


def draw_statement(chance: random.Random) -> Table:
    """An account: debits, credits and the balance after each."""
    balance, day = chance.randint(10**5, 10**6), date(2024, 1, 3)
    rows = [["Date", "Debit", "Credit", "Balance"], [day.isoformat(), "", "", write(balance, 2)]]
    for _ in range(chance.randint(6, 20)):
        moved, day = chance.randint(100, 50_000), day + timedelta(days=chance.randint(1, 5))
        is_debit = chance.random() < 0.6
        balance += -moved if is_debit else moved
        debit, credit = (write(moved, 2), "") if is_debit else ("", write(moved, 2))
        rows.append([day.isoformat(), debit, credit, write(balance, 2)])
    return make_table(rows)


def test_running_balances_are_checked_and_a_changed_digit_is_found() -> None:
    chance = random.Random(3)
    found = alarms = 0
    for _ in range(TABLES):
        table = draw_statement(chance)
        checks = check_table(table)
        assert len(checks_of(table, RUNNING_BALANCE)) == table.rows - 2
        alarms += any(not check.holds for check in checks)
        moneys = [at for at, cell in enumerate(table.cells) if cell.row and cell.col and cell.text]
        changed = change_digit(table, chance, moneys)
        found += any(not check.holds for check in check_table(changed))
    assert (alarms, found >= 0.95 * TABLES) == (0, True)


def test_wrong_balance_is_reported_and_not_its_neighbours() -> None:
    rows = [["Item", "Amount", "Balance"], ["", "", "100"], ["a", "10", "110"], ["b", "-20", "90"], ["c", "5", "85"]]
    rows += [["d", "15", "110"], ["e", "1", "111"], ["f", "2", "113"]]
    block = check_block(PageBlock(type=BlockType.TABLE, table=make_table(rows)))
    assert block.flags == (CHECK_FAILED,)
    assert [span.cell for span in block.flag_spans] == [4 * 3 + 2]


def test_account_with_newest_entry_first_holds_as_well() -> None:
    rows = [["", "Amount", "Saldo"], ["d", "4", "110"], ["c", "3", "106"], ["b", "2", "103"], ["a", "1", "101"]]
    assert checks_of(make_table(rows), RUNNING_BALANCE) == [True, True, True]


def test_shares_make_a_hundred_and_one_column_of_two_that_does_not_fails() -> None:
    rows = [["", "2023", "2024"], ["a", "50%", "40%"], ["b", "30%", "40%"], ["c", "20%", "20%"]]
    assert checks_of(make_table(rows), SHARE_SUM) == [True, True]
    rows[3][2] = "25%"
    assert checks_of(make_table(rows), SHARE_SUM) == [True, False]
    block = check_block(PageBlock(type=BlockType.TABLE, table=make_table(rows)))
    assert (block.flags, block.flag_spans) == ((CHECK_FAILED,), ())


def test_rates_that_make_no_hundred_say_nothing() -> None:
    assert checks_of(make_table([["", "Growth"], ["a", "5%"], ["b", "3%"], ["c", "2%"]]), SHARE_SUM) == []


def list_days(days: list[str]) -> Table:
    return make_table([["Day", "Name"], *([day, f"n{at}"] for at, day in enumerate(days))])


def test_dates_in_order_are_proven_and_one_misread_is_found() -> None:
    days = [f"2024-0{month}-15" for month in range(1, 10)]
    assert checks_of(list_days(days), DATE_ORDER) == [True]
    assert checks_of(list_days(days[::-1]), DATE_ORDER) == [True]
    table = list_days([*days[:4], "2024-09-15", *days[5:]])
    [failed] = [check for check in check_table(table) if not check.holds]
    assert (failed.kind, table.cells[failed.cells[-1]].text) == (DATE_ORDER, "2024-09-15")


def test_dates_in_no_order_and_in_either_notation_raise_no_alarm() -> None:
    assert check_table(list_days(["03/04/2024", "01/05/2024", "28/02/2024", "30/01/2024", "07/12/2023"])) == ()
    assert checks_of(list_days(["01/13/2024", "01/14/2024", "02/01/2024", "02/20/2024"]), DATE_ORDER) == [True]


def test_a_day_that_there_is_not_is_flagged() -> None:
    table = list_days(["28.01.2024", "31.02.2024", "03.03.2024", "05.03.2024"])
    assert [(check.kind, check.holds) for check in check_table(table)] == [(DATE, False)]

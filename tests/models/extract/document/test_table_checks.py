"""Totals prove a table: one changed digit is found, and columns without a sum raise no alarm."""

import random
from dataclasses import replace

import pytest

from quire.models.cdom.flags import CHECK_FAILED
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.table_checks import check_block, check_table

TABLES = 1000


def make_table(rows: list[list[str]]) -> Table:
    cells = tuple(
        Cell(row=row, col=col, text=text, header=row == 0)
        for row, held in enumerate(rows)
        for col, text in enumerate(held)
    )
    return Table(rows=len(rows), cols=len(rows[0]), cells=cells)


def write(value: int, places: int) -> str:
    return f"{value:,}" if not places else f"{value / 10**places:,.{places}f}"


def draw_table(chance: random.Random) -> Table:
    """A table with a row of totals, sometimes a column of totals or subtotals."""
    places, width, height = chance.choice([0, 0, 2]), chance.randint(1, 5), chance.randint(2, 12)
    most = 10 ** chance.randint(2, 6)
    values = [[chance.randint(1, most) for _ in range(width)] for _ in range(height)]
    if width > 1 and chance.random() < 0.3:
        values = [[*row, sum(row)] for row in values]
        head = [*(f"Part {at}" for at in range(width)), "Total"]
    else:
        head = [f"Part {at}" for at in range(width)]
    body = [[f"Item {at}", *(write(value, places) for value in row)] for at, row in enumerate(values)]
    total = ["Total", *(write(sum(column), places) for column in zip(*values, strict=True))]
    return make_table([["Name", *head], *body, total])


def draw_plain(chance: random.Random) -> Table:
    """Draw a table whose last row is not a sum: averages, medians, other figures under a separate label."""
    width, height = chance.randint(1, 5), chance.randint(2, 12)
    label = chance.choice(["Average", "Median", "Total", "Total, seasonally adjusted", "Sum insured"])
    rows = [[f"Item {at}", *(str(chance.randint(1, 9999)) for _ in range(width))] for at in range(height)]
    last = [label, *(str(chance.randint(1, 9999)) for _ in range(width))]
    return make_table([["Name", *(f"Part {at}" for at in range(width))], *rows, last])


def change_digit(table: Table, chance: random.Random, among: list[int] | None = None) -> Table:
    """The table with one digit of one figure (one of the cells `among`) replaced by another."""
    figures = [at for at, cell in enumerate(table.cells) if cell.row and cell.col and any(map(str.isdigit, cell.text))]
    at = chance.choice(among or figures)
    text = table.cells[at].text
    place = chance.choice([index for index, char in enumerate(text) if char.isdigit()])
    other = chance.choice([digit for digit in "123456789" if digit != text[place]])
    changed = replace(table.cells[at], text=text[:place] + other + text[place + 1 :])
    return replace(table, cells=(*table.cells[:at], changed, *table.cells[at + 1 :]))


def fails(table: Table) -> bool:
    return any(not check.holds for check in check_table(table))


def test_one_changed_digit_is_found_in_99_of_100_tables() -> None:
    chance = random.Random(11)
    tables = [draw_table(chance) for _ in range(TABLES)]
    assert sum(map(fails, tables)) <= 0.005 * TABLES
    assert sum(fails(change_digit(table, chance)) for table in tables) >= 0.99 * TABLES


def test_columns_without_a_sum_raise_no_alarm() -> None:
    chance = random.Random(12)
    assert sum(fails(draw_plain(chance)) for _ in range(TABLES)) <= 0.02 * TABLES


@pytest.mark.parametrize("last", ["Total", "Summe", "Grand total", "Subtotal"])
def test_a_failing_sum_is_flagged_at_its_cell(last: str) -> None:
    table = make_table([["Name", "Sum"], ["a", "1,200"], ["b", "300"], [last, "1,600"]])
    block = check_block(PageBlock(type=BlockType.TABLE, table=table))
    assert block.flags == (CHECK_FAILED,)
    assert [span.cell for span in block.flag_spans] == [7]
    assert block.confidence < 1


def test_subtotals_and_their_total_hold() -> None:
    rows = [
        ["", "EUR"],
        ["a", "10"],
        ["b", "20"],
        ["Subtotal", "30"],
        ["c", "5"],
        ["d", "6"],
        ["Subtotal", "11"],
        ["Total", "41"],
    ]
    assert [check.holds for check in check_table(make_table(rows))] == [True, True, True]


def test_raised_note_marks_are_no_part_of_a_figure() -> None:
    table = make_table([["Name", "Sum"], ["a", "1,200¹"], ["b", "300"], ["c", "50²,³"], ["Total", "1,550"]])
    assert [check.holds for check in check_table(table)] == [True]

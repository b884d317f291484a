"""Values that tables show again without their heading, by seed."""

import random
from datetime import date

import pytest

from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook
from tests.models.redaction.papers import read
from tests.models.redaction.test_workbooks import PARTS

SPELLINGS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d")
HEADS = ("Date of birth", "Geburtsdatum", "Date de naissance", "Data urodzenia", "Fecha de nacimiento")


def flagged_cells(rows: str, other: str = "") -> list[str]:
    tree = flag_tree(read(workbook(sheet(rows), sheet(other or rows), more=PARTS)), RegexDetector())
    blocks = [(block, block.table) for block in tree.blocks if block.table is not None]
    return [
        table.cells[span.cell].text for block, table in blocks for span in block.flag_spans if span.cell is not None
    ]


@pytest.mark.parametrize("seed", range(24))
def test_birth_date_is_found_in_other_spellings_and_as_days(seed: int) -> None:
    dice = random.Random(seed)
    born = date(dice.randint(1930, 2004), dice.randint(1, 12), dice.randint(1, 28))
    epoch = dice.choice((date(1899, 12, 30), date(1904, 1, 1)))
    days = (born - epoch).days
    first, again = (f"{born:{dice.choice(SPELLINGS)}}" for _ in range(2))
    rows = f'<row r="1">{text_cell("A1", dice.choice(HEADS))}</row><row r="2">{text_cell("A2", first)}</row>'
    other = f'<row r="1">{text_cell("A1", again)}{number_cell("B1", days)}{number_cell("C1", 77777)}</row>'
    expected = {first, again} | ({str(days)} if days >= 10000 else set())
    assert set(flagged_cells(rows, other)) == expected


@pytest.mark.parametrize(
    ("head", "value"),
    [
        ("Tax ID", "37512469836"),
        ("Krankenversichertennummer", "F787072144"),
        ("NHS number", "4,986,677,241"),
        ("PESEL", "78030646439"),
        ("Personalausweisnummer", "L01X00T471"),
    ],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_number_is_found_below_its_heading_and_in_its_row(head: str, value: str, is_turned: bool) -> None:
    columns = [["Date of birth", "n/a", "1980-03-04"], [head, "n/a", value], ["Pay", "100.00", "200.00"]]
    lines = columns if is_turned else [list(row) for row in zip(*columns, strict=True)]
    rows = ""
    for number, line in enumerate(lines, 1):
        cells = (text_cell(f"{name}{number}", text) for name, text in zip("ABC", line, strict=True))
        rows += f'<row r="{number}">{"".join(cells)}</row>'
    assert {"1980-03-04", value} <= set(flagged_cells(rows))
    assert "200.00" not in flagged_cells(rows)


def test_result_of_a_test_and_the_next_number_are_no_password() -> None:
    rows = ""
    for number, step in enumerate(("Log in with user ID and password.", "The page opens.", "Log out."), 1):
        cells = text_cell(f"A{number}", str(number)) + text_cell(f"B{number}", step) + text_cell(f"C{number}", "Pass")
        rows += f'<row r="{number}">{cells}</row>'
    assert flagged_cells(rows) == []


def test_date_below_a_heading_of_phones_is_no_phone() -> None:
    rows = f'<row r="1">{text_cell("A1", "Phone")}</row><row r="2">{text_cell("A2", "08/19/2016")}</row>'
    rows += f'<row r="3">{text_cell("A3", "030 1234567")}</row>'
    assert flagged_cells(rows) == ["030 1234567", "030 1234567"]

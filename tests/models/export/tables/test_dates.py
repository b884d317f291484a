"""Columns of dates are read in the order of day and month that they prove, and never guessed."""

from datetime import date

import pytest

from quire.models.export.tables.cells import list_cells
from quire.models.export.tables.dates import read_dates, read_iso
from tests.builders import make_tree, table_block

THIRD, FOURTH = date(2024, 4, 3), date(2024, 3, 4)


@pytest.mark.parametrize(
    ("texts", "dates"),
    [
        (["2024-04-03", ""], [THIRD, None]),
        (["3 April 2024", "3-Apr-24", "April 3, 2024", "3rd apr. 2024"], [THIRD] * 4),
        (["03.04.2024"], [THIRD]),
        (["03/04/2024", "31/12/2023"], [THIRD, date(2023, 12, 31)]),
        (["03/04/2024", "12/31/2023"], [FOURTH, date(2023, 12, 31)]),
        (["03/04/24", "04/04/24", "01/05/24"], [THIRD, date(2024, 4, 4), date(2024, 5, 1)]),
        (["03/04/2024"], [None]),
        (["03/04/2024", "13/13/2024", "5 May 2024"], [None, None, date(2024, 5, 5)]),
        (["31/12/2023", "12/31/2023"], [None, None]),
        (["3/3/2024"], [date(2024, 3, 3)]),
        (["1 Jan 70", "1 Jan 69"], [date(1970, 1, 1), date(2069, 1, 1)]),
        (["2024-04-03", "to be agreed", "open"], [None] * 3),
        (["2024-02-30"], [None]),
        (["12.50", "3.4"], [None, None]),
        ([], []),
    ],
)
def test_dates_of_a_column(texts: list[str], dates: list[date | None]) -> None:
    assert read_dates(texts) == dates


def test_iso_values_of_spreadsheets_are_dates() -> None:
    assert read_iso("2024-04-03T10:00:00") == THIRD
    assert [read_iso(text) for text in ("10:00:00", None, "", "2024-04")] == [None] * 4


def test_only_body_cells_have_dates() -> None:
    tree = make_tree(table_block([["2024-01-01", "Sum"], ["2024-04-03", "5"], ["2024-04-04", "6"]], header_rows=1))
    assert [cell.date for cell in list_cells(tree) if cell.col == 0] == [None, THIRD, date(2024, 4, 4)]

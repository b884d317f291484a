"""Rows that a page break cuts in two are one row of the Markdown, and two of the tree."""

import pytest

from quire.models.cdom.table import Cell, Table, TablePart
from quire.models.export.tables.cut_rows import join_cut_rows

HEAD = ["No.", "Step", "Result"]
FIRST = [HEAD, ["1", "Open the valve.", "Water flows."], ["2", "Read the plate of the boiler", "The pressure is"]]


def make_table(first: list[list[str]], second: list[list[str]]) -> Table:
    """A table over two pages whose first row is its header."""
    cells = [
        Cell(row=row, col=col, text=text, header=not row)
        for row, texts in enumerate([*first, *second])
        for col, text in enumerate(texts)
    ]
    parts = (TablePart(page=1, rows=len(first)), TablePart(page=2, rows=len(second)))
    return Table(rows=len(first) + len(second), cols=3, cells=tuple(cells), parts=parts)


def read_rows(table: Table) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell.text)
    return rows


@pytest.mark.parametrize(
    ("rest", "joined"),
    [
        (
            ["", "and write it down.", "known."],
            ["2", "Read the plate of the boiler and write it down.", "The pressure is known."],
        ),
        (["", "Then close it.", ""], ["2", "Read the plate of the boiler Then close it.", "The pressure is"]),
    ],
)
def test_cut_rows_follow_their_first_part(rest: list[str], joined: list[str]) -> None:
    last = ["3", "Close the valve.", "It is dry."]
    assert read_rows(join_cut_rows(make_table(FIRST, [rest, last]))) == [*FIRST[:2], joined, last]


@pytest.mark.parametrize("row", [["3", "Close the valve.", ""], ["", "", "12.50"], ["3", "close it", "dry"]])
def test_rows_of_their_own_stay_apart(row: list[str]) -> None:
    table = make_table(FIRST, [row])
    assert join_cut_rows(table) is table


def test_groups_without_a_key_are_rows() -> None:
    first = [HEAD, ["A", "North", "Coal"], ["", "South", "Oil"], ["B", "East", "Gas"]]
    table = make_table(first, [["", "West", "Wind"]])
    assert join_cut_rows(table) is table

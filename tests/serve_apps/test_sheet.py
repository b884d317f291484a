"""A table as a sheet: names of its cells, order and choice of its rows, and limits of what a page holds."""

import json
import random
import time
from typing import Any

import pytest

from quire.models.cdom.tree import dump_tree
from quire.models.extract.formats.flow.sheet import place_name
from quire.serve_apps.viewer.sheet import TableSheet, open_table, show_table
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook

WORDS = ("&lt;b&gt;bold&lt;/b&gt;", "مرحبا", "合計", "Größe", "x" * 300)


def a_table(rows: list[list[str]], **facts: Any) -> dict[str, Any]:
    cells = [{"row": y, "col": x, "text": text} for y, row in enumerate(rows) for x, text in enumerate(row)]
    return {"id": "b1", "table": {"rows": len(rows), "cols": len(rows[0]), "cells": cells}} | facts


def texts(shown: TableSheet, column: int = 0) -> list[str]:
    return [row.cells[column]["text"] for row in shown.rows]


@pytest.mark.parametrize("seed", range(24))
def test_sheet_names_each_cell_as_its_file_does(seed: int) -> None:
    chance = random.Random(seed)
    top, left = chance.choice((0, 0, 3, 98)), chance.choice((0, 1, 25, 700))
    height, width = chance.randint(2, 30), chance.randint(1, 9)
    hidden_rows = set(chance.sample(range(top, top + height), chance.choice((0, 0, height // 4))))
    hidden_column = left + chance.randrange(1, width) if width > 1 and seed % 3 == 0 else None
    word = WORDS[seed % len(WORDS)]
    lines = ""
    for row in range(top, top + height):
        names = [place_name((row, column)) for column in range(left, left + width)]
        cells = "".join(text_cell(name, f"{name} {word}") for name in names)
        lines += f'<row r="{row + 1}"{" hidden=" + chr(34) + "1" + chr(34) if row in hidden_rows else ""}>{cells}</row>'
    before = ""
    if hidden_column is not None:
        before = f'<cols><col min="{hidden_column + 1}" max="{hidden_column + 1}" hidden="1"/></cols>'
    tree = json.loads(dump_tree(read_tree(workbook(sheet(lines, before=before)))))
    blocks = [block for block in tree["blocks"] if block["table"]]
    visible = [show_table(block) for block in blocks if not block["flags"]]
    named = 0
    for shown in visible:
        assert shown.numbered
        for line in (*shown.head, *shown.rows):
            for cell in line.cells:
                assert cell["text"].split()[0] == f"{shown.letters[cell['col']]}{line.number}"
                named += 1
    assert named == (height - len(hidden_rows)) * (width - (hidden_column is not None))


def test_sheet_has_no_names_when_the_path_does_not_fit_the_table() -> None:
    for path in ("Sheet1!A1:C9", "lines 3-7", "", "'a!A1,b'!Z99", f"S!A1:XFD{10**7 - 1}"):
        shown = show_table(a_table([["a", "b"]], provenance={"path": path}))
        assert not shown.numbered
        assert shown.letters == ["A", "B"]


@pytest.mark.parametrize(
    "values",
    [
        ["1,5", "12,25", "-3", "1.000,00"],
        ["1,000.50", "(20)", "3 %", "12"],
        ["€ 5", "€ 40", "€ 100"],
        ["b", "A", "c"],
        ["10", "9", "x", "", "2"],
    ],
)
def test_rows_are_sorted_by_the_value_of_their_cells(values: list[str]) -> None:
    expected = {
        "1,5": ["-3", "1,5", "12,25", "1.000,00"],
        "1,000.50": ["(20)", "3 %", "12", "1,000.50"],
        "€ 5": ["€ 5", "€ 40", "€ 100"],
        "b": ["A", "b", "c"],
        "10": ["2", "9", "10", "x", ""],
    }[values[0]]
    block = a_table([[value] for value in values])
    assert texts(open_table(block, {"sort": "0"})) == expected
    filled = [value for value in expected if value]
    assert texts(open_table(block, {"sort": "0", "down": "1"})) == [*filled[::-1], *[""] * ("" in values)]


def test_words_choose_rows_below_the_head() -> None:
    block = a_table([["Fruit", "Colour"], ["Apple", "RED"], ["Pear", "green"], ["Cherry", "red"]])
    for cell in block["table"]["cells"][:2]:
        cell["header"] = True
    shown = open_table(block, {"find": "red  "})
    assert texts(shown) == ["Apple", "Cherry"]
    assert (shown.found, shown.total, shown.head[0].cells[0]["text"]) == (2, 3, "Fruit")
    assert texts(open_table(block, {"find": "red ch"})) == ["Cherry"]
    assert open_table(block, {"find": "none"}).found == 0


def test_cell_over_two_rows_goes_with_each_of_them() -> None:
    block = a_table([["North", "2"], ["", "1"]])
    block["table"]["cells"] = [block["table"]["cells"][0] | {"row_span": 2}, *block["table"]["cells"][1::2]]
    shown = open_table(block, {"sort": "1"})
    assert [[cell["text"] for cell in row.cells] for row in shown.rows] == [["North", "1"], ["North", "2"]]
    assert [row.number for row in shown.rows] == [2, 1]


@pytest.mark.parametrize("query", [{"sort": "9"}, {"sort": "-1"}, {"from": "x"}, {"from": "9" * 40}, {"sort": "²"}])
def test_addresses_that_mean_nothing_show_the_table(query: dict[str, str]) -> None:
    assert texts(open_table(a_table([["a"], ["b"]]), query)) == ["a", "b"]


def test_page_holds_a_share_of_a_large_table() -> None:
    rows = [[f"{row}", *["word"] * 4] for row in range(50_000)]
    block = a_table(rows)
    block["table"]["cells"][0]["text"] = "y" * 5_000_000
    started = time.process_time()
    shown, second = show_table(block), open_table(block, {"sort": "0", "down": "1", "from": "1000"})
    seconds = time.process_time() - started
    assert len(shown.rows) == 200
    assert len(shown.rows[0].cells[0]["text"]) < 600
    assert (len(second.rows), second.first, second.found) == (1_000, 1_000, 50_000)
    assert seconds < 20
    wide = show_table(a_table([["1"] * 16_384] * 30))
    assert (len(wide.letters), wide.hidden_columns, len(wide.rows)) == (400, 15_984, 30)


def test_numbers_of_a_sheet_are_marked() -> None:
    row = f'<row r="1">{text_cell("A1", "word")}{number_cell("B1", 1234.5)}</row>'
    tree = json.loads(dump_tree(read_tree(workbook(sheet(row)))))
    (block,) = [block for block in tree["blocks"] if block["table"]]
    (line,) = show_table(block).rows
    assert [cell["is_number"] for cell in line.cells] == [False, True]

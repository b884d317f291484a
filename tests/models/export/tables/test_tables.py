"""Tables as data: numbers, one row per cell with its place, and files that data tools and our own reader open."""

import csv
import io
import zipfile
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.table import Cell, Table, TablePart
from quire.models.cdom.tree import BlockType, Tree
from quire.models.export.tables.cells import column_names, list_cells
from quire.models.export.tables.files import SCHEMA, TableFormat, write_tables
from quire.models.export.tables.numbers import find_decimal_mark, read_number
from quire.models.export.tables.workbook import WorkbookSheet, write_workbook
from quire.models.extract.registry import open_document
from tests.builders import make_block, make_table, make_tree, table_block

ROWS = [["Item", "Price"], ["Crane", "1,234.50"], ["Hook", "(7)"], ["=1+1", "007"]]


def a_tree(**facts: Any) -> Tree:
    return make_tree(table_block(ROWS, **facts))


def parquet_rows(tree: Tree) -> list[dict[str, Any]]:
    table = pq.read_table(io.BytesIO(write_tables(TableFormat.PARQUET, "doc_a", "a.pdf", tree)))
    assert table.schema.equals(SCHEMA)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


@pytest.mark.parametrize(
    ("text", "mark", "number"),
    [
        ("1,234.50", ".", 1234.5),
        ("1.234,50", ",", 1234.5),
        ("1'234'567", ".", 1234567),
        ("1 234,5", ",", 1234.5),
        ("(1,000)", ".", -1000),
        ("-3", ".", -3),
        ("+3", ".", 3),
        ("3−", ".", -3),
        ("− 3.5", ".", -3.5),
        ("12.5 %", ".", 0.125),
        ("€ 5", ".", 5),
        ("5 kg", ".", 5),
        ("EUR 1.5", ".", 1.5),
        (".5", ".", 0.5),
        ("0", ".", 0),
    ],
)
def test_a_cell_that_is_a_number_is_read(text: str, mark: str, number: float) -> None:
    assert read_number(text, mark) == number


@pytest.mark.parametrize("text", ["", "-", "Crane", "3 of 4", "1.2.3", "2026-11-26", "1,23,4", "(5", "12:30", "1-2"])
def test_a_cell_that_is_more_than_a_number_is_none(text: str) -> None:
    assert read_number(text, ".") is None


def test_the_decimal_mark_is_the_one_that_the_table_shows() -> None:
    assert find_decimal_mark(["1,234", "5,67", "text"]) == ","
    assert find_decimal_mark(["1.234,5"]) == ","
    assert find_decimal_mark(["1,234", "2,345", "0.5"]) == "."
    assert find_decimal_mark(["1,234"]) == "."


def test_each_cell_is_a_row_with_head_label_number_and_place() -> None:
    rows = parquet_rows(a_tree())
    price = next(row for row in rows if row["text"] == "1,234.50")
    assert (price["document_id"], price["source_file"], price["page"]) == ("doc_a", "a.pdf", 1)
    assert (price["head"], price["label"], price["number"]) == ("Price", "Crane", 1234.5)
    assert (price["row"], price["col"], price["header"]) == (1, 1, False)
    assert [row["cell"] for row in rows] == list(range(8))
    assert [row["number"] for row in rows if row["header"]] == [None, None]


def test_continued_table_is_one_table_with_page_of_each_row() -> None:
    parts = (TablePart(page=3, rows=2), TablePart(page=4, rows=2))
    made = make_table(ROWS)
    table = Table(rows=made.rows, cols=made.cols, cells=made.cells, parts=parts)
    cells = list(list_cells(make_tree(make_block(BlockType.TABLE, page=3, table=table))))
    assert {(cell.row, cell.page) for cell in cells} == {(0, 3), (1, 3), (2, 4), (3, 4)}
    assert len({cell.table for cell in cells}) == 1


def test_a_box_is_four_columns_and_null_without_pages() -> None:
    cells = (Cell(row=0, col=0, text="a", bbox=(1.0, 2.0, 3.0, 4.0)), Cell(row=0, col=1, text="b"))
    tree = make_tree(make_block(BlockType.TABLE, table=Table(rows=1, cols=2, cells=cells)))
    assert [[row[name] for name in ("x0", "y0", "x1", "y1")] for row in parquet_rows(tree)] == [
        [1, 2, 3, 4],
        [None] * 4,
    ]


def test_arrow_and_parquet_hold_the_same_rows() -> None:
    with pa.ipc.open_file(write_tables(TableFormat.ARROW, "doc_a", "a.pdf", a_tree())) as file:
        assert file.read_all().to_pylist() == parquet_rows(a_tree())


def test_csv_is_a_zip_with_one_file_for_each_table() -> None:
    archive = zipfile.ZipFile(io.BytesIO(write_tables(TableFormat.CSV, "doc_a", "a.pdf", a_tree())))
    (name,) = archive.namelist()
    assert name.endswith("-page-1.csv")
    assert list(csv.reader(io.StringIO(archive.read(name).decode()))) == ROWS


def test_a_workbook_is_read_back_with_its_texts_and_numbers() -> None:
    data = write_tables(TableFormat.XLSX, "doc_a", "a.pdf", a_tree())
    document = open_document(data, ReadOptions())
    assert document.facts.format is Format.XLSX
    (page,) = (document.read_page(number) for number in document.facts.page_numbers)
    (table,) = (block.table for block in page.content.blocks if block.table)
    assert [cell.text for cell in table.cells] == ["Item", "Price", "Crane", "1234.5", "Hook", "-7", "=1+1", "007"]


def test_workbook_never_holds_formula_or_broken_character() -> None:
    archive = zipfile.ZipFile(
        io.BytesIO(write_workbook([WorkbookSheet("A & B", ["h"], [["=1+1\x00"], ["\ud800<"], [2.5]])]))
    )
    sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "=1+1\ufffd" in sheet
    assert "\ufffd&lt;" in sheet
    assert "<v>2.5</v>" in sheet


@pytest.mark.parametrize("file_format", TableFormat)
def test_a_document_without_tables_gives_an_empty_file(file_format: TableFormat) -> None:
    assert write_tables(file_format, "doc_a", "a.pdf", make_tree(make_block(BlockType.PARAGRAPH, "Hello")))


@pytest.mark.parametrize("file_format", TableFormat)
def test_equal_trees_give_equal_bytes(file_format: TableFormat) -> None:
    first, again = (write_tables(file_format, "doc_a", "a.pdf", a_tree()) for _ in range(2))
    assert first == again


def test_hidden_tables_are_left_out() -> None:
    assert parquet_rows(a_tree(flags=(HIDDEN_TEXT,))) == []


def test_equal_and_missing_heads_get_unique_column_names() -> None:
    assert column_names(make_table([["Net", "Net", ""], ["1", "2", "3"]])) == ["Net", "Net_2", "column_3"]


def test_lone_surrogates_are_replaced_in_every_format() -> None:
    tree = make_tree(table_block([["h"], ["a\ud800"]]))
    assert parquet_rows(tree)[1]["text"] == "a?"
    for file_format in TableFormat:
        assert write_tables(file_format, "doc_a", "\ud800.pdf", tree)

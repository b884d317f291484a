"""Workbooks of Excel 5 to 2003: what a sheet shows, what is hidden, and files that mean harm."""

import struct

import pytest

from quire.models.cdom.errors import Encrypted, ResourceLimit, UnsupportedFormat
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.models.extract.formats.common.compound_files import cell, record, wide, workbook, xls

FORMATS = (
    record(0x41E, struct.pack("<H", 164) + wide("dd-mmm-yy")),
    record(0xE0, struct.pack("<HH16x", 0, 0)),
    record(0xE0, struct.pack("<HH16x", 0, 164)),
    record(0xE0, struct.pack("<HH16x", 0, 10)),
)


def test_values_are_shown_as_their_format_says() -> None:
    cells = [
        cell(0x204, 0, 0, wide("name")),
        cell(0x203, 1, 0, struct.pack("<d", 46085.0), 1),
        cell(0x27E, 1, 1, struct.pack("<I", (1250 << 2) | 3), 2),
        cell(0x205, 2, 0, b"\x01\x00"),
        cell(0x205, 2, 1, b"\x07\x01"),
        cell(0x06, 3, 0, b"\x00\x00\x00\x00\x00\x00\xff\xff" + bytes(8)),
        record(0x207, wide("said")),
        record(0xBD, struct.pack("<HHHIHIH", 4, 0, 0, (7 << 2) | 2, 0, (8 << 2) | 2, 1)),
    ]
    tree = read_tree(xls(workbook({"Häuser": cells}, *FORMATS)))
    assert tree.source.format == "xls"
    assert texts(tree, BlockType.HEADING) == ["Häuser"]
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [
        ["name", ""], ["04-Mar-26", "1250.00%"], ["TRUE", "#DIV/0!"], ["said", ""], ["7", "8"],
    ]  # fmt: skip


def test_shared_strings_run_over_the_borders_of_records() -> None:
    first = struct.pack("<II", 2, 2) + struct.pack("<HB", 6, 0) + b"abc"
    table = record(0xFC, first) + record(0x3C, b"\x01" + "déf".encode("utf-16-le") + struct.pack("<HB", 2, 0) + b"xy")
    cells = [cell(0xFD, 0, at, struct.pack("<I", at)) for at in range(2)]
    tree = read_tree(xls(workbook({"S": cells}, table)))
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [["abcdéf", "xy"]]


def test_merged_cells_hidden_sheets_rows_and_comments() -> None:
    note = record(0x5D, struct.pack("<HHHH14x", 0x15, 0x12, 0x19, 7)) + record(0x1B6, struct.pack("<10xH6x", 4))
    cells = [
        cell(0x204, 0, 0, wide("wide")),
        cell(0x204, 2, 0, wide("secret")),
        record(0x208, struct.pack("<HHHHIHH", 2, 0, 1, 300, 0, 0x20, 0)[:16]),
        record(0xE5, struct.pack("<HHHHH", 1, 0, 0, 0, 1)),
        cell(0x204, 0, 2, wide("right")),
        note + record(0x3C, b"\x00note"),
        record(0x1C, struct.pack("<HHHH", 0, 0, 0, 7)),
    ]
    tree = read_tree(xls(workbook({"Open": cells, "Shut": [cell(0x204, 0, 0, wide("x"))]}, hidden=("Shut",))))
    table = of_type(tree, BlockType.TABLE)[0].table
    assert table is not None
    assert table.cells[0].col_span == 2
    flagged = [block for block in tree.blocks if HIDDEN_TEXT in block.flags and block.table is not None]
    assert [rows_of(block) for block in flagged] == [[["secret"]], [["x"]]]
    assert [block.text for block in tree.blocks if COMMENT in block.flags] == ["note"]
    assert {"hidden-sheet", "hidden-cells"} <= {warning.code for warning in tree.warnings}


def test_a_locked_workbook_is_encrypted() -> None:
    with pytest.raises(Encrypted):
        read_tree(xls(workbook({"S": []}, record(0x2F, bytes(54)))))


def test_a_declared_size_costs_nothing_and_too_many_strings_are_a_limit() -> None:
    corner = [cell(0x204, 0, 0, wide("a")), cell(0x204, 65_535, 255, wide("b"))]
    tree = read_tree(xls(workbook({"S": corner})))
    assert [rows_of(block) for block in of_type(tree, BlockType.TABLE)] == [[["a"]], [["b"]]]
    with pytest.raises(ResourceLimit):
        read_tree(xls(workbook({"S": []}, record(0xFC, struct.pack("<II", 1, 0x7FFFFFFF)))))


def test_workbook_before_excel_5_is_refused_and_a_cut_file_read_partly() -> None:
    with pytest.raises(UnsupportedFormat):
        read_tree(xls(record(0x409, bytes(6)) + record(0x0A)))
    whole = workbook({"S": [cell(0x204, 0, 0, wide("kept")), cell(0x204, 1, 0, wide("lost"))]})
    assert texts(read_tree(xls(whole[:-30])), BlockType.HEADING) == ["S"]

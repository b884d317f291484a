"""Binary Excel packages: values as shown, what is hidden, merged cells, and broken records."""

import struct

import pytest

from quire.models.cdom.errors import Malformed
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts, zipped

TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def record(kind: int, data: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size = len(data)
    length = bytes([size]) if size < 128 else bytes([size & 0x7F | 0x80, size >> 7])
    return head + length + data


def text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode("utf-16-le")


def row(number: int, *, hidden: bool = False) -> bytes:
    return record(0, struct.pack("<IIHBB", number, 0, 300, 0, 0x10 if hidden else 0))


def cell(kind: int, column: int, data: bytes, style: int = 0) -> bytes:
    return record(kind, struct.pack("<II", column, style) + data)


def relations(*found: tuple[str, str, str]) -> str:
    items = "".join(f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{to}"/>' for key, kind, to in found)
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{items}</Relationships>'
    )


def xlsb(sheet: bytes, *, state: int = 0, comments: bytes = b"") -> bytes:
    styles = record(44, struct.pack("<H", 164) + text("0.0%")) + record(617) + record(47, struct.pack("<HH", 0, 0))
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": record(156, struct.pack("<II", state, 1) + text("rId1") + text("Sums")),
        "xl/_rels/workbook.bin.rels": relations(
            ("rId1", "worksheet", "worksheets/sheet1.bin"), ("rId2", "sharedStrings", "sharedStrings.bin"),
            ("rId3", "styles", "styles.bin"),
        ),
        "xl/sharedStrings.bin": record(19, b"\0" + text("shared")),
        "xl/styles.bin": styles + record(47, struct.pack("<HH", 0, 164)) + record(618),
        "xl/worksheets/sheet1.bin": sheet,
        "xl/worksheets/_rels/sheet1.bin.rels": relations(("c", "comments", "../comments1.bin")),
        "xl/comments1.bin": comments,
    }  # fmt: skip
    return zipped(parts)


def test_values_are_shown_as_their_format_says() -> None:
    sheet = row(0) + cell(7, 0, struct.pack("<I", 0)) + cell(6, 1, text("own"))
    sheet += row(1) + cell(5, 0, struct.pack("<d", 0.125), 1) + cell(2, 1, struct.pack("<I", (7 << 2) | 2))
    sheet += row(2) + cell(4, 0, b"\x01") + cell(3, 1, b"\x2a") + row(3) + cell(8, 0, text("made") + bytes(4))
    tree = read_tree(xlsb(sheet))
    assert tree.source.format == "xlsb"
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == [
        ["shared", "own"], ["12.5%", "7"], ["TRUE", "#N/A"], ["made", ""],
    ]  # fmt: skip


def test_merged_cells_hidden_rows_and_comments() -> None:
    sheet = row(0) + cell(6, 0, text("wide")) + record(176, struct.pack("<IIII", 0, 0, 0, 1)) + cell(6, 2, text("x"))
    sheet += row(1, hidden=True) + cell(6, 0, text("secret"))
    comments = record(635, struct.pack("<IIIII16x", 0, 0, 0, 2, 2)) + record(637, b"\0" + text("why"))
    tree = read_tree(xlsb(sheet, comments=comments))
    shown, hidden = of_type(tree, BlockType.TABLE)
    assert shown.table is not None
    assert shown.table.cells[0].col_span == 2
    assert (rows_of(hidden), hidden.flags) == ([["secret"]], (HIDDEN_TEXT,))
    assert [block.text for block in tree.blocks if COMMENT in block.flags] == ["why"]


def test_a_hidden_sheet_is_flagged_and_broken_records_are_named() -> None:
    tree = read_tree(xlsb(row(0) + cell(6, 0, text("x")) + record(5, b"\0"), state=1))
    assert all(HIDDEN_TEXT in block.flags for block in tree.blocks)
    assert {warning.code for warning in tree.warnings} >= {"hidden-sheet", "part-unreadable"}
    assert texts(tree, BlockType.HEADING) == ["Sums"]


def test_a_package_without_its_workbook_is_malformed() -> None:
    with pytest.raises(Malformed):
        read_tree(zipped({"[Content_Types].xml": TYPES, "_rels/.rels": relations(), "xl/workbook.bin": b""}))

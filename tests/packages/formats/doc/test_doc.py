"""Word 97 files: headings, lists, tables, notes, looks, and files that mean harm."""

from contextlib import suppress

import pytest

from quire.models.cdom.errors import Encrypted, ExtractError, UnsupportedFormat
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.models.extract.formats.word.doc.words import HEADING_2, IN_TABLE, TITLE, item, row, sprm, word

CELL = IN_TABLE


def test_headings_are_known_by_their_style_and_by_their_outline_level() -> None:
    outline = sprm(0x2640, b"\x02")
    parts = [("Top\r", TITLE, b""), ("Two\r", HEADING_2, b""), ("Three\r", 0, outline), ("text\r", 0, b"")]
    tree = read_tree(word(parts))
    assert tree.source.format == "doc"
    assert [(block.type.value, block.text, block.level) for block in tree.blocks] == [
        ("title", "Top", None), ("heading", "Two", 2), ("heading", "Three", 3), ("paragraph", "text", None),
    ]  # fmt: skip


def test_items_have_the_labels_of_their_list() -> None:
    parts = [("a\r", 0, item(1)), ("b\r", 0, item(1)), ("dot\r", 0, item(2)), ("c\r", 0, item(1))]
    tree = read_tree(word(parts, kinds=[(4, "\0)"), (23, "\uf0b7")]))
    assert texts(tree, BlockType.LIST_ITEM) == ["a) a", "b) b", "dot", "c) c"]


def test_table_has_columns_that_edges_of_its_rows_make() -> None:
    parts = [
        ("wide\x07", 0, CELL), ("\x07", 0, row(0, 2000)),
        ("one\rtwo\x07", 0, CELL), ("right\x07", 0, CELL), ("\x07", 0, row(0, 1000, 2000)),
        ("after\r", 0, b""),
    ]  # fmt: skip
    tree = read_tree(word(parts))
    block = of_type(tree, BlockType.TABLE)[0]
    assert rows_of(block) == [["wide"], ["one\ntwo", "right"]]
    assert block.table is not None
    assert [cell.col_span for cell in block.table.cells] == [2, 1, 1]
    assert texts(tree, BlockType.PARAGRAPH) == ["after"]


def test_cells_merged_downwards_are_one() -> None:
    parts = [
        ("long\x07", 0, CELL), ("a\x07", 0, CELL), ("\x07", 0, row(0, 1, 2, merges=(0x60,))),
        ("\x07", 0, CELL), ("b\x07", 0, CELL), ("\x07", 0, row(0, 1000, 2000, merges=(0x20,))),
    ]  # fmt: skip
    parts[2] = ("\x07", 0, row(0, 1000, 2000, merges=(0x60,)))
    table = of_type(read_tree(word(parts)), BlockType.TABLE)[0].table
    assert table is not None
    assert [(cell.text, cell.row_span) for cell in table.cells] == [("long", 2), ("a", 1), ("b", 1)]


def test_headers_and_footers_are_read_where_they_are_switched_on() -> None:
    running = ["even head", "head", "", "foot", "first head", ""]
    plain = read_tree(word([("text\r", 0, b"")], notes=[], running=running))
    assert [(block.type.value, block.text) for block in plain.blocks] == [
        ("page_header", "head"), ("paragraph", "text"), ("page_footer", "foot"),
    ]  # fmt: skip
    assert plain.coverage is not None
    assert plain.coverage.complete
    facing = read_tree(word([("text\r", 0, b"")], running=running, facing=True))
    assert texts(facing, BlockType.PAGE_HEADER) == ["even head", "head"]


def test_notes_belong_to_the_paragraph_that_calls_them() -> None:
    tree = read_tree(word([("first\r", 0, b""), ("called\x02\r", 0, b"")], notes=["below"]))
    note = of_type(tree, BlockType.FOOTNOTE)[0]
    assert (note.text, next(block.text for block in tree.blocks if block.id == note.parent)) == ("below", "called")


def test_bold_and_hidden_text_and_the_results_of_fields() -> None:
    text = 'plain bold gone \x13HYPERLINK "http://x.org/"\x14here\x15\r'
    looks = [(6, 10, sprm(0x0835, b"\x01")), (11, 16, sprm(0x083C, b"\x01"))]
    tree = read_tree(word([(text, 0, b"")], looks=looks))
    hidden, shown = tree.blocks
    assert (hidden.text, hidden.flags) == ("gone", (HIDDEN_TEXT,))
    assert shown.text.split() == ["plain", "bold", "here"]
    assert [(shown.text[span.start : span.end].strip(), span.bold, span.href) for span in shown.spans] == [
        ("bold", True, None), ("here", False, "http://x.org/"),
    ]  # fmt: skip


def test_symbols_become_the_displayed_characters_of_their_font() -> None:
    arrow = sprm(0x0855, b"\x01") + sprm(0x6A09, b"\x01\x00\xe0\xf0")
    greek = sprm(0x4A4F, b"\x02\x00")
    text = "go ( to \uf061 (really) \uf061\r"
    tree = read_tree(
        word([(text, 0, b"")], looks=[(3, 4, arrow), (8, 9, greek)], fonts=["Times", "Wingdings", "Symbol"])
    )
    assert tree.blocks[0].text == "go → to α (really) \uf061"
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_a_page_break_begins_a_page() -> None:
    tree = read_tree(word([("one\x0c", 0, b""), ("two\r", 0, b"")]))
    assert [block.page for block in tree.blocks] == [1, 2]


def test_locked_and_older_files_are_refused_with_their_code() -> None:
    with pytest.raises(Encrypted):
        read_tree(word([("x\r", 0, b"")], flags=0x0100))
    with pytest.raises(UnsupportedFormat):
        read_tree(word([("x\r", 0, b"")], version=0x65))


@pytest.mark.parametrize("cut", range(0, 6000, 401))
def test_file_with_broken_bytes_is_read_or_ends_with_code(cut: int) -> None:
    data = bytearray(word([("text\r", 0, b"")] * 20, kinds=[(0, "\0.")], notes=["n"]))
    data[cut % len(data) : cut % len(data) + 60] = b"\xff" * 60
    with suppress(ExtractError):
        assert read_tree(bytes(data)).source.format == "doc"

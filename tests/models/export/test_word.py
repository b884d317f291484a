"""A tree as a Word file: read back by our own reader, it is the tree that was written."""

import io
import time
import zipfile

import docx
import pytest

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, BlockType, Metadata, Span, Tree
from quire.models.export.word import tree_to_docx
from tests.builders import make_block, make_tree
from tests.models.extract.flow_trees import read_tree

TABLE = Table(
    rows=3,
    cols=3,
    cells=(
        Cell(row=0, col=0, col_span=2, header=True, text="wide"),
        Cell(row=0, col=2, header=True, text="c"),
        Cell(row=1, col=0, row_span=2, text="tall"),
        Cell(row=1, col=1, text="1"),
        Cell(row=1, col=2, text="2\nlines"),
        Cell(row=2, col=1, row_span=1, col_span=2, text="3"),
    ),
)


def reread(*blocks: Block) -> list[Block]:
    return list(read_tree(tree_to_docx(make_tree(*blocks))).blocks)


def test_headings_text_and_lists_come_back() -> None:
    written = [
        make_block(BlockType.TITLE, "Report"),
        make_block(BlockType.HEADING, "One", level=1),
        make_block(BlockType.HEADING, "Deep", level=4),
        make_block(BlockType.PARAGRAPH, "Some text\non two lines."),
        make_block(BlockType.LIST_ITEM, "• first", level=1),
        make_block(BlockType.LIST_ITEM, "second", level=2),
        make_block(BlockType.CAPTION, "Table 1"),
    ]
    assert [(block.type, block.text, block.level) for block in reread(*written)] == [
        (BlockType.TITLE, "Report", None),
        (BlockType.HEADING, "One", 1),
        (BlockType.HEADING, "Deep", 4),
        (BlockType.PARAGRAPH, "Some text\non two lines.", None),
        (BlockType.LIST_ITEM, "first", 1),
        (BlockType.LIST_ITEM, "second", 2),
        (BlockType.CAPTION, "Table 1", None),
    ]


def test_item_keeps_number_that_document_says() -> None:
    assert [block.text for block in reread(make_block(BlockType.LIST_ITEM, "3. third", level=1))] == ["3. third"]


def test_a_table_keeps_its_grid_spans_and_headers() -> None:
    table = reread(make_block(BlockType.TABLE, table=TABLE))[0].table
    assert table is not None
    assert (table.rows, table.cols) == (3, 3)
    key = ("row", "col", "row_span", "col_span", "header", "text")
    assert [tuple(getattr(cell, name) for name in key) for cell in table.cells] == [
        tuple(getattr(cell, name) for name in key) for cell in TABLE.cells
    ]


def test_looks_and_links_stay_and_unsafe_targets_do_not() -> None:
    spans = (
        Span(start=0, end=4, bold=True),
        Span(start=5, end=9, href="https://example.org/a"),
        Span(start=10, end=14, href="javascript:alert(1)"),
    )
    block = reread(make_block(BlockType.PARAGRAPH, "bold link evil end", spans=spans))[0]
    assert block.text == "bold link evil end"
    assert [(span.start, span.end, span.bold, span.href) for span in block.spans] == [
        (0, 4, True, None),
        (5, 9, False, "https://example.org/a"),
    ]


def test_hidden_text_and_running_heads_are_left_out() -> None:
    kept = reread(
        make_block(BlockType.PAGE_HEADER, "head"),
        make_block(BlockType.PARAGRAPH, "seen"),
        make_block(BlockType.PARAGRAPH, "unseen", flags=(HIDDEN_TEXT,)),
    )
    assert [block.text for block in kept] == ["seen"]


def test_characters_that_xml_cannot_hold_are_left_out() -> None:
    assert [block.text for block in reread(make_block(BlockType.PARAGRAPH, "a\x00b\ud800\uffffc"))] == ["abc"]


def test_the_same_tree_gives_the_same_bytes_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = make_tree(make_block(BlockType.PARAGRAPH, "x"), metadata=Metadata(title="T", author="A"))
    first = tree_to_docx(tree)
    monkeypatch.setattr(time, "time", lambda: 1e9)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(1e9))
    assert tree_to_docx(tree) == first
    with zipfile.ZipFile(io.BytesIO(first)) as package:
        assert {info.date_time for info in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_properties_are_the_documents_own() -> None:
    tree = make_tree(metadata=Metadata(title="T" * 300, author="A", language="de"))
    properties = docx.Document(io.BytesIO(tree_to_docx(tree, title="other"))).core_properties
    assert (properties.title, properties.author, properties.language) == ("T" * 255, "A", "de")
    assert "python-docx" not in (properties.comments + properties.author)


def test_document_without_block_is_empty_file() -> None:
    empty: Tree = make_tree()
    assert docx.Document(io.BytesIO(tree_to_docx(empty))).paragraphs == []

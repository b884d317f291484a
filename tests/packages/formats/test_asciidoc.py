"""AsciiDoc: headings, lists, tables, code, signs, lines as paths, and what is never included."""

import pytest

from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts

HEAD = "= Guide\nAnn Lee <ann@x.org>\n:product: Quire\n\n"


def adoc(body: str) -> bytes:
    return (HEAD + body).encode()


def test_headings_attributes_and_lines() -> None:
    tree = read_tree(adoc("== First\n\n{product} reads\nthis.\n\n=== Second\n"))
    assert tree.source.format == "asciidoc"
    assert [(block.text, block.level) for block in of_type(tree, BlockType.HEADING)] == [
        ("Guide", 1), ("First", 2), ("Second", 3),
    ]  # fmt: skip
    assert (tree.metadata.title, tree.metadata.author) == ("Guide", "Ann Lee")
    block = of_type(tree, BlockType.PARAGRAPH)[0]
    assert (block.text, block.provenance.path) == ("Quire reads this.", "lines 7-8")


def test_lists_nest_by_their_marks_and_hold_blocks_attached_with_a_plus() -> None:
    body = "* a\n** b\n* c\n+\n----\ncode\n----\n\n. one\n. two\n\nterm:: means\n"
    tree = read_tree(adoc(body))
    items = [(block.text, block.level) for block in of_type(tree, BlockType.LIST_ITEM)]
    assert items == [("a", 1), ("b", 2), ("c", 1), ("1. one", 2), ("2. two", 2)]
    code = of_type(tree, BlockType.CODE)[0]
    assert (code.text, next(block.text for block in tree.blocks if block.id == code.parent)) == ("code", "c")
    assert texts(tree, BlockType.PARAGRAPH) == ["term", "means"]


def test_tables_have_spans_heads_and_stated_columns() -> None:
    tree = read_tree(adoc('.Sums\n[%header,cols="1,1"]\n|===\n|h |i\n2+|wide\n|a\n|b\n|===\n'))
    table = of_type(tree, BlockType.TABLE)[0]
    assert rows_of(table) == [["h", "i"], ["wide"], ["a", "b"]]
    assert table.table is not None
    assert [cell.header for cell in table.table.cells] == [True, True, False, False, False]
    assert table.table.cells[2].col_span == 2
    assert texts(tree, BlockType.CAPTION) == ["Sums"]


def test_inline_marks_become_spans() -> None:
    text = "*bold* _it_ `co*de*` https://x.org[site^] link:a.html[local] xref:b.adoc[other] it's (C) footnote:[Below.]"
    tree = read_tree(adoc(text + "\n\nNOTE: careful\n"))
    block = tree.blocks[1]
    assert block.text == "bold it co*de* site local other it’s ©"
    assert [(span.bold, span.italic, span.code, span.href) for span in block.spans] == [
        (True, False, False, None), (False, True, False, None), (False, False, True, None),
        (False, False, False, "https://x.org"), (False, False, False, "a.html"),
    ]  # fmt: skip
    assert texts(tree)[-2:] == ["Note careful", "Below."]


def test_nothing_is_included_and_conditions_hold() -> None:
    body = "include::/etc/passwd[]\n\n"
    body += "ifdef::absent[]\nhidden\nendif::[]\n\nifndef::absent[]\nshown\nendif::[]\n\n// comment\n"
    assert texts(read_tree(adoc(body)), BlockType.PARAGRAPH) == ["shown"]


@pytest.mark.parametrize(
    "line", ["[", "*" * 3000, "====\n" * 2000, "|===\n" + "9999.9999+|x\n" * 40, "{a}" * 3000, "<<" * 3000]
)
def test_texts_made_to_harm_are_read(line: str) -> None:
    assert read_tree(adoc(":a: {a}{a}\n\n" + line + "\n\nend\n")).source.format == "asciidoc"

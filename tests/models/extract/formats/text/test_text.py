"""Plain text, records and Markdown: encodings, lines as paths, kinds by content alone."""

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from quire.models.cdom.errors import UnsupportedFormat
from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.text.markdown import FREE_STEPS, STEPS_PER_CHAR, label_steps, make_parser
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts

GREEK = "Αυτό είναι ένα κείμενο. Ο σκύλος τρέχει γρήγορα μέσα στο δάσος και η γάτα κοιμάται."


def test_paragraphs_are_parted_by_blank_lines_and_name_their_lines() -> None:
    tree = read_tree(b"first\nline\n\n\nsecond")
    assert [(block.text, block.provenance.path) for block in tree.blocks] == [
        ("first\nline", "lines 1-2"),
        ("second", "line 5"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1253"])
def test_text_of_any_encoding_is_read(encoding: str) -> None:
    text = "plain words first, " * 12 + GREEK if encoding == "utf-16-le" else GREEK
    assert texts(read_tree(text.encode(encoding))) == [text]


@pytest.mark.parametrize(("delimiter", "encoding"), [(",", "utf-8"), (";", "cp1252"), ("\t", "utf-16"), ("|", "utf-8")])
def test_records_are_one_table_by_any_delimiter(delimiter: str, encoding: str) -> None:
    rows = [["name", "city"], ["Zoë", f'say "hi"{delimiter} twice'], ["Bo", "Köln"]]
    lines = (delimiter.join('"' + field.replace('"', '""') + '"' for field in row) for row in rows)
    tree = read_tree("\r\n".join(lines).encode(encoding))
    assert tree.source.format == "csv"
    assert rows_of(of_type(tree, BlockType.TABLE)[0]) == rows


def test_records_of_uneven_length_keep_all_fields() -> None:
    tree = read_tree(b"1,2,3,4\na,b,c,d\na,b,c,d,e\na,b,c,d\n")
    assert rows_of(of_type(tree, BlockType.TABLE)[0])[2] == ["a", "b", "c", "d", "e"]


def test_formulas_of_records_stay_text() -> None:
    tree = read_tree(b"id,value\n1,=HYPERLINK(0)\n2,@SUM(A1)\n3,+cmd\n")
    assert [row[1] for row in rows_of(of_type(tree, BlockType.TABLE)[0])][1:] == ["=HYPERLINK(0)", "@SUM(A1)", "+cmd"]


def test_an_unclosed_quote_reads_to_the_end() -> None:
    tree = read_tree(b'a,b\n1,2\n3,4\n5,6\n"open,7\n8,9\n')
    assert rows_of(of_type(tree, BlockType.TABLE)[0])[-1][0].startswith("open,7")


def test_prose_with_commas_is_not_a_table() -> None:
    assert read_tree(b"Dear all, see below.\nWe met, we talked, we left.\nSo, good bye.\n").source.format == "txt"


def test_markdown_is_read_with_lines_and_front_matter() -> None:
    text = (
        "---\ntitle: Notes\nauthor: Ann\n---\n# Head\n\nSome *text*.\n\n- a\n  - b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n"
    )
    tree = read_tree(text.encode())
    assert (tree.source.format, tree.metadata.title, tree.metadata.author) == ("markdown", "Notes", "Ann")
    assert [(block.type.value, block.provenance.path) for block in tree.blocks] == [
        ("heading", "line 5"), ("paragraph", "line 7"), ("list_item", "line 9"), ("list_item", "line 10"),
        ("table", "lines 12-14"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["# x\n\n" + ">" * 50_000 + " deep", "# x\n\n" + "[" * 50_000, "- " * 5_000 + "x\n# h\n\n**b**"]
)
def test_markdown_nested_without_end_is_read(text: str) -> None:
    assert read_tree(text.encode()).blocks


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02\x03" * 200, bytes(range(256)) * 20])
def test_binary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat):
        read_tree(data)


def test_item_with_text_that_looks_like_a_number_keeps_its_bullet() -> None:
    tree = read_tree(b"# List\n\n- A. Smith\n- plain\n\n**end**\n")
    assert texts(tree, BlockType.LIST_ITEM) == ["\u2022 A. Smith", "plain"]
    assert "- A. Smith\n- plain" in tree_to_markdown(tree)


def test_an_open_bracket_costs_no_search_of_its_own() -> None:
    steps = 0
    parser = make_parser()
    skip = parser.inline.skipToken

    def count(state: StateInline) -> None:
        nonlocal steps
        steps += 1
        skip(state)

    parser.inline.skipToken = count  # type: ignore[method-assign]
    for text in ("[" * 20_000, "![" * 20_000, "[a][" * 20_000, "[a](" * 20_000, "[" * 10_000 + "]" * 10_000):
        steps = 0
        parser.parse(text, label_steps(text))
        assert steps <= FREE_STEPS + STEPS_PER_CHAR * len(text)


@pytest.mark.parametrize(
    "text",
    [
        "[a](b) [c [d](e) f](g) ![h [i](j)](k) [l]",
        "[![alt](x.png)](y) `]` [z `]` w](u) \\[no](v) [\\]](q)",
        "[ref] and [other][ref] and [ref][] and [open\n\n[ref]: http://x",
        "a ] b [ c [ d ](e) [f] g](h)",
    ],
)
def test_links_are_those_that_the_standard_parser_finds(text: str) -> None:
    standard = MarkdownIt("commonmark", {"html": True}).render(text)
    assert make_parser().render(text, label_steps(text)) == standard


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_records_of_unequal_length_under_column_names_are_a_table(delimiter: str) -> None:
    text = "name,price,qty\nlamp,12\ntable,99,3,extra\nchair\nsofa,7,1\n".replace(",", delimiter)
    tree = read_tree(text.encode())
    assert tree.source.format == "csv"
    assert tree.blocks[0].table is not None
    assert (tree.blocks[0].table.rows, tree.blocks[0].table.cols) == (5, 4)


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ann, Bo and Cy,\nthanks for the lamp\nand for the chair, which is fine\nBest,\nDi\n",
        "x = f(a, b)\ny = g(a,b,c)\nz = 1\nprint(x,y)\n",
        "one,two\na,b,c\n",
        "name,name\na,b,c\nd\ne,f,g,h\n",
        "import os,sys\nfor a,b,c in []:\n    pass\ny=1\nd,e,f,g=2\n",
    ],
)
def test_prose_and_code_with_commas_are_text(text: str) -> None:
    assert read_tree(text.encode()).source.format == "txt"

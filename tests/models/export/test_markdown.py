"""Trees with pages as Markdown; flowing documents have separate tests."""

from dataclasses import replace
from typing import Any

import pytest
from markdown_it import MarkdownIt

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import (
    Block,
    BlockId,
    BlockProvenance,
    BlockType,
    Metadata,
    Page,
    Source,
    Span,
    Tree,
    TreeProvenance,
)
from quire.models.export.markdown import MarkdownText, formula_to_markdown, tree_to_markdown
from quire.models.export.markdown_tables import TableStyle

MADE = BlockProvenance(engine="test")


def make_tree(*blocks: Block) -> Tree:
    return Tree(
        source=Source(format="pdf", sha256="0" * 64, bytes=1),
        metadata=Metadata(),
        pages=(Page(number=1, width=400, height=600),),
        blocks=blocks,
        provenance=TreeProvenance(options_hash="x"),
    )


def make_block(order: int, kind: BlockType, text: str = "", **more: Any) -> Block:
    return Block(
        id=BlockId(f"b{order}"),
        type=kind,
        page=1,
        bbox=(0, 10.0 * order, 100, 10.0 * order + 9),
        order=order,
        text=text,
        provenance=MADE,
        **more,
    )


def test_headings_stand_on_one_line_at_their_level() -> None:
    tree = make_tree(make_block(0, BlockType.TITLE, "A\nStudy"), make_block(1, BlockType.HEADING, "Methods", level=2))
    assert tree_to_markdown(tree) == "# A Study\n\n## Methods\n"


@pytest.mark.parametrize(
    ("levels", "marks"), [((1, 2, 6), ("##", "###", "######")), ((2, 3, 6), ("##", "###", "######"))]
)
def test_sections_stand_below_the_title(levels: tuple[int, ...], marks: tuple[str, ...]) -> None:
    heads = [make_block(n + 1, BlockType.HEADING, "Part", level=level) for n, level in enumerate(levels)]
    expected = ["# A Study", *(f"{mark} Part" for mark in marks)]
    assert tree_to_markdown(make_tree(make_block(0, BlockType.TITLE, "A Study"), *heads)).split("\n\n") == [
        *expected[:-1],
        f"{expected[-1]}\n",
    ]


def test_sections_of_a_document_without_a_title_keep_their_levels() -> None:
    assert tree_to_markdown(make_tree(make_block(0, BlockType.HEADING, "Part", level=1))) == "# Part\n"


@pytest.mark.parametrize("text", ["1. Summary", "2) Ropes", "- Cranes", "> 5 tonnes", "+ more"])
def test_the_start_of_a_heading_needs_no_escape(text: str) -> None:
    made = tree_to_markdown(make_tree(make_block(0, BlockType.HEADING, text, level=2)))
    assert made == f"## {text}\n"
    tokens = MarkdownIt().parse(made)
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    assert tokens[1].children is not None
    assert "".join(child.content for child in tokens[1].children) == text


def test_bullets_become_markdown_and_numbers_stay() -> None:
    tree = make_tree(
        make_block(0, BlockType.LIST_ITEM, "• First", level=1),
        make_block(1, BlockType.LIST_ITEM, "– Deeper", level=2),
        make_block(2, BlockType.LIST_ITEM, "2. Second", level=1),
    )
    assert tree_to_markdown(tree) == "- First\n  - Deeper\n2. Second\n"


GRID = (("Unit", "a|b"), ("<1", "*2*"))


def make_table(*, spanning: bool, header: int | None = 0) -> Table:
    cells = [
        Cell(row=r, col=c, header=r == header, text=text) for r, row in enumerate(GRID) for c, text in enumerate(row)
    ]
    if spanning:
        cells[:2] = [Cell(row=0, col=0, col_span=2, header=True, text="A & B")]
    return Table(rows=2, cols=2, cells=tuple(cells))


def write_table(table: Table, style: TableStyle) -> str:
    return tree_to_markdown(make_tree(make_block(0, BlockType.TABLE, table=table)), tables=style)


def test_a_table_without_spans_has_pipes_and_one_with_spans_is_html() -> None:
    assert (
        write_table(make_table(spanning=False), TableStyle.AUTO)
        == "| Unit | a\\|b |\n| --- | --- |\n| <1 | \\*2\\* |\n"
    )
    html = '<table>\n<tr><th colspan="2">A &amp; B</th></tr>\n<tr><td>&lt;1</td><td>*2*</td></tr>\n</table>\n'
    assert write_table(make_table(spanning=True), TableStyle.AUTO) == html


def test_single_cell_that_fills_a_row_keeps_the_table_a_pipe_table() -> None:
    cells = [Cell(row=row, col=column, text=f"{row}{column}") for row in (0, 2) for column in range(2)]
    cells.insert(2, Cell(row=1, col=0, col_span=2, text="Furniture"))
    written = write_table(Table(rows=3, cols=2, cells=tuple(cells)), TableStyle.AUTO)
    assert written == "| 00 | 01 |\n| --- | --- |\n| Furniture |  |\n| 20 | 21 |\n"


def test_two_merged_cells_or_one_over_some_columns_make_a_table_html() -> None:
    def write(*cells: Cell) -> str:
        return write_table(Table(rows=3, cols=3, cells=cells), TableStyle.AUTO)

    wide = Cell(row=1, col=0, col_span=3, text="a")
    assert "<table>" in write(Cell(row=0, col=0, col_span=3, text="b"), wide)
    assert "<table>" in write(Cell(row=0, col=0, col_span=2, text="b"))
    assert "<table>" in write(Cell(row=1, col=0, row_span=2, col_span=3, text="b"))
    assert "<table>" in write(Cell(row=0, col=0, col_span=3, text="b"))


def test_either_form_of_a_table_can_be_asked_for() -> None:
    assert write_table(make_table(spanning=False), TableStyle.HTML).startswith("<table>\n<tr><th>Unit</th>")
    pipes = "| A & B |  |\n| --- | --- |\n| <1 | \\*2\\* |\n"
    assert write_table(make_table(spanning=True), TableStyle.PIPE) == pipes


def test_table_with_headers_outside_its_first_row_has_an_empty_head_row() -> None:
    assert write_table(make_table(spanning=False, header=1), TableStyle.AUTO).startswith(
        "|  |  |\n| --- | --- |\n| Unit"
    )
    assert write_table(make_table(spanning=False, header=None), TableStyle.AUTO).startswith("| Unit |")


def test_running_heads_are_left_out_unless_asked_for() -> None:
    tree = make_tree(make_block(0, BlockType.PAGE_HEADER, "Head"), make_block(1, BlockType.PARAGRAPH, "Text."))
    assert tree_to_markdown(tree, furniture=True) == "Head\n\nText.\n"
    assert tree_to_markdown(tree) == "Text.\n"


def test_the_rest_of_a_paragraph_is_joined_to_it() -> None:
    tree = make_tree(
        make_block(0, BlockType.PARAGRAPH, "It was an excep-"),
        make_block(1, BlockType.PAGE_FOOTER, "7"),
        make_block(2, BlockType.PARAGRAPH, "tional day.", continues=BlockId("b0")),
    )
    assert tree_to_markdown(tree) == "It was an exceptional day.\n"
    assert tree_to_markdown(tree, furniture=True) == "It was an excep-\n\n7\n\ntional day.\n"


def test_code_is_fenced_beyond_its_own_fences() -> None:
    assert tree_to_markdown(make_tree(make_block(0, BlockType.CODE, "a\n```\nb"))) == "````\na\n```\nb\n````\n"


def test_an_empty_tree_is_an_empty_line() -> None:
    assert tree_to_markdown(make_tree()) == "\n"


def test_text_of_pages_is_escaped_as_text_of_word_is() -> None:
    texts = ("# not a heading", "<script>alert(1)</script>", "1. no item", "[x](javascript:alert(1))", "a * b < c [1]")
    made = tree_to_markdown(make_tree(*(make_block(n, BlockType.PARAGRAPH, text) for n, text in enumerate(texts))))
    assert made.split("\n\n") == [
        "\\# not a heading",
        "\\<script>alert(1)\\</script>",
        "1\\. no item",
        "[x\\](javascript:alert(1))",
        "a * b < c [1]\n",
    ]


def test_formulas_inside_text_stand_between_dollars() -> None:
    spans = (
        Span(start=3, end=5, latex="x_{i}"),
        Span(start=13, end=16, latex="a<b](c"),
        Span(start=20, end=21, latex="y"),
    )
    made = tree_to_markdown(make_tree(make_block(0, BlockType.PARAGRAPH, "as xi, where a<b or y2 is", spans=spans)))
    assert made == "as $x_{i}$, where $a< b] (c$ or y2 is\n"


def test_a_formula_cut_by_a_bullet_is_text() -> None:
    item = make_block(0, BlockType.LIST_ITEM, "• x is here", spans=(Span(start=0, end=3, latex="\\bullet x"),))
    assert tree_to_markdown(make_tree(item)) == "- x is here\n"


def test_styles_and_links_of_pages_are_kept_also_over_a_join() -> None:
    first = make_block(0, BlockType.PARAGRAPH, "see the", spans=(Span(start=4, end=7, bold=True),))
    rest = make_block(
        1,
        BlockType.PARAGRAPH,
        "site here",
        continues=BlockId("b0"),
        spans=(Span(start=5, end=9, href="https://a.example/"),),
    )
    assert tree_to_markdown(make_tree(first, rest)) == "see **the** site [here](https://a.example/)\n"


def test_hidden_text_of_pages_stays_out() -> None:
    hidden = make_block(0, BlockType.PARAGRAPH, "secret", flags=(HIDDEN_TEXT,))
    assert tree_to_markdown(make_tree(hidden, make_block(1, BlockType.PARAGRAPH, "seen"))) == "seen\n"


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("<script>alert(1)</script>", "< script>alert(1)< /script>"),
        ("a<b\n\n# c", "a< b # c"),
        ("- x [y](javascript:z)", "{}- x [y] (javascript:z)"),
        ("&lt;img src=x&gt;", "& lt;img src=x& gt;"),
    ],
)
def test_a_formula_smuggles_neither_elements_nor_links_nor_blocks(formula: str, line: str) -> None:
    assert formula_to_markdown(formula) == f"$$\n{line}\n$$"
    rendered = MarkdownIt("commonmark", {"html": True}).render(formula_to_markdown(formula))
    assert rendered.startswith("<p>$$\n")
    assert "<script" not in rendered
    assert "<a" not in rendered


def test_items_of_pages_keep_the_labels_that_the_page_shows() -> None:
    items = ("(a) one", "b) two", "3) three", "1.2 four", "[x] five")
    tree = make_tree(*(make_block(n, BlockType.LIST_ITEM, text, level=1) for n, text in enumerate(items)))
    assert tree_to_markdown(tree) == "- (a) one\n- b) two\n3) three\n- 1.2 four\n- \\[x] five\n"


def test_plain_text_has_no_emphasis_or_addresses_and_is_escaped() -> None:
    spans = (Span(start=0, end=4, bold=True), Span(start=5, end=9, href="https://example.com"))
    tree = make_tree(make_block(0, BlockType.PARAGRAPH, "Bold link `x`", spans=spans))
    assert tree_to_markdown(tree) == "**Bold** [link](https://example.com) \\`x\\`\n"
    assert tree_to_markdown(tree, inline=MarkdownText.PLAIN) == "Bold link \\`x\\`\n"


def test_pages_are_parted_where_it_is_asked_for() -> None:
    blocks = [make_block(n, BlockType.PARAGRAPH, f"word {n}") for n in range(4)]
    placed = [replace(block, page=page) for block, page in zip(blocks, (1, 1, 2, 4), strict=True)]
    assert tree_to_markdown(make_tree(*placed), page_break="<!-- page -->") == (
        "word 0\n\nword 1\n\n<!-- page -->\n\nword 2\n\n<!-- page -->\n\nword 3\n"
    )
    assert "page" not in tree_to_markdown(make_tree(*placed))


def test_list_over_two_pages_is_separated_too() -> None:
    items = [make_block(n, BlockType.LIST_ITEM, f"item {n}", level=1) for n in range(2)]
    tree = make_tree(items[0], replace(items[1], page=2))
    assert tree_to_markdown(tree, page_break="\f") == "- item 0\n\n\f\n\n- item 1\n"

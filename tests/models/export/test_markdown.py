"""Trees with pages as Markdown; flowing documents have tests of their own."""

from typing import Any

from models.cdom.table import Cell, Table
from models.cdom.tree import (
    Block,
    BlockId,
    BlockProvenance,
    BlockType,
    Metadata,
    Page,
    Source,
    Tree,
    TreeProvenance,
)
from models.export.markdown import tree_to_markdown

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


def test_bullets_become_markdown_and_numbers_stay() -> None:
    tree = make_tree(
        make_block(0, BlockType.LIST_ITEM, "• First", level=1),
        make_block(1, BlockType.LIST_ITEM, "– Deeper", level=2),
        make_block(2, BlockType.LIST_ITEM, "2. Second", level=1),
    )
    assert tree_to_markdown(tree) == "- First\n\n  - Deeper\n\n2. Second\n"


def test_a_table_is_html_with_spans_and_escaped_text() -> None:
    table = Table(
        rows=2,
        cols=2,
        cells=(
            Cell(row=0, col=0, col_span=2, header=True, text="A & B"),
            Cell(row=1, col=0, text="<1"),
            Cell(row=1, col=1, text="2"),
        ),
    )
    expected = '<table>\n<tr><th colspan="2">A &amp; B</th></tr>\n<tr><td>&lt;1</td><td>2</td></tr>\n</table>\n'
    assert tree_to_markdown(make_tree(make_block(0, BlockType.TABLE, table=table))) == expected


def test_running_heads_can_be_dropped() -> None:
    tree = make_tree(make_block(0, BlockType.PAGE_HEADER, "Head"), make_block(1, BlockType.PARAGRAPH, "Text."))
    assert tree_to_markdown(tree) == "Head\n\nText.\n"
    assert tree_to_markdown(tree, furniture=False) == "Text.\n"


def test_the_rest_of_a_paragraph_is_joined_to_it() -> None:
    tree = make_tree(
        make_block(0, BlockType.PARAGRAPH, "It was an excep-"),
        make_block(1, BlockType.PAGE_FOOTER, "7"),
        make_block(2, BlockType.PARAGRAPH, "tional day.", continues=BlockId("b0")),
    )
    assert tree_to_markdown(tree, furniture=False) == "It was an exceptional day.\n"
    assert tree_to_markdown(tree) == "It was an excep-\n\n7\n\ntional day.\n"


def test_code_is_fenced_beyond_its_own_fences() -> None:
    assert tree_to_markdown(make_tree(make_block(0, BlockType.CODE, "a\n```\nb"))) == "````\na\n```\nb\n````\n"


def test_an_empty_tree_is_an_empty_line() -> None:
    assert tree_to_markdown(make_tree()) == "\n"

"""Markdown of trees without pages: lists as lists, notes at the end, nested tables in their cells."""

from typing import Any

from lxml import html
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
    Tree,
    TreeProvenance,
)
from quire.models.export.markdown import tree_to_markdown
from quire.models.export.markdown_tables import TableStyle

RENDER = MarkdownIt("commonmark", {"html": True})


def make_tree(*blocks: dict[str, Any], format_: str = "docx") -> Tree:
    """Blocks b0, b1 … from their fields; `parent` is an index."""
    made = []
    for at, fields in enumerate(blocks):
        parent = fields.pop("parent", None)
        made.append(
            Block(
                id=BlockId(f"b{at}"),
                order=at,
                page=1,
                parent=None if parent is None else BlockId(f"b{parent}"),
                provenance=BlockProvenance(engine="test"),
                **fields,
            )
        )
    return Tree(
        source=Source(format=format_, sha256="0", bytes=0),
        metadata=Metadata(),
        pages=(Page(number=1, width=0, height=0),),
        blocks=tuple(made),
        provenance=TreeProvenance(options_hash="0"),
    )


def item(text: str, level: int = 1, **fields: Any) -> dict[str, Any]:
    return {"type": BlockType.LIST_ITEM, "text": text, "level": level, **fields}


def block(text: str, type_: BlockType = BlockType.PARAGRAPH, **fields: Any) -> dict[str, Any]:
    return {"type": type_, "text": text, **fields}


def write(*blocks: dict[str, Any]) -> str:
    return tree_to_markdown(make_tree(*blocks))


def test_numbered_items_are_ordered_and_nested_ones_are_inside() -> None:
    markdown = write(item("1. a"), item("a) b", 2, parent=0), item("b) c", 2, parent=0), item("2. d"), item("e", 2))
    assert markdown == "1. a\n   1. b\n   2. c\n2. d\n   - e\n"


def test_multipart_labels_become_numbers_where_depth_implies_the_rest() -> None:
    assert write(item("1. a"), item("1.1. b", 2), item("1.2. c", 2)) == "1. a\n   1. b\n   2. c\n"
    assert write(item("2.3.1. a")) == "- 2.3.1. a\n"


def test_a_list_continues_after_a_paragraph_with_its_number() -> None:
    assert write(item("1. a"), block("between"), item("2. b")) == "1. a\n\nbetween\n\n2. b\n"


def test_a_restarted_list_is_a_list_of_its_own() -> None:
    assert write(item("1. a"), item("2. b"), item("1. c")) == "1. a\n2. b\n\n<!-- -->\n\n1. c\n"


def test_orphan_deep_item_is_not_code() -> None:
    rendered = RENDER.render(write(block("text"), item("deep", 4)))
    assert "<li>deep</li>" in rendered


def test_children_of_an_item_are_inside_the_item() -> None:
    rendered = RENDER.render(write(item("1. a"), block("more\nof a", parent=0), item("2. b")))
    first, second = html.fromstring(f"<div>{rendered}</div>").iter("li")
    assert " ".join("".join(first.itertext()).split()) == "a more of a"
    assert "".join(second.itertext()).strip() == "b"


def test_checkboxes_are_task_items() -> None:
    markdown = write(block("☒ done", BlockType.CHECKBOX), block("☐ open", BlockType.CHECKBOX, level=2))
    assert markdown == "- [x] done\n  - [ ] open\n"


def test_notes_are_at_the_end_with_back_links_and_comments_stay_in_place() -> None:
    markdown = write(
        block("Claim¹"),
        block("Why?", BlockType.FOOTNOTE, parent=0, flags=("comment",)),
        block("1 a source", BlockType.FOOTNOTE, parent=0, flags=("pii:person",)),
        block("Next"),
    )
    assert markdown == "Claim¹\n\n> Why?\n\nNext\n\n1. a source[↩︎](#b0)\n"


def test_furniture_and_hidden_text_stay_out_unless_furniture_is_asked_for() -> None:
    tree = make_tree(block("Head", BlockType.PAGE_HEADER), block("Text"), block("secret", flags=(HIDDEN_TEXT,)))
    assert tree_to_markdown(tree) == tree_to_markdown(tree, furniture=False) == "Text\n"
    assert tree_to_markdown(tree, furniture=True) == "Head\n\nText\n"


def test_pictures_formulas_and_code_have_their_forms() -> None:
    markdown = write(
        block("A [mill]", BlockType.PICTURE, asset_ref="image-1.png"),
        block("", BlockType.PICTURE),
        block("E=m", BlockType.FORMULA),
        block("a ``` b", BlockType.CODE),
    )
    assert markdown == "![A \\[mill\\]](image-1.png)\n\n$$\nE=m\n$$\n\n````\na ``` b\n````\n"


def test_a_nested_table_stands_in_its_cell_once() -> None:
    inner = Table(rows=1, cols=2, cells=(Cell(row=0, col=0, text="x"), Cell(row=0, col=1, text="<y>")))
    outer = Table(rows=1, cols=1, cells=(Cell(row=0, col=0, text="before\nx\t<y>"),))
    markdown = write(block("", BlockType.TABLE, table=outer), block("", BlockType.TABLE, table=inner, parent=0))
    assert markdown.count("x") == 1
    assert "before<br><table><tr><td>x</td><td>&lt;y&gt;</td></tr></table></td>" in markdown


def test_merged_cells_of_a_sheet_stay_in_their_first_place_except_in_html() -> None:
    cells = (Cell(row=0, col=0, col_span=2, text="Both"), Cell(row=1, col=0, text="a"), Cell(row=1, col=1, text="b"))
    spanning = {"type": BlockType.TABLE, "table": Table(rows=2, cols=2, cells=cells)}
    tree = make_tree(spanning, format_="xlsx")
    assert tree_to_markdown(tree) == "| Both |  |\n| --- | --- |\n| a | b |\n"
    assert 'colspan="2"' in tree_to_markdown(tree, tables=TableStyle.HTML)
    assert 'colspan="2"' in tree_to_markdown(make_tree(spanning, format_="docx"))


def test_bullets_in_a_cell_are_a_list_in_it() -> None:
    table = Table(rows=1, cols=1, cells=(Cell(row=0, col=0, text="before\n• a\n• b\nafter"),))
    tree = make_tree(block("", BlockType.TABLE, table=table))
    assert "<td>before<ul><li>a</li><li>b</li></ul>after</td>" in tree_to_markdown(tree, tables=TableStyle.HTML)


def test_table_with_lists_in_cells_is_html_in_flowing_formats() -> None:
    table = Table(rows=1, cols=1, cells=(Cell(row=0, col=0, text="• a\n• b"),))
    assert "<td><ul><li>a</li><li>b</li></ul></td>" in write(block("", BlockType.TABLE, table=table))
    on_page = make_tree(block("", BlockType.TABLE, table=table, bbox=(0.0, 0.0, 9.0, 9.0)), format_="pdf")
    assert "| • a<br>• b |" in tree_to_markdown(on_page)


def test_single_bullet_in_cell_keeps_its_mark_and_makes_no_list() -> None:
    cells = (Cell(row=0, col=0, text="• Ropes | sails"), Cell(row=0, col=1, text="x"))
    assert "| - Ropes \\| sails | x |" in write(block("", BlockType.TABLE, table=Table(rows=1, cols=2, cells=cells)))
    wide = Table(rows=1, cols=2, cells=(Cell(row=0, col=0, col_span=2, text="• Ropes"),))
    assert '<td colspan="2">- Ropes</td>' in write(block("", BlockType.TABLE, table=wide))


def test_headings_keep_their_level_and_are_one_line() -> None:
    assert write(block("A\nB", BlockType.TITLE), block("C", BlockType.HEADING, level=3)) == "# A B\n\n### C\n"


def test_a_tree_with_boxes_is_not_a_flowing_one() -> None:
    markdown = write(block("Head", BlockType.PAGE_HEADER, bbox=(0.0, 0.0, 1.0, 1.0)))
    assert markdown == "Head\n"

"""Paragraphs that go on with a list item, numbers of several levels, styles that only look like headings."""

from quire.models.cdom.tree import BlockType
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.formats.word.docx.files import (
    cell,
    item,
    make_docx,
    paragraph,
    read_blocks,
    read_tree,
    row,
    shape,
    style,
    table,
)


def level(at: int, format_: str, text: str, left: int) -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{format_}"/><w:lvlText w:val="{text}"/>'
        f'<w:pPr><w:ind w:left="{left}" w:hanging="360"/></w:pPr></w:lvl>'
    )


def abstract(at: int, *levels: str) -> str:
    return f'<w:abstractNum w:abstractNumId="{at}">{"".join(levels)}</w:abstractNum>'


NUMBERS = abstract(0, level(0, "decimal", "%1.", 720), level(1, "decimal", "%1.%2", 1440))
BULLETS = abstract(1, level(0, "bullet", "·", 720), level(1, "bullet", "o", 1440))
NUMS = "".join(f'<w:num w:numId="{at + 1}"><w:abstractNumId w:val="{at}"/></w:num>' for at in (0, 1))
STYLES = (
    style("LP", "List Paragraph", properties='<w:ind w:left="720"/>')
    + style("H1", "heading 1")
    + style("TH", "TOC Heading", based_on="H1", properties='<w:outlineLvl w:val="9"/>')
    + style("H0", "Heading 0")
)
PARTS = {"numbering": NUMBERS + BULLETS + NUMS, "styles": STYLES}


def indented(text: str, left: int) -> str:
    return paragraph(text, properties=f'<w:ind w:left="{left}"/>')


def markdown(body: str) -> str:
    return tree_to_markdown(read_tree(make_docx(body, parts=PARTS)))


def test_unnumbered_paragraph_at_the_indent_of_an_item_belongs_to_the_item() -> None:
    body = item("one", 1) + paragraph("more", style="LP") + indented("and more", 730) + item("two", 1)
    one, more, again, two = read_blocks(body, parts=PARTS)
    assert (more.type, more.parent, again.parent) == (BlockType.PARAGRAPH, one.id, one.id)
    assert (two.text, two.parent) == ("2. two", None)


def test_paragraph_after_a_deeper_item_belongs_to_the_item_of_its_indent() -> None:
    body = item("one", 1) + item("sub", 1, 1) + indented("of sub", 1440) + indented("of one", 720)
    one, sub, of_sub, of_one = read_blocks(body, parts=PARTS)
    assert (of_sub.parent, of_one.parent) == (sub.id, one.id)


def test_paragraph_at_another_indent_or_after_text_belongs_to_no_item() -> None:
    for between in (paragraph("at the margin"), indented("deeper", 1000), table(row(cell("a")))):
        last = read_blocks(item("one", 1) + between + paragraph("later", style="LP"), parts=PARTS)[-1]
        assert last.parent is None


def test_a_continued_item_stays_one_list_in_markdown_and_html() -> None:
    body = item("one", 1) + paragraph("more", style="LP") + item("two", 1)
    assert markdown(body) == "1. one\n\n   more\n2. two\n"
    page = tree_to_html(read_tree(make_docx(body, parts=PARTS)))
    assert page.count("<ul") == 1
    assert "1. one<p" in page


def test_numbers_of_several_levels_are_marks_of_their_depth() -> None:
    body = item("a", 1) + item("b", 1, 1) + item("c", 1, 1) + item("d", 1) + item("e", 1, 1)
    assert markdown(body) == "1. a\n   1. b\n   2. c\n2. d\n   1. e\n"


def test_bulleted_item_that_begins_with_a_number_keeps_the_number() -> None:
    assert markdown(item("a", 2) + item("1.1 is a number", 2, 1)) == "- a\n  - 1.1 is a number\n"


def test_contents_title_and_heading_0_style_are_not_headings() -> None:
    blocks = read_blocks(paragraph("Contents", style="TH") + paragraph("zero", style="H0"), parts=PARTS)
    assert {block.type for block in blocks} == {BlockType.PARAGRAPH}


def test_heading_style_that_is_put_into_bulleted_list_is_item() -> None:
    listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{}"/></w:numPr>'
    body = paragraph("point", style="H1", properties=listed.format(2)) + paragraph(
        "Head", style="H1", properties=listed.format(1)
    )
    assert shape(read_blocks(body, parts=PARTS)) == [
        (BlockType.LIST_ITEM, 1, "point"),
        (BlockType.HEADING, 1, "1. Head"),
    ]


def test_bullets_and_numbers_in_a_cell_are_lists_by_one_rule() -> None:
    made = markdown(table(row(cell(item("a", 2) + item("b", 2)), cell(item("c", 1) + item("d", 1)))))
    assert "<td><ul><li>a</li><li>b</li></ul></td><td><ol><li>c</li><li>d</li></ol></td>" in made


def test_a_lone_number_in_a_cell_is_text() -> None:
    assert markdown(table(row(cell(item("c", 1)), cell("x")))) == "| 1. c | x |\n| --- | --- |\n"


def test_a_formula_alone_in_a_cell_stands_between_dollars() -> None:
    formula = "<w:p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>"
    found = read_blocks(table(row(cell(formula), cell("y"))))[0].table
    assert found is not None
    assert [one.text for one in found.cells] == ["$x$", "y"]


def test_html_sets_no_bullet_before_items_that_carry_their_number() -> None:
    page = tree_to_html(read_tree(make_docx(item("a", 1) + item("b", 1, 1) + item("c", 1), parts=PARTS)))
    assert page.count('<ul class="numbered">') == 2
    assert '<ul class="numbered">' not in tree_to_html(read_tree(make_docx(item("a", 2), parts=PARTS)))

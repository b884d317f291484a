"""Headings, titles, captions, code: what a paragraph is by its style and outline level."""

from quire.models.cdom.tree import BlockType
from tests.models.extract.formats.word.docx.files import make_docx, paragraph, read_blocks, read_tree, shape, style


def test_heading_is_found_by_name_through_chain_of_styles() -> None:
    styles = style("berschrift2", "heading 2") + style("Mine", "My Heading", based_on="berschrift2")
    blocks = read_blocks(paragraph("One", style="Mine") + paragraph("Text"), parts={"styles": styles})
    assert shape(blocks) == [(BlockType.HEADING, 2, "One"), (BlockType.PARAGRAPH, None, "Text")]


def test_localised_style_names_and_outline_levels_make_headings() -> None:
    styles = style("x1", "Überschrift 3") + style("x2", "Section", properties='<w:outlineLvl w:val="1"/>')
    blocks = read_blocks(paragraph("A", style="x1") + paragraph("B", style="x2"), parts={"styles": styles})
    assert shape(blocks) == [(BlockType.HEADING, 3, "A"), (BlockType.HEADING, 2, "B")]


def test_outline_level_of_the_paragraph_wins_and_level_nine_is_body_text() -> None:
    styles = style("h1", "heading 1")
    body = paragraph("A", properties='<w:outlineLvl w:val="0"/>') + paragraph(
        "B", style="h1", properties='<w:outlineLvl w:val="9"/>'
    )
    assert shape(read_blocks(body, parts={"styles": styles})) == [
        (BlockType.HEADING, 1, "A"),
        (BlockType.PARAGRAPH, None, "B"),
    ]


def test_whole_clause_with_outline_level_stays_paragraph() -> None:
    clause = "The parties agree that " * 20
    blocks = read_blocks(paragraph(clause, properties='<w:outlineLvl w:val="2"/>'))
    assert shape(blocks) == [(BlockType.PARAGRAPH, None, clause.strip())]


def test_headings_deeper_than_six_are_six() -> None:
    assert read_blocks(paragraph("A", style="Heading9"), parts={"styles": style("Heading9", "heading 9")})[0].level == 6


def test_without_a_style_sheet_the_style_id_speaks() -> None:
    assert shape(read_blocks(paragraph("A", style="Heading1"))) == [(BlockType.HEADING, 1, "A")]


def test_style_chains_that_bite_their_tail_end() -> None:
    styles = style("a", "one", based_on="b") + style("b", "two", based_on="a")
    assert shape(read_blocks(paragraph("A", style="a"), parts={"styles": styles})) == [(BlockType.PARAGRAPH, None, "A")]


def test_title_and_caption_styles_have_types_of_their_own() -> None:
    styles = style("Title", "Title") + style("Caption", "caption")
    body = paragraph("Report", style="Title") + "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"
    blocks = read_blocks(body + paragraph("Table 1", style="Caption"), parts={"styles": styles})
    assert [block.type for block in blocks] == [BlockType.TITLE, BlockType.TABLE, BlockType.CAPTION]
    assert blocks[2].parent == blocks[1].id


def test_adjacent_code_paragraphs_are_joined_with_their_indentation() -> None:
    styles = style("SourceCode", "Source Code")
    body = paragraph("def f():", style="SourceCode") + paragraph("    return 1", style="SourceCode") + paragraph("End")
    assert shape(read_blocks(body, parts={"styles": styles})) == [
        (BlockType.CODE, None, "def f():\n    return 1"),
        (BlockType.PARAGRAPH, None, "End"),
    ]


def test_empty_paragraphs_leave_nothing() -> None:
    assert read_blocks(paragraph() + paragraph("   ") + "<w:p/>") == ()


def test_a_deleted_paragraph_mark_joins_two_paragraphs() -> None:
    deleted = '<w:rPr><w:del w:id="1" w:author="x"/></w:rPr>'
    tree = read_tree(make_docx(paragraph("One ", properties=deleted) + paragraph("two")))
    assert shape(tree.blocks) == [(BlockType.PARAGRAPH, None, "One two")]
    assert [warning.code for warning in tree.warnings] == ["tracked-changes"]


def test_drop_cap_is_first_letter_of_next_paragraph() -> None:
    body = paragraph("O", properties='<w:framePr w:dropCap="drop" w:lines="3"/>') + paragraph("nce upon a time")
    assert shape(read_blocks(body)) == [(BlockType.PARAGRAPH, None, "Once upon a time")]

"""Lists: markers, restarts, continuation, depth."""

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.flow.number_formats import format_count
from tests.models.extract.formats.word.docx.files import item, paragraph, read_blocks, shape, style


def level(at: int, format_: str, text: str, *, start: int = 1, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{format_}"/>'
        f'<w:lvlText w:val="{text}"/>{more}</w:lvl>'
    )


OUTLINE = (
    '<w:abstractNum w:abstractNumId="0">'
    + level(0, "decimal", "%1.")
    + level(1, "lowerLetter", "(%2)")
    + level(2, "upperRoman", "%1.%2.%3")
    + "</w:abstractNum>"
)
BULLETS = '<w:abstractNum w:abstractNumId="1">' + level(0, "bullet", "·") + level(1, "bullet", "o") + "</w:abstractNum>"
BLANK = '<w:abstractNum w:abstractNumId="2">' + level(0, "bullet", " ") + level(1, "bullet", " ") + "</w:abstractNum>"
NUMS = "".join(
    f'<w:num w:numId="{num}"><w:abstractNumId w:val="{abstract}"/></w:num>'
    for num, abstract in ((1, 0), (2, 1), (3, 2))
)
RESTART = (
    '<w:num w:numId="4"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
    "</w:lvlOverride></w:num>"
)
PARTS = {"numbering": OUTLINE + BULLETS + BLANK + NUMS + RESTART}


def texts(body: str) -> list[str]:
    return [block.text for block in read_blocks(body, parts=PARTS)]


def test_numbers_count_by_level_and_deeper_levels_start_again() -> None:
    body = item("a", 1) + item("b", 1, 1) + item("c", 1, 1) + item("d", 1, 2) + item("e", 1) + item("f", 1, 1)
    assert texts(body) == ["1. a", "(a) b", "(b) c", "1.b.I d", "2. e", "(a) f"]


def test_list_continues_after_a_paragraph_and_restarts_where_stated() -> None:
    body = item("a", 1) + paragraph("between") + item("b", 1) + item("c", 4) + item("d", 4)
    assert texts(body) == ["1. a", "between", "2. b", "1. c", "2. d"]


def test_bullets_have_no_marker_text_and_depth_in_level() -> None:
    blocks = read_blocks(item("a", 2) + item("b", 2, 1), parts=PARTS)
    assert shape(blocks) == [(BlockType.LIST_ITEM, 1, "a"), (BlockType.LIST_ITEM, 2, "b")]
    assert blocks[1].parent == blocks[0].id


def test_a_paragraph_with_a_blank_marker_continues_its_item() -> None:
    blocks = read_blocks(item("a", 2) + item("more of a", 3) + item("b", 2), parts=PARTS)
    assert shape(blocks)[1] == (BlockType.PARAGRAPH, None, "more of a")
    assert blocks[1].parent == blocks[0].id


def test_number_zero_takes_a_paragraph_out_of_the_list_of_its_style() -> None:
    parts = PARTS | {"styles": style("L", "List", properties='<w:numPr><w:numId w:val="2"/></w:numPr>')}
    none = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    blocks = read_blocks(paragraph("in", style="L") + paragraph("out", style="L", properties=none), parts=parts)
    assert [block.type for block in blocks] == [BlockType.LIST_ITEM, BlockType.PARAGRAPH]


def test_a_style_that_a_level_names_takes_that_level() -> None:
    tied = '<w:abstractNum w:abstractNumId="0">' + level(0, "bullet", "·")
    tied += level(1, "bullet", "o", more='<w:pStyle w:val="L2"/>') + "</w:abstractNum>"
    parts = {
        "numbering": tied + '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
        "styles": style("L2", "Deep", properties='<w:numPr><w:numId w:val="1"/></w:numPr>'),
    }
    assert read_blocks(paragraph("a", style="L2"), parts=parts)[0].level == 2


def test_bullet_before_an_initial_is_kept_to_avoid_a_number() -> None:
    assert texts(item("A. Smith", 2) + item("Bob", 2)) == ["• A. Smith", "Bob"]


def test_a_box_glyph_as_bullet_makes_checkboxes() -> None:
    boxes = '<w:abstractNum w:abstractNumId="0">' + level(0, "bullet", "☒") + "</w:abstractNum>"
    parts = {"numbering": boxes + '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'}
    assert shape(read_blocks(item("done", 1), parts=parts)) == [(BlockType.CHECKBOX, 1, "☒ done")]


def test_a_numbered_heading_is_a_heading_and_counts() -> None:
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    body = paragraph("Scope", style="Heading1", properties=numbered) + item("a", 1)
    assert shape(read_blocks(body, parts=PARTS)) == [
        (BlockType.HEADING, 1, "1. Scope"),
        (BlockType.LIST_ITEM, 1, "2. a"),
    ]


def test_list_without_definition_is_not_a_list() -> None:
    assert shape(read_blocks(item("a", 77), parts=PARTS)) == [(BlockType.PARAGRAPH, None, "a")]


@pytest.mark.parametrize(
    ("count", "format_", "text"),
    [
        (4, "lowerRoman", "iv"),
        (1994, "upperRoman", "MCMXCIV"),
        (27, "lowerLetter", "aa"),
        (3, "upperLetter", "C"),
        (7, "decimalZero", "07"),
        (5, "chineseCounting", "五"),
        (0, "lowerRoman", "0"),
        (99_999, "lowerLetter", "99999"),
    ],
)
def test_counts_are_written_in_words_formats(count: int, format_: str, text: str) -> None:
    assert format_count(count, format_) == text


def test_the_built_in_deeper_list_styles_are_deeper() -> None:
    numbered = '<w:numPr><w:numId w:val="2"/></w:numPr>'
    parts = PARTS | {"styles": style("LB3", "List Bullet 3", properties=numbered)}
    assert read_blocks(paragraph("a", style="LB3"), parts=parts)[0].level == 3

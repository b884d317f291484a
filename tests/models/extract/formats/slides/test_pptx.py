"""Slide decks: titles, lists, tables, notes, what is hidden, places of shapes, and files that mean harm."""

import pytest

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT, SPEAKER_NOTES
from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import of_type, read_tree, rows_of, texts
from tests.models.extract.formats.sheets.workbooks import relations
from tests.models.extract.formats.slides.decks import NAMES, deck, paragraph, shape, slide


def test_slide_is_page_with_its_size_and_its_title() -> None:
    shapes = [shape(paragraph("Body"), box=(10, 20, 100, 50)), shape(paragraph("Goals"), kind="title")]
    tree = read_tree(deck(slide(*shapes)))
    page = tree.pages[0]
    assert (page.width, page.height, page.label) == (720.0, 540.0, "Goals")
    assert texts(tree) == ["Goals", "Body"]
    assert tree.blocks[1].bbox == (10.0, 20.0, 110.0, 70.0)
    assert tree.blocks[1].provenance.path == "slide1.xml#2"


def test_marked_paragraphs_are_list_items_with_levels_and_numbers() -> None:
    bullet = '<a:pPr><a:buChar char="•"/></a:pPr>'
    deeper = '<a:pPr lvl="1"><a:buAutoNum type="arabicParenR"/></a:pPr>'
    body = shape(paragraph("One", bullet), paragraph("first", deeper), paragraph("second", deeper), paragraph("Plain"))
    items = of_type(read_tree(deck(slide(body))), BlockType.LIST_ITEM)
    assert [(item.text, item.level) for item in items] == [("One", 1), ("1) first", 2), ("2) second", 2)]
    assert items[1].parent == items[0].id


def test_bullets_before_typed_numbers_are_left_out_in_counting_lists() -> None:
    bullet = '<a:pPr><a:buChar char="•"/></a:pPr>'
    lists = (["1. one", "2. two"], ["1. one", "3. three"], ["1. alone"], ["1. one", "two"], ["1.5 kg", "2.5 kg"])
    slides = [slide(shape(*(paragraph(text, bullet) for text in items))) for items in lists]
    tree = read_tree(deck(*slides))
    shown = [[block.text for block in tree.blocks if block.page == page] for page in range(1, 6)]
    assert shown[0] == ["1. one", "2. two"]
    assert shown[1] == ["• 1. one", "• 3. three"]
    assert shown[2] == ["• 1. alone"]
    assert shown[3] == ["• 1. one", "two"]
    assert "1. one\n2. two" in tree_to_markdown(tree)


def test_letters_of_symbol_fonts_become_the_displayed_characters() -> None:
    def symbol(font: str, char: str) -> str:
        return f'<a:r><a:rPr><a:sym typeface="{font}"/></a:rPr><a:t>{char}</a:t></a:r>'

    runs = symbol("Wingdings", "\uf0e0") + symbol("Unknown", "\uf0e0")
    tree = read_tree(deck(slide(shape(f"<a:p><a:r><a:t>Ropes </a:t></a:r>{runs}</a:p>"))))
    assert [block.text for block in tree.blocks] == ["Ropes →\uf0e0"]
    assert tree.coverage is not None
    assert tree.coverage.complete


def test_shapes_are_read_in_bands_from_the_top_and_from_the_left() -> None:
    shapes = [
        shape(paragraph("right"), box=(400, 100, 200, 100)), shape(paragraph("foot"), box=(10, 400, 600, 40)),
        shape(paragraph("left"), box=(10, 110, 200, 100)), shape(paragraph("head"), box=(10, 10, 600, 40)),
    ]  # fmt: skip
    assert texts(read_tree(deck(slide(*shapes)))) == ["head", "left", "right", "foot"]


def test_group_scales_and_moves_its_shapes() -> None:
    group = (
        "<p:grpSp><p:grpSpPr><a:xfrm><a:off x='1270000' y='0'/><a:ext cx='2540000' cy='2540000'/>"
        "<a:chOff x='0' y='0'/><a:chExt cx='1270000' cy='1270000'/></a:xfrm></p:grpSpPr>"
        f"{shape(paragraph('in'), box=(10, 10, 20, 20))}</p:grpSp>"
    )
    assert read_tree(deck(slide(group))).blocks[0].bbox == (120.0, 20.0, 160.0, 60.0)


def test_tables_keep_their_spans() -> None:
    body = "<a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody>"
    first = f"<a:tc gridSpan='2'>{body.format('wide')}</a:tc><a:tc hMerge='1'/>"
    second = "".join(f"<a:tc>{body.format(text)}</a:tc>" for text in "ab")
    rows = f"<a:tbl><a:tblPr firstRow='1'/><a:tr>{first}</a:tr><a:tr>{second}</a:tr></a:tbl>"
    frame = f"<p:graphicFrame><a:graphic><a:graphicData>{rows}</a:graphicData></a:graphic></p:graphicFrame>"
    table = of_type(read_tree(deck(slide(frame))), BlockType.TABLE)[0]
    assert rows_of(table) == [["wide"], ["a", "b"]]
    assert table.table is not None
    assert (table.table.cells[0].col_span, table.table.cells[0].header) == (2, True)


def test_notes_and_comments_are_flagged_blocks_at_the_end_of_their_slide() -> None:
    body = shape(paragraph("Say hello"), kind="body")
    notes = f"<p:notes {NAMES}><p:cSld><p:spTree>{body}</p:spTree></p:cSld></p:notes>"
    comments = f"<p:cmLst {NAMES}><p:cm><p:text>Too long</p:text></p:cm></p:cmLst>"
    more: dict[str, str | bytes] = {
        "ppt/slides/_rels/slide1.xml.rels": relations(
            ("n", "notesSlide", "../notesSlides/n1.xml"), ("c", "comments", "../comments/c1.xml")
        ),
        "ppt/notesSlides/n1.xml": notes,
        "ppt/comments/c1.xml": comments,
    }
    tree = read_tree(deck(slide(shape(paragraph("Text"))), more=more))
    assert [(block.text, block.flags) for block in of_type(tree, BlockType.FOOTNOTE)] == [
        ("Say hello", (SPEAKER_NOTES,)),
        ("Too long", (COMMENT,)),
    ]


def test_a_hidden_slide_is_read_flagged_and_not_exported() -> None:
    tree = read_tree(deck(slide(shape(paragraph("Shown"))), slide(shape(paragraph("Backup")), attributes='show="0"')))
    assert [block.flags for block in tree.blocks] == [(), (HIDDEN_TEXT,)]
    assert [(warning.code, warning.page) for warning in tree.warnings] == [("hidden-slide", 2)]
    assert "Backup" not in tree_to_markdown(tree)


def test_groups_nested_without_end_are_a_resource_limit() -> None:
    with pytest.raises(ResourceLimit):
        read_tree(deck(slide("<p:grpSp>" * 200 + "</p:grpSp>" * 200)))


def test_negative_and_huge_places_do_not_fail() -> None:
    tree = read_tree(deck(slide(shape(paragraph("far"), box=(-(10**9), 10**12, 5, 5)))))
    assert texts(tree) == ["far"]


def test_slide_that_is_missing_is_warning_and_others_are_read() -> None:
    data = deck(
        slide(shape(paragraph("one"))), slide(shape(paragraph("two"))), more={"ppt/slides/slide1.xml": "<broken"}
    )
    tree = read_tree(data)
    assert texts(tree) == ["two"]
    assert ("part-unreadable", 1) in {(warning.code, warning.page) for warning in tree.warnings}

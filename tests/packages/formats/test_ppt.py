"""Decks of PowerPoint 97 to 2003: slides, tables, notes, lists and comments, in the order of the slides."""

import struct

import pytest

from quire.models.cdom.errors import Encrypted, ErrorCode, Malformed, UnsupportedFormat
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT, SPEAKER_NOTES
from quire.models.cdom.original import Format
from quire.models.cdom.tree import BlockType, Tree
from quire.models.extract.formats.sniffing.signatures import sniff
from tests.models.extract.flow_trees import read_tree, texts
from tests.models.extract.formats.common.compound_files import compound
from tests.models.extract.formats.slides.ppt_decks import (
    BODY,
    BODY_PLACE,
    FOOTER_PLACE,
    NOTES,
    NOTES_PLACE,
    OTHER,
    TITLE,
    TITLE_PLACE,
    Slide,
    box,
    group,
    ppt,
    record,
    shape,
    string,
    tag,
    text,
)

TOP, MIDDLE = (100, 100, 5000, 600), (100, 800, 5000, 3000)


def is_complete(tree: Tree) -> bool:
    return tree.coverage is not None and tree.coverage.complete


def test_ppt_is_recognised_and_read_with_title_as_heading() -> None:
    deck = ppt(
        Slide(
            [
                shape(text(OTHER, "In the box — ж"), frame=MIDDLE),
                shape(text(TITLE, "The title"), frame=TOP, place=TITLE_PLACE),
            ]
        )
    )
    tree = read_tree(deck)
    assert sniff(deck) is Format.PPT
    assert [(block.type, block.text) for block in tree.blocks] == [
        (BlockType.HEADING, "The title"), (BlockType.PARAGRAPH, "In the box — ж"),
    ]  # fmt: skip
    assert tree.pages[0].label == "The title"
    assert is_complete(tree)


def test_outline_texts_are_placed_by_the_shapes_that_refer_to_them() -> None:
    outline = text(TITLE, "Plan") + text(BODY, "First\rSecond", paragraphs=[(6, 0, 1), (7, 1, 1)])
    shapes = [
        shape(record(0x0F9E, struct.pack("<I", 1)), frame=MIDDLE, place=BODY_PLACE),
        shape(record(0x0F9E, struct.pack("<I", 0)), frame=TOP, place=TITLE_PLACE),
    ]
    tree = read_tree(ppt(Slide(shapes, outline)))
    assert [(block.type, block.text, block.level) for block in tree.blocks] == [
        (BlockType.HEADING, "Plan", 1), (BlockType.LIST_ITEM, "First", 1), (BlockType.LIST_ITEM, "Second", 2),
    ]  # fmt: skip
    assert is_complete(tree)


def test_outline_text_without_a_shape_is_kept() -> None:
    tree = read_tree(ppt(Slide(outline=text(TITLE, "Only in the outline"))))
    assert texts(tree, BlockType.HEADING) == ["Only in the outline"]


def test_bullets_of_the_master_apply_to_body_text_only() -> None:
    tree = read_tree(ppt(Slide([shape(text(BODY, "Item"), frame=TOP), shape(text(OTHER, "Words"), frame=MIDDLE)])))
    assert [block.type for block in tree.blocks] == [BlockType.LIST_ITEM, BlockType.PARAGRAPH]


def test_numbered_paragraphs_keep_their_numbers() -> None:
    numbering = struct.pack("<IHHHII", 0x3000000, 1, 0, 3, 0, 0)
    client = tag("___PPT9", record(0x0FAC, numbering))
    tree = read_tree(ppt(Slide([shape(text(BODY, "One\rTwo", paragraphs=[(8, 0, 1)]), client=client)])))
    assert texts(tree) == ["c. One", "d. Two"]


def test_table_is_built_from_the_shapes_of_its_group() -> None:
    def cell(words: str, left: int, top: int, right: int, bottom: int) -> bytes:
        return shape(text(OTHER, words), frame=(left, top, right, bottom), child=True)

    line = shape(frame=(0, 0, 900, 0), kind=20, child=True)
    cells = [
        cell("Both", 0, 0, 900, 100), cell("a", 0, 100, 450, 200), cell("b", 450, 100, 900, 200), line,
        cell("tall", 0, 200, 450, 400), cell("c", 450, 200, 900, 300), cell("", 450, 300, 900, 400),
    ]  # fmt: skip
    tree = read_tree(ppt(Slide([group(*cells, frame=(0, 0, 900, 400), is_table=True)])))
    table = tree.blocks[0].table
    assert table is not None
    assert (table.rows, table.cols) == (4, 2)
    assert [(cell.row, cell.col, cell.row_span, cell.col_span, cell.text) for cell in table.cells] == [
        (0, 0, 1, 2, "Both"), (1, 0, 1, 1, "a"), (1, 1, 1, 1, "b"), (2, 0, 2, 1, "tall"), (2, 1, 1, 1, "c"),
        (3, 1, 1, 1, ""),
    ]  # fmt: skip
    assert is_complete(tree)


def test_notes_and_comments_follow_their_slide() -> None:
    notes = [
        shape(text(OTHER, "*", more=record(0x0FD8, bytes(4))), place=8),
        shape(text(NOTES, "Say this.\rThen that."), place=NOTES_PLACE),
    ]
    comment = tag("___PPT10", box(0x2EE0, string("Ann", 0), string("Check the figure", 1)))
    tree = read_tree(ppt(Slide([shape(text(OTHER, "Words"))], notes=notes, more=comment), Slide()))
    assert [(block.text, block.flags, block.page) for block in tree.blocks[1:]] == [
        ("Say this.\nThen that.", (SPEAKER_NOTES,), 1), ("Check the figure", (COMMENT,), 1),
    ]  # fmt: skip
    assert is_complete(tree)


def test_shapes_of_a_group_are_scaled_and_stay_together() -> None:
    left, right = (0, 0, 100, 100), (0, 200, 100, 300)
    inside = [
        shape(text(OTHER, "group top"), frame=left, child=True),
        shape(text(OTHER, "group bottom"), frame=right, child=True),
    ]
    grouped = group(*inside, frame=(800, 800, 1600, 3200), inner=(0, 0, 100, 300))
    beside = shape(text(OTHER, "beside"), frame=(2400, 1000, 3200, 1600))
    tree = read_tree(ppt(Slide([grouped, beside])))
    assert texts(tree) == ["group top", "group bottom", "beside"]
    assert tree.blocks[1].bbox == (100.0, 300.0, 200.0, 400.0)


def test_slide_number_and_footer_of_the_master_are_page_footers() -> None:
    heads = box(0x0FD9, record(0x0FDA, struct.pack("<HH", 0, 0x28)), string("Confidential", 2), instance=3)
    number = shape(
        text(OTHER, "Slide *", more=record(0x0FD8, struct.pack("<I", 6))), place=8, frame=(100, 4000, 900, 4200)
    )
    tree = read_tree(ppt(Slide([shape(text(OTHER, "Words"), frame=MIDDLE), number]), document=heads))
    assert texts(tree, BlockType.PAGE_FOOTER) == ["Slide 1", "Confidential"]


def test_footer_shape_shows_the_footer_once() -> None:
    heads = box(0x0FD9, record(0x0FDA, struct.pack("<HH", 0, 0x20)), string("Confidential", 2), instance=3)
    footer = shape(text(OTHER, "*", more=record(0x0FFA, bytes(4))), place=FOOTER_PLACE)
    assert texts(read_tree(ppt(Slide([footer]), document=heads))) == ["Confidential"]


def test_links_and_bold_text_are_spans() -> None:
    links = box(0x0409, box(0x0FD7, record(0x0FD3, struct.pack("<I", 7)), string("https://example.org", 1)))
    styles = struct.pack("<IHI", 11, 0, 0) + struct.pack("<IIH", 6, 1, 1) + struct.pack("<II", 5, 0)
    more = record(0x0FA1, styles) + box(0x0FF2, record(0x0FF3, struct.pack("<II", 0, 7)))
    more += record(0x0FDF, struct.pack("<II", 6, 10))
    tree = read_tree(ppt(Slide([shape(text(OTHER, "Bold, link", more=more))]), document=links))
    spans = tree.blocks[0].spans
    assert [(span.start, span.end, span.bold, span.href) for span in spans] == [
        (0, 6, True, None), (6, 10, False, "https://example.org"),
    ]  # fmt: skip


def test_hidden_slides_and_deleted_shapes_are_not_shown() -> None:
    gone = shape(text(OTHER, "gone"), flags=0xA08)
    tree = read_tree(ppt(Slide([shape(text(OTHER, "seen")), gone]), Slide([shape(text(OTHER, "hid"))], is_hidden=True)))
    assert [(block.text, HIDDEN_TEXT in block.flags) for block in tree.blocks] == [("seen", False), ("hid", True)]
    assert is_complete(tree)
    assert [(warning.code, warning.page) for warning in tree.warnings] == [("hidden-slide", 2)]


def test_newest_save_counts() -> None:
    tree = read_tree(ppt(Slide([shape(text(OTHER, "Words"))]), saves=3))
    assert texts(tree) == ["Words"]


def test_encrypted_deck_is_refused_as_encrypted() -> None:
    with pytest.raises(Encrypted):
        read_tree(ppt(Slide(), locked=True))


def test_deck_of_powerpoint_95_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedFormat, match=r"PowerPoint 95 and older is not read; save it as \.pptx") as error:
        read_tree(compound({("PowerPoint Document",): bytes(600)}))
    assert error.value.code is ErrorCode.UNSUPPORTED_FORMAT


def test_deck_without_a_document_is_malformed() -> None:
    edit = record(0x0FF5, struct.pack("<IIIIIIHH", 0, 0x3000000, 0, 0, 9, 0, 1, 0))
    with pytest.raises(Malformed):
        read_tree(compound({("PowerPoint Document",): edit.ljust(600, b"\0")}))


def test_slide_named_twice_in_the_list_is_read_once() -> None:
    deck = ppt(Slide([shape(text(OTHER, "first"))]), Slide([shape(text(OTHER, "second"))]))
    entry = struct.pack("<IIIII", 3, 0, 0, 257, 0)
    twice = deck.replace(entry, struct.pack("<IIIII", 2, 0, 0, 257, 0))
    assert twice != deck
    tree = read_tree(twice)
    assert texts(tree) == ["first"]
    assert [(warning.code, warning.page) for warning in tree.warnings] == [("part-unreadable", 2)]

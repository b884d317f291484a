"""Paragraphs that a page, a column or a float parted: one text, its parts known."""

from dataclasses import replace

import pytest

from quire.models.cdom.tree import Block, BlockId, BlockType, Span
from quire.models.cdom.visible import flow_blocks, join_text
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.builders import make_block, make_tree

FIRST = make_block(BlockType.PARAGRAPH, "It was seen in the docu-", bbox=(50, 700, 300, 720))
NOTE = make_block(BlockType.FOOTNOTE, "1 A note.", bbox=(50, 730, 300, 740))
HEAD = make_block(BlockType.PAGE_HEADER, "Chapter 2", page=2, bbox=(50, 20, 300, 30))
REST = make_block(
    BlockType.PARAGRAPH, "ment of old.", page=2, bbox=(50, 50, 300, 70), continues=BlockId("b0"),
    spans=(Span(start=8, end=11, bold=True),),
)  # fmt: skip
WHOLE = "It was seen in the document of old."


def placed(*blocks: Block) -> list[Block]:
    return list(make_tree(*blocks).blocks)


def texts(*blocks: Block) -> list[str]:
    return [flowing.whole.text for flowing in flow_blocks(placed(*blocks))]


def test_a_paragraph_is_one_over_a_note_and_keeps_its_spans_and_its_parts() -> None:
    first, note, rest = placed(FIRST, NOTE, REST)
    whole, after = flow_blocks([first, note, rest])
    assert whole.whole.text == WHOLE
    assert [WHOLE[span.start : span.end] for span in whole.whole.spans] == ["old"]
    assert (whole.parts, whole.starts, after.whole) == ((first, rest), (0, 23), note)


def test_reading_with_running_heads_goes_page_by_page() -> None:
    assert texts(FIRST, HEAD, REST) == [FIRST.text, HEAD.text, REST.text]


def test_paragraph_that_continues_a_missing_block_stays_separate() -> None:
    assert texts(NOTE, replace(REST, continues=BlockId("b9"))) == [NOTE.text, REST.text]


@pytest.mark.parametrize(
    ("first", "second", "document", "whole"),
    [
        ("the docu-", "ment is", "", "the document is"),
        ("all in-", "demand jobs", "in-demand", "all in-demand jobs"),
        ("the re-", "turn", "re-turn and return", "the return"),
        ("the non-", "European", "", "the non-European"),
        ("it ended –", "at last", "", "it ended – at last"),
    ],
)
def test_a_word_is_whole_over_the_break(first: str, second: str, document: str, whole: str) -> None:
    assert join_text(first, second, document) == whole


def test_chunks_have_the_paragraph_in_one_piece_and_cite_both_places() -> None:
    tree = make_tree(FIRST, NOTE, HEAD, REST)
    (chunk,) = chunk_tree(tree, load_tokenizer())
    assert chunk.text.startswith(WHOLE)
    assert set(chunk.block_ids) == {"b0", "b1", "b3"}
    assert {(box.page, box.bbox[1]) for box in chunk.bboxes} == {(1, 700), (1, 730), (2, 50)}
    assert chunk.pages == (1, 2)


def test_html_and_markdown_join_text_across_running_heads() -> None:
    tree = make_tree(FIRST, NOTE, HEAD, REST)
    assert "It was seen in the document of <strong>old</strong>." in tree_to_html(tree)
    assert "It was seen in the document of **old**." in tree_to_markdown(tree, furniture=False)


def test_markdown_with_running_heads_keeps_a_note_between_the_parts() -> None:
    written = tree_to_markdown(make_tree(FIRST, NOTE, REST), furniture=True)
    assert [part[:8] for part in written.split("\n\n")] == ["It was s", "1 A note", "ment of "]


def test_an_item_of_an_html_list_has_one_bullet() -> None:
    item = make_block(BlockType.LIST_ITEM, "• old house", level=1, bbox=(50, 50, 300, 70), spans=REST.spans[:0])
    bold = replace(item, spans=(Span(start=2, end=5, bold=True),))
    written = tree_to_html(make_tree(item, bold, replace(item, text="1. old")))
    assert '<li id="b0">old house</li>' in written
    assert "<strong>old</strong> house</li>" in written
    assert "1. old</li>" in written

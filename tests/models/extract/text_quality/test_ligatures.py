"""Ligatures that a font does not name: restored where the word determines them, flagged otherwise."""

import pytest

from models.cdom.flags import LIGATURES_RESTORED, UNDECODED
from models.cdom.original import ReadOptions
from models.cdom.tree import BlockType
from models.extract.contract import PageBlock, PageRead
from models.extract.formats.pdf.document import open_pdf
from models.extract.text_quality.ligatures import likeliest, restore_ligatures
from tests.models.extract.text_quality.scrambling import make_page


@pytest.mark.parametrize("word", ["\ufffdnally", "con\ufffdguration", "\ufffdnding"])
def test_ligature_is_restored_from_its_word(word: str) -> None:
    assert likeliest(word) == word.replace("\ufffd", "fi")


@pytest.mark.parametrize("word", ["a\ufffd", "x\ufffdq", "\ufffdre\ufffdy"])
def test_ambiguous_word_is_not_restored(word: str) -> None:
    assert likeliest(word) is None


def test_restored_block_keeps_the_printed_text_and_a_flag() -> None:
    text = "The con\ufffdguration, x\ufffdq."
    (block,) = restore_ligatures([PageBlock(type=BlockType.PARAGRAPH, text=text)])
    assert block.text == "The configuration, x\ufffdq."
    assert block.printed == text
    assert block.flags == (LIGATURES_RESTORED, UNDECODED)


def test_sound_blocks_stay_the_same_object() -> None:
    block = PageBlock(type=BlockType.PARAGRAPH, text="The configuration")
    assert restore_ligatures([block])[0] is block


def read(data: bytes) -> PageRead:
    document = open_pdf(data, ReadOptions())
    try:
        return document.read_page(1)
    finally:
        document.close()


def test_a_font_without_the_letters_of_its_ligature_loses_nothing() -> None:
    """The glyph of `|` stands for the ligature; its map to Unicode says nothing of it."""
    body = "The con|guration of the harbour is written down each spring, and the bene|ts are many to all who come. " * 3
    content = read(make_page(body, lambda code: "\ufffd" if code == ord("|") else chr(code))).content
    text = " ".join(block.text for block in content.blocks)
    assert text.count("configuration") == 3
    assert content.coverage is not None
    counts = content.coverage.characters
    assert counts.lost == 0
    assert counts.painted == counts.placed + sum(counts.excluded.values())

"""Notes of reviewers, struck-out text and attached files are in the tree although no page prints them."""

from typing import Any

import pytest

from quire.models.cdom.flags import COMMENT
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageContent
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document

TEXT = "The old price is 20 euro."


def make_page() -> tuple[Any, Any]:
    file = pymupdf.open()
    page = file.new_page()
    page.insert_text((72, 100), TEXT, fontsize=12)
    return file, page


def read(file: Any) -> PageContent:
    document = open_document(bytes(file.tobytes()), ReadOptions(ocr=OcrMode.NEVER))
    try:
        return document.read_page(1).content
    finally:
        document.close()


def test_struck_out_words_have_a_strike_span() -> None:
    file, page = make_page()
    page.add_strikeout_annot(page.search_for("20 euro")[0])
    (block,) = read(file).blocks
    assert [(span.start, span.end, span.strike) for span in block.spans] == [(17, 25, True)]


def test_comments_of_notes_and_highlights_are_comment_blocks() -> None:
    file, page = make_page()
    page.add_text_annot((300, 90), "Please check the price.")
    highlight = page.add_highlight_annot(page.search_for("old")[0])
    highlight.set_info(content="How old?")
    highlight.update()
    content = read(file)
    comments = [(block.type, block.text) for block in content.blocks if COMMENT in block.flags]
    assert comments == [(BlockType.FOOTNOTE, "Please check the price."), (BlockType.FOOTNOTE, "How old?")]
    assert content.coverage is not None
    assert content.coverage.characters.lost == 0


def test_hidden_note_is_left_out() -> None:
    file, page = make_page()
    note = page.add_text_annot((300, 90), "Do not show.")
    note.set_flags(pymupdf.PDF_ANNOT_IS_HIDDEN)
    note.update()
    assert [block.text for block in read(file).blocks] == [TEXT]


def test_attached_files_are_named_after_the_first_page() -> None:
    file, _ = make_page()
    file.embfile_add("terms.txt", b"terms", "terms.txt")
    assert [block.text for block in read(file).blocks] == [TEXT, "Attached file: terms.txt"]


@pytest.mark.parametrize("entries", ["", "/FS (plan.pdf)", "/FS <</F (plan.pdf)>>", "/FS <</UF (plan.pdf) /EF <<>> >>"])
def test_paper_clip_without_its_file_keeps_the_page(entries: str) -> None:
    file, page = make_page()
    clip = file.get_new_xref()
    file.update_object(clip, f"<</Type/Annot/Subtype/FileAttachment/Rect[300 600 320 620]{entries}>>")
    file.xref_set_key(page.xref, "Annots", f"[{clip} 0 R]")
    content = read(file)
    names = [block.text for block in content.blocks if block.type is BlockType.KEY_VALUE]
    assert (content.blocks[0].text, content.warnings) == (TEXT, ())
    assert names == (["Attached file: plan.pdf"] if entries else [])

"""Glyphs that a font does not name: read by their shape as ligatures and blanks, flagged otherwise."""

import pytest

from quire.models.cdom.flags import LIGATURES_RESTORED, UNDECODED
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.pipeline.pdf import open_pdf
from quire.models.extract.text_quality.miscoded import flag_undecoded
from tests.models.extract.text_quality.scrambling import make_page, map_font

GLYPHS = "[124 /fi 126 /fl 123 /q 125 /W]"
"""Glyphs of the codes | ~ { } of the font."""
UNNAMED = "|~{}"


def read(data: bytes) -> PageContent:
    document = open_pdf(data, ReadOptions(ocr=OcrMode.NEVER))
    try:
        return document.read_page(1).content
    finally:
        document.close()


def make_text(body: str, font: str) -> bytes:
    """A page in a font whose codes | ~ { } show fi, fl, q and W, and whose map to Unicode names none of them."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    page.insert_textbox((40, 40, 360, 280), body, fontsize=11, fontname=font)
    ((number, _, _, name, *_),) = page.get_fonts()
    document.xref_set_key(number, "Encoding", f"<< /BaseEncoding /WinAnsiEncoding /Differences {GLYPHS} >>")
    map_font(document, page, name, lambda code: "\ufffd" if chr(code) in UNNAMED else chr(code))
    return bytes(document.tobytes())


@pytest.mark.parametrize("font", ["helv", "hebo", "tiro", "tiit"])
def test_glyph_is_read_as_the_ligature_that_it_looks_like(font: str) -> None:
    content = read(make_text("The of|cer found |ve ~oors of files for all fish and |lled the ~at of|ce.", font))
    (block,) = content.blocks
    assert block.text == "The officer found five floors of files for all fish and filled the flat office."
    assert block.flags == (LIGATURES_RESTORED,)
    assert content.coverage is not None
    assert content.coverage.characters.lost == 0


@pytest.mark.parametrize("font", ["helv", "tiro"])
def test_other_letter_never_becomes_a_ligature(font: str) -> None:
    content = read(make_text("The s{uare e{ual re{uest of the in{uiry for all files was a }onder of life.", font))
    (block,) = content.blocks
    assert block.text == "The s�uare e�ual re�uest of the in�uiry for all files was a �onder of life."
    assert block.flags == (UNDECODED,)


def test_private_character_without_ink_is_a_blank() -> None:
    document = pymupdf.open(stream=make_page("The count of the harbour went to sea on a Monday.", None), filetype="pdf")
    map_font(document, document[0], "Helvetica", lambda code: chr(code), blank="\uf020")
    (block,) = read(bytes(document.tobytes())).blocks
    assert block.text == "The count of the harbour went to sea on a Monday."


def test_flag_undecoded_keeps_sound_blocks() -> None:
    block = PageBlock(type=BlockType.PARAGRAPH, text="The configuration", bbox=(0, 0, 90, 10))
    assert flag_undecoded([block], [(100, 0, 110, 10)])[0] is block

"""What a page shows is what is read: doubled letters, signs, strikes, stamps, ink without text, typed prose."""

import io
from typing import Any

import pytest
from pikepdf import Array, Dictionary, Name, Pdf

from quire.models.cdom.flags import COMMENT
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageContent
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document
from tests.models.extract.formats.pdf.test_drawn_text import type3_font

TYPED = (
    "The harbour board met on Tuesday to look at the plans for the",
    "new quay wall. Members asked how long the work would take and",
    "who would pay for the dredging of the channel in the spring.",
)


def read_data(data: bytes) -> PageContent:
    document = open_document(data, ReadOptions(ocr=OcrMode.NEVER))
    try:
        return document.read_page(1).content
    finally:
        document.close()


def read(file: Any) -> PageContent:
    return read_data(bytes(file.tobytes()))


def texts(content: PageContent) -> list[str]:
    return [block.text for block in content.blocks]


def make_type3(content: str, *, scale: float, up: int = 1) -> bytes:
    pdf = Pdf.new()
    page = pdf.add_blank_page(page_size=(400, 200))
    page.Resources = Dictionary(Font=Dictionary(F1=type3_font(pdf, scale, coloured=False, up=up)))
    page.Contents = pdf.make_stream(content.encode())
    data = io.BytesIO()
    pdf.save(data)
    return data.getvalue()


@pytest.mark.parametrize("scale", [0.001, 0.00005, 0.000025])
def test_doubled_letters_of_a_huge_type3_size_are_kept(scale: float) -> None:
    content = read_data(make_type3(f"BT /F1 {0.014 / scale:g} Tf 20 80 Td (HALL) Tj 45 0 Td (ALL) Tj ET", scale=scale))
    assert " ".join(texts(content)).split() == ["HALL", "ALL"]


def test_type3_text_below_its_baseline_shows_under_a_bar() -> None:
    """The bar covers the place above the baseline, where the glyphs of this font have no ink."""
    text = "0 g BT /F1 16 Tf 20 100 Td (HALT) Tj ET 1 g 0 98 400 30 re f"
    content = read_data(make_type3(text, scale=0.001, up=-1))
    assert texts(content) == ["HALT"]
    assert [block.unseen for block in content.blocks] == [None]


def make_sign_font(pdf: Pdf) -> Any:
    """A picture font whose code A is a box and whose code B is a tick, without a map to Unicode."""
    font = type3_font(pdf, 0.001, coloured=False)
    shapes = {
        "A": b"650 0 0 0 650 700 d1 50 w 30 30 590 590 re S",
        "B": b"650 0 0 0 650 700 d1 90 w 60 250 m 230 60 l 590 600 l S",
    }
    font.CharProcs = Dictionary({f"/{name}": pdf.make_stream(shape) for name, shape in shapes.items()})
    font.Encoding = Dictionary(Type=Name.Encoding, Differences=Array([65, Name.A, Name.B]))
    font.Name = Name("/AllumiStd-DingbatsTwo")
    return font


def test_signs_of_an_unknown_picture_font_are_read_by_shape() -> None:

    pdf = Pdf.new()
    page = pdf.add_blank_page(page_size=(400, 200))
    page.Resources = Dictionary(Font=Dictionary(F1=make_sign_font(pdf)))
    page.Contents = pdf.make_stream(b"BT /F1 12 Tf 20 120 Td (A) Tj 60 0 Td (B) Tj ET")
    data = io.BytesIO()
    pdf.save(data)
    assert " ".join(texts(read_data(data.getvalue()))).split() == ["☐", "✓"]


def test_words_with_a_line_through_them_are_struck_out() -> None:
    file = pymupdf.open()
    page = file.new_page()
    page.insert_text((72, 100), "The old price is 20 euro and no more.", fontsize=12)
    (struck,) = page.search_for("20 euro")
    page.draw_line((struck.x0, 96.5), (struck.x1, 96.5), width=0.7)
    (under,) = page.search_for("no more")
    page.draw_line((under.x0, 101.5), (under.x1, 101.5), width=0.7)
    (block,) = read(file).blocks
    assert [block.text[span.start : span.end] for span in block.spans if span.strike] == ["20 euro"]


def test_text_of_a_stamp_is_a_comment() -> None:
    file = pymupdf.open()
    page = file.new_page()
    page.insert_text((72, 100), "The contract begins in May and ends in June.", fontsize=12)
    page.add_stamp_annot((300, 150, 450, 200), stamp=0)
    content = read(file)
    kinds = [(block.type, COMMENT in block.flags) for block in content.blocks]
    assert kinds == [(BlockType.PARAGRAPH, False), (BlockType.FOOTNOTE, True)]
    assert content.coverage is not None
    assert content.coverage.characters.lost == 0


def test_file_pinned_to_a_page_is_named() -> None:
    file = pymupdf.open()
    page = file.new_page()
    page.insert_text((72, 100), "The contract begins in May and ends in June.", fontsize=12)
    page.add_file_annot((200, 100), b"abc", "terms.txt")
    assert texts(read(file))[-1] == "Attached file: terms.txt"


@pytest.mark.parametrize("has_ink", [True, False])
def test_page_without_text_is_judged_only_when_it_has_no_ink(has_ink: bool) -> None:
    file = pymupdf.open()
    page = file.new_page()
    if has_ink:
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20), False)
        pixels.clear_with(90)
        page.insert_image((50, 50, 500, 700), pixmap=pixels, keep_proportion=False)
    coverage = read(file).coverage
    assert coverage is not None
    assert coverage.judged is not has_ink


def test_words_over_a_line_are_read_once() -> None:
    file = pymupdf.open()
    page = file.new_page()
    text = "The annual report of the harbour"
    page.insert_text((72, 100), text, fontsize=12)
    (place,) = page.search_for("harbour")
    page.insert_text((place.x0 + 0.3, 100), "harbour", fontsize=12)
    assert texts(read(file)) == [text]


def test_prose_in_a_font_of_fixed_width_is_no_code() -> None:
    file = pymupdf.open()
    page = file.new_page()
    for row in range(9):
        page.insert_text((72, 100 + 24 * row), TYPED[row % 3], fontsize=11, fontname="cour")
    assert [block.type for block in read(file).blocks] == [BlockType.PARAGRAPH]


def test_line_numbers_at_the_right_of_a_short_page_are_furniture() -> None:
    file = pymupdf.open()
    page = file.new_page()
    for row in range(25):
        page.insert_text((560, 72 + 24 * row), str(row + 1), fontsize=11, fontname="cour")
    for row in range(18):
        page.insert_text((72, 72 + 24 * row), TYPED[row % 3], fontsize=11, fontname="cour")
    head, *rest = read(file).blocks
    assert head.type is BlockType.PAGE_HEADER
    assert [block.type for block in rest] == [BlockType.PARAGRAPH]


def test_title_above_vertical_columns_comes_first() -> None:
    file = pymupdf.open()
    page = file.new_page(width=420, height=500)
    writer = pymupdf.TextWriter(page.rect)
    font = pymupdf.Font("japan")
    writer.append((60, 50), "港の仕事についての考察", font=font, fontsize=24)
    columns = ["港の船は毎朝早く出て", "夕方には町に戻り人々", "は魚を市場へ運んだ。"]
    for column, text in enumerate(columns):
        for row, glyph in enumerate(text):
            writer.append((300 - 26 * column, 90 + 20 * row), glyph, font=font, fontsize=16)
    writer.write_text(page)
    title, body = read(file).blocks
    assert (title.type, title.text) == (BlockType.HEADING, "港の仕事についての考察")
    assert body.text == "".join(columns)


def test_full_size_mark_above_the_line_is_a_superscript() -> None:
    file = pymupdf.open()
    page = file.new_page()
    x = 72.0
    for text, rise in (("The sum of 15", 0), ("2", 4), (" boats was paid.", 0)):
        page.insert_text((x, 100 - rise), text, fontsize=11)
        x += pymupdf.get_text_length(text, fontsize=11)
    (block,) = read(file).blocks
    assert block.text == "The sum of 15² boats was paid."

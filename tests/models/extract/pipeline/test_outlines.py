"""Text drawn as curves: pages of it go to a recogniser, drawings of many small shapes do not."""

import random

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import Route
from quire.models.extract.contract import PageContent
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.registry import open_document

PROSE = "The harbour office keeps a list of every crane on the north quay. "


def draw_curves(text: str) -> bytes:
    """A page whose text is drawn as curves."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_textbox((40, 40, 360, 500), text, fontsize=12)
    svg = page.get_svg_image(text_as_path=True)
    return bytes(pymupdf.open("svg", svg.encode()).convert_to_pdf())


def with_text(data: bytes, text: str) -> bytes:
    document = pymupdf.open("pdf", data)
    document[0].insert_textbox((40, 520, 360, 590), text, fontsize=8)
    return bytes(document.tobytes())


def draw_plot() -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    places = random.Random(1)
    for _ in range(150):
        page.draw_circle((places.uniform(40, 360), places.uniform(40, 500)), 3, color=None, fill=(0, 0, 0.5))
    page.insert_text((40, 560), "Figure 2: rope wear by year")
    return bytes(document.tobytes())


def read(data: bytes, options: ReadOptions | None = None) -> PageContent:
    document = open_document(data, options or ReadOptions())
    try:
        return document.read_page(1).content
    finally:
        document.close()


def test_page_of_curves_with_little_text_goes_to_recogniser() -> None:
    content = read(with_text(draw_curves(PROSE * 3), "and .org"))
    assert (content.route, content.reason) == (Route.OCR, "outlined-text")


def test_a_few_letters_drawn_as_curves_do_not() -> None:
    content = read(with_text(draw_curves(PROSE), "Title of the chapter"))
    assert (content.route, content.reason) == (Route.FAST, "text-layer")


def test_curves_next_to_enough_text_are_read_as_a_picture() -> None:
    content = read(with_text(draw_curves(PROSE * 3), PROSE * 2))
    assert (content.route, content.reason) == (Route.MIXED, "text-in-pictures")


def test_a_plot_of_many_dots_does_not() -> None:
    assert read(draw_plot()).reason == "text-layer"


def test_a_page_of_curves_warns_where_recognition_is_off() -> None:
    content = read(with_text(draw_curves(PROSE * 3), "and .org"), ReadOptions(ocr=OcrMode.NEVER))
    assert (content.reason, content.warnings) == ("outlined-text, ocr off", ("outlined-text",))


def test_the_text_layer_of_a_page_of_curves_stays() -> None:
    content = read(with_text(draw_curves(PROSE * 3), "and .org"))
    word = Word(text="The harbour office", bbox=(40, 42, 200, 56), confidence=0.9, line=0)
    made = apply_recognition(content, RecognisedPage(number=1, words=(word,), engine="eyes", model="m", version="1"))
    assert {"and .org", "The harbour office"} <= {block.text for block in made.blocks}

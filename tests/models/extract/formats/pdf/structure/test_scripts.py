"""Raised and lowered marks of a PDF are superscripts and subscripts, so that no number gains a digit."""

from typing import Any

import pytest

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document
from quire.models.extract.text_quality.scripts import lower_figures, raise_figures

Piece = tuple[str, float, float]
"""Text, its rise in points, and its size."""


def write(page: Any, x: float, y: float, *pieces: Piece) -> None:
    for text, rise, size in pieces:
        page.insert_text((x, y - rise), text, fontsize=size)
        x += pymupdf.get_text_length(text, fontsize=size)


def read(file: Any) -> PageContent:
    document = open_document(bytes(file.tobytes()), ReadOptions(ocr=OcrMode.NEVER))
    try:
        return document.read_page(1).content
    finally:
        document.close()


def read_line(*pieces: Piece) -> PageBlock:
    file = pymupdf.open()
    write(file.new_page(), 72, 100, *pieces)
    content = read(file)
    assert content.coverage is not None
    assert content.coverage.characters.lost == 0
    (block,) = content.blocks
    return block


def scripts_of(block: PageBlock) -> list[tuple[str, str]]:
    kinds = [(span, "super" if span.superscript else "sub" if span.subscript else "") for span in block.spans]
    return [(block.text[span.start : span.end], kind) for span, kind in kinds if kind]


def test_note_mark_after_a_number_is_a_superscript_span() -> None:
    block = read_line(("The price is 15", 0, 12), ("2", 4, 8), (" euro a piece.", 0, 12))
    assert (block.text, scripts_of(block)) == ("The price is 15² euro a piece.", [("²", "super")])


def test_lowered_figure_is_a_subscript_span() -> None:
    block = read_line(("They drink H", 0, 12), ("2", -3, 8), ("O in the yard.", 0, 12))
    assert (block.text, scripts_of(block)) == ("They drink H₂O in the yard.", [("₂", "sub")])


def test_raised_letter_is_a_superscript_and_an_ordinal_keeps_its_letters() -> None:
    block = read_line(("Pieces", 0, 12), ("a", 4, 8), (" of the 1", 0, 12), ("st", 4, 8), (" class.", 0, 12))
    assert (block.text, scripts_of(block)) == ("Piecesᵃ of the 1st class.", [("ᵃ", "super"), ("st", "super")])


@pytest.mark.parametrize(
    "pieces",
    [
        [("Number ", 0, 12), ("15", 0, 8), (" in small type.", 0, 12)],
        [("The 2", 0, 12), ("2", 1, 12), (" dances a little.", 0, 12)],
        [("Total: ", 0, 12), ("15", -3, 8), (" euro on the form.", 0, 12)],
    ],
)
def test_figures_on_the_baseline_or_apart_stay_figures(pieces: list[Piece]) -> None:
    block = read_line(*pieces)
    assert (block.text, scripts_of(block)) == ("".join(text for text, _, _ in pieces), [])


@pytest.mark.parametrize("turn", [0, 90, 180])
def test_marks_in_cells_of_a_ruled_table_stay_apart_from_numbers(turn: int) -> None:
    file = pymupdf.open()
    page = file.new_page()
    rows = [("Item", "Price"), ("Bolt", "12"), ("Nut", "15"), ("Washer", "10")]
    for number, (name, price) in enumerate(rows):
        y = 100 + 20 * number
        for x in (72, 200):
            page.draw_rect((x, y, x + 128, y + 20))
        write(page, 76, y + 14, (name, 0, 11), *([("1", 4, 7)] if number == 1 else []))
        write(page, 204, y + 14, (price, 0, 11), *([("2", 4, 7)] if number == 2 else []))
    page.set_rotation(turn)
    tables = [block.table for block in read(file).blocks if block.table is not None]
    assert [cell.text for cell in tables[0].cells] == [
        "Item", "Price", "Bolt¹", "12", "Nut", "15²", "Washer", "10",
    ]  # fmt: skip


def test_notes_below_a_table_are_a_block_each() -> None:
    file = pymupdf.open()
    page = file.new_page()
    for number, text in enumerate(("galvanised steel", "without a thread", "in grams a piece")):
        write(page, 72, 100 + 14 * number, (str(number + 1), 4, 7), (f" {text}", 0, 11))
    texts = [block.text for block in read(file).blocks if block.type is not BlockType.PICTURE]
    assert texts == ["1 galvanised steel", "2 without a thread", "3 in grams a piece"]


def test_raised_marks_longer_than_their_number_leave_its_size() -> None:
    file = pymupdf.open()
    write(file.new_page(), 72, 100, ("88", 0, 10), ("2,3", 4, 6))
    (block,) = [block for block in read(file).blocks if block.text]
    assert (block.text, round(block.bbox[3] - block.bbox[1]) if block.bbox else 0) == ("88²,³", 10)


def test_notes_in_small_type_are_a_block_each() -> None:
    file = pymupdf.open()
    page = file.new_page()
    for number, text in enumerate(("estimate", "without islands", "rounded"), 1):
        write(page, 72, 100 + 12 * number, (str(number), 3, 6), (" ", 0, 8), (text, 0, 8))
    texts = [block.text for block in read(file).blocks if block.text]
    assert texts == ["1 estimate", "2 without islands", "3 rounded"]


def test_raised_text_keeps_ranges_and_signs_of_exponents() -> None:
    assert (raise_figures("1,3-5"), raise_figures("-3"), raise_figures("2-"), raise_figures("n+1")) == (
        "¹,³-⁵", "⁻³", "²⁻", "ⁿ⁺¹",
    )  # fmt: skip
    assert (lower_figures("10"), lower_figures("x")) == ("₁₀", "x")

"""Common layouts: letter-spaced headings, line numbers in the margin, double spacing, listings with blank lines."""

from collections.abc import Callable
from typing import Any

from models.cdom.original import OcrMode, ReadOptions
from models.cdom.tree import BlockType
from models.extract.formats.pdf.engine import pymupdf
from models.extract.registry import open_document

PROSE = (
    "The harbour board met on Tuesday to look at the plans for the wall. Members asked",
    "how long the work would take and who would pay for all of the dredging. The board",
    "agreed to hear the engineer once more before the next session in the early autumn",
    "and asked the clerk to publish the costs of the works with the minutes of the day",
)
Blocks = list[tuple[BlockType, str]]


def read(draw: Callable[[Any], None]) -> Blocks:
    file = pymupdf.open()
    draw(file.new_page(width=612, height=792))
    document = open_document(bytes(file.tobytes()), ReadOptions(ocr=OcrMode.NEVER))
    try:
        return [(block.type, block.text) for block in document.read_page(1).content.blocks]
    finally:
        document.close()


def draw_spaced(page: Any, x: float, y: float, text: str, size: float, spacing: float) -> None:
    font = pymupdf.Font("hebo")
    page.insert_font("F1", fontbuffer=font.buffer)
    for char in text:
        if char != " ":
            page.insert_text((x, y), char, fontsize=size, fontname="F1")
        x += font.text_length(char, size) + spacing


def draw_prose(page: Any, *, top: float, step: float, rows: int, left: float = 90) -> None:
    for row in range(rows):
        page.insert_text((left, top + step * row), PROSE[row % 4], fontsize=11)


def test_letter_spaced_headings_keep_their_words_and_rank() -> None:
    def draw(page: Any) -> None:
        draw_spaced(page, 72, 120, "HARBOUR NEWS", 16, 6)
        draw_prose(page, top=150, step=13, rows=4)
        draw_spaced(page, 72, 230, "Summary of the year", 11, 4)
        draw_prose(page, top=250, step=13, rows=4)

    headings = [text for kind, text in read(draw) if kind is BlockType.HEADING]
    assert headings == ["HARBOUR NEWS", "Summary of the year"]


def test_single_letters_with_blanks_of_the_file_stay_apart() -> None:
    blocks = read(lambda page: page.insert_text((72, 150), "A B C D E F", fontsize=11))
    assert [text for _, text in blocks] == ["A B C D E F"]


def test_line_numbers_of_a_pleading_are_furniture() -> None:
    def draw(page: Any) -> None:
        for number in range(1, 25):
            page.insert_text((50, 72 + 24 * number), f"{number:>2}", fontsize=11, fontname="cour")
        page.draw_line((80, 20), (80, 770))
        draw_prose(page, top=96, step=24, rows=20)

    blocks = read(draw)
    assert blocks == [
        (BlockType.PAGE_HEADER, " ".join(map(str, range(1, 25)))),
        (BlockType.PARAGRAPH, " ".join(PROSE * 5)),
    ]


def test_numbers_of_every_fifth_line_are_furniture() -> None:
    def draw(page: Any) -> None:
        for number in range(5, 30, 5):
            page.insert_text((60, 100 + 13 * number), str(number), fontsize=8)
        draw_prose(page, top=113, step=13, rows=28)

    blocks = read(draw)
    assert blocks[0] == (BlockType.PAGE_HEADER, "5 10 15 20 25")
    assert " ".join(text for _, text in blocks[1:]) == " ".join(PROSE * 7)


def test_first_column_of_a_ranking_is_no_line_number() -> None:
    def draw(page: Any) -> None:
        for number in range(1, 13):
            for x, text in ((60, str(number)), (100, f"Harbour {number}"), (300, f"{17 * number}"), (420, "open")):
                page.insert_text((x, 100 + 16 * number), text, fontsize=10)

    assert BlockType.PAGE_HEADER not in [kind for kind, _ in read(draw)]


def test_numbered_listing_is_code_without_its_numbers() -> None:
    code = ["def total(boats):", "    length = 0", "    for boat in boats:", "        length += boat.length"]
    code += ["    return length", "", "def main():", "    boats = load()", "    print(total(boats))"]

    def draw(page: Any) -> None:
        for number, text in enumerate(code, 1):
            page.insert_text((60, 100 + 11 * number), f"{number:>2}", fontsize=9, fontname="cour")
            page.insert_text((90, 100 + 11 * number), text, fontsize=9, fontname="cour")

    blocks = read(draw)
    assert blocks == [(BlockType.PAGE_HEADER, "1 2 3 4 5 6 7 8 9"), (BlockType.CODE, "\n".join(code))]


def test_listing_keeps_blank_lines_and_indents() -> None:
    code = ["def total(boats):", "    for boat in boats:", "        count(boat)", "", "    return 1", "", "total([])"]

    def draw(page: Any) -> None:
        draw_prose(page, top=100, step=13, rows=3)
        for number, text in enumerate(code):
            page.insert_text((90, 160 + 11 * number), text, fontsize=9, fontname="cour")
        page.insert_text((90, 260), "After the listing the text goes on.", fontsize=11)

    blocks = read(draw)
    assert blocks[1:] == [
        (BlockType.CODE, "\n".join(code)),
        (BlockType.PARAGRAPH, "After the listing the text goes on."),
    ]


def test_double_spaced_lines_are_one_paragraph() -> None:
    blocks = read(lambda page: draw_prose(page, top=150, step=25, rows=12))
    assert blocks == [(BlockType.PARAGRAPH, " ".join(PROSE * 3))]

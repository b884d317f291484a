"""Common layouts: letter-spaced headings, line numbers in the margin, double spacing, listings with blank lines."""

from collections.abc import Callable
from typing import Any

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document

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


def test_line_numbers_at_the_right_are_furniture() -> None:
    def draw(page: Any) -> None:
        draw_prose(page, top=80, step=15, rows=20)
        for row in range(20):
            page.insert_text((540, 80 + 15 * row), str(101 + row), fontsize=8)

    blocks = read(draw)
    assert [kind for kind, _ in blocks] == [BlockType.PAGE_HEADER, BlockType.PARAGRAPH]
    assert "101" not in blocks[1][1]


def test_page_numbers_of_contents_are_no_line_numbers() -> None:
    def draw(page: Any) -> None:
        for row in range(10):
            page.insert_text((90, 80 + 15 * row), f"Chapter {row} of the harbour " + "." * (60 + row % 2), fontsize=10)
            page.insert_text((540, 80 + 15 * row), str(row + 1), fontsize=10)

    assert BlockType.PAGE_HEADER not in {kind for kind, _ in read(draw)}


def test_numbers_below_the_end_of_the_text_are_furniture() -> None:
    def draw(page: Any) -> None:
        draw_prose(page, top=72, step=24, rows=8)
        for row in range(28):
            page.insert_text((60, 72 + 24 * row), f"{row + 1:>2}", fontsize=12)

    blocks = read(draw)
    assert [kind for kind, _ in blocks] == [BlockType.PAGE_HEADER, BlockType.PARAGRAPH]


def test_numbered_listing_below_a_paragraph_is_code() -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 90), "The listing below sorts the boats by their length.", fontsize=10)
        lines = (
            "def sort(boats):",
            "    total = 0",
            "    for boat in boats:",
            "        total += 1",
            "",
            "    return 1",
        )
        for row, text in enumerate((*lines, "", "print(sort([]))"), 1):
            y = 98 + 11 * row
            page.insert_text((70, y), str(row), fontsize=9, fontname="cour")
            page.insert_text((85, y), text, fontsize=9, fontname="cour")

    assert [text for kind, text in read(draw) if kind is BlockType.CODE] == [
        "def sort(boats):\n    total = 0\n    for boat in boats:\n        total += 1\n\n    return 1\n\nprint(sort([]))"
    ]


def test_numbered_section_below_a_title_is_a_heading_of_its_own() -> None:
    def draw(page: Any) -> None:
        page.insert_text((180, 90), "Annual Report of the Harbour", fontsize=18, fontname="hebo")
        page.insert_text((90, 112), "1. Section about cranes", fontsize=18, fontname="hebo")
        draw_prose(page, top=140, step=13, rows=8)

    assert [text for _, text in read(draw)][:2] == ["Annual Report of the Harbour", "1. Section about cranes"]


def test_items_with_ticks_and_crosses_are_items_of_their_own() -> None:
    def draw(page: Any) -> None:
        page.insert_font("F2", fontbuffer=pymupdf.Font("zadb").buffer)
        for row, (sign, text) in enumerate((("\u2714", "ready"), ("\u2718", "not ready"), ("\u2714", "sent"))):
            page.insert_text((72, 100 + 18 * row), sign, fontsize=11, fontname="F2")
            page.insert_text((92, 100 + 18 * row), " " + text, fontsize=11)

    assert [text for _, text in read(draw)] == ["✔ ready", "✘ not ready", "✔ sent"]

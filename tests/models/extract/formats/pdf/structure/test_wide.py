"""Chinese and Japanese pages: lines are joined without blanks, columns of single glyphs are read downwards."""

import pytest

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.visible import find_blank, join_text
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.formats.pdf.text.vertical import join_vertical
from quire.models.extract.layout.lines.marks import Line
from quire.models.extract.registry import open_document

Glyph = tuple[float, float, str]


def read_texts(glyphs: list[Glyph], size: float) -> list[str]:
    file = pymupdf.open()
    page = file.new_page(width=420, height=500)
    writer = pymupdf.TextWriter(page.rect)
    font = pymupdf.Font("japan")
    for x, y, text in glyphs:
        writer.append((x, y), text, font=font, fontsize=size)
    writer.write_text(page)
    document = open_document(bytes(file.tobytes()), ReadOptions(ocr=OcrMode.NEVER))
    try:
        return [block.text for block in document.read_page(1).content.blocks]
    finally:
        document.close()


@pytest.mark.parametrize(
    ("text", "following", "blank"),
    [
        ("年ご", "とに", ""),
        ("増え", "、荷物", ""),
        ("平成", "30年", ""),
        ("使用 Python", "编程", " "),
        ("한국", "항구", " "),
        ("the", "harbour", " "),
    ],
)
def test_blank_between_lines_depends_on_the_script(text: str, following: str, blank: str) -> None:
    assert find_blank(text, following) == blank


def test_parts_of_a_japanese_paragraph_join_without_a_blank() -> None:
    assert join_text("船の数は年ご", "とに増え") == "船の数は年ごとに増え"


def test_japanese_lines_are_joined_without_blanks() -> None:
    text = "本稿は港の仕事を調べたものである。船の数は年ごとに増え、荷物も重くなった。" * 3
    rows = [text[start : start + 20] for start in range(0, len(text), 20)]
    assert read_texts([(50, 60 + 16 * row, part) for row, part in enumerate(rows)], 10) == [text]


def test_columns_of_single_glyphs_are_read_downwards_from_the_right() -> None:
    columns = ["港の船は毎朝早く出て", "夕方には町に戻り人々", "は魚を市場へ運んだ。"]
    glyphs = [
        (300 - 26.0 * column, 60 + 20.0 * row, glyph)
        for column, text in enumerate(columns)
        for row, glyph in enumerate(text)
    ]
    assert read_texts(glyphs, 16) == ["".join(columns)]


def test_single_glyphs_of_wide_rows_stay_rows() -> None:
    lines = [
        Line(50 + 20.0 * at, 60 + 40.0 * row, 66 + 20.0 * at, 76 + 40.0 * row, 72 + 40.0 * row, 16.0, "港")
        for row in range(3)
        for at in range(5)
    ]
    assert join_vertical(lines) == lines

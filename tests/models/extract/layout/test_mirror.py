"""Pages that run from right to left: columns, rows and words follow from the right edge, boxes stay where they are."""

from typing import Any

from quire.models.cdom.tree import BlockType
from quire.models.extract.core.marks import Rule
from quire.models.extract.formats.pdf.text.rtl import order_letters
from quire.models.extract.layout.lines.marks import Line, PageMarks
from quire.models.extract.layout.lines.turned import runs_right_to_left
from quire.models.extract.pipeline.page import layout_page

WORDS = "אבגד הוזח טיכל מנסע"


def line(x0: float, base: float, text: str, width: float = 150.0) -> Line:
    return Line(x0, base - 7.5, x0 + width, base + 2.2, base, 10.0, text, "x")


def test_the_right_column_is_read_first() -> None:
    prose = "בראשית היה הספר והספר היה כתוב בשורות ארוכות אשר נמשכו מקצה אל קצה בלי כל מספר או סימן"
    words = prose.split()
    texts = [" ".join(words[first : first + 4]) for first in (0, 3, 7, 2, 9, 5, 11, 1)]
    rows = [
        line(x, 60.0 + 12 * at, f"{texts[(at + shift) % 8]} {name}{at}")
        for at in range(8)
        for x, name, shift in ((40, "ש", 0), (230, "ר", 3))
    ]
    blocks = layout_page(PageMarks(width=420, height=600, lines=rows)).blocks
    text = " ".join(block.text for block in blocks)
    assert text.index("ר7") < text.index("ש0")
    assert [round(block.bbox[0]) for block in blocks if block.bbox] == [230, 40]


def test_pieces_of_a_row_follow_from_the_right() -> None:
    rows = [
        line(200, 60, "ראשון", 60),
        line(140, 60, "שני", 55),
        *(line(50, 80 + 12 * at, WORDS, 210) for at in range(3)),
    ]
    (first, *_) = layout_page(PageMarks(width=300, height=600, lines=rows)).blocks
    assert first.text.startswith("ראשון שני")


def test_first_column_of_table_is_right_one() -> None:
    rules = [Rule(40, y, 260, y) for y in (50, 70, 90, 110)]
    posts = [Rule(x, 50, x, 110) for x in (40, 150, 260)]
    cells = [line(160, 63 + 20 * at, f"ימין {at}", 60) for at in range(3)]
    cells += [line(50, 63 + 20 * at, f"שמאל {at}", 60) for at in range(3)]
    marks = PageMarks(width=300, height=400, lines=cells, horizontals=rules, verticals=posts)
    (block,) = layout_page(marks).blocks
    assert block.type is BlockType.TABLE
    assert block.table is not None
    assert [cell.text for cell in block.table.cells][:2] == ["ימין 0", "שמאל 0"]
    assert block.bbox == (40, 50, 260, 110)


def test_a_page_with_few_such_words_is_not_mirrored() -> None:
    assert not runs_right_to_left([line(0, 10, "The word שלום means peace")])
    assert not runs_right_to_left([line(0, 10, "۱۲۳۴۵۶ is a number")])
    assert runs_right_to_left([line(0, 10, "שלום means peace עברית ספר")])


class Letters:
    """A text page of one line; words are given with their left ends, letters are 5 points wide."""

    def __init__(self, *words: tuple[str, float]) -> None:
        self.chars: list[dict[str, Any]] = []
        for word, x0 in words:
            places = range(len(word))
            order = places if word[0].isascii() else places[::-1]
            for char, place in zip(word, order, strict=True):
                left = x0 + 5 * place
                self.chars.append({"c": char, "bbox": (left, 0.0, left + 5, 10.0)})
            self.chars.append({"c": " ", "bbox": (x0 - 3, 0.0, x0, 10.0)})

    def extractRAWDICT(self) -> dict[str, Any]:
        return {"blocks": [{"type": 0, "lines": [{"spans": [{"chars": self.chars, "font": "x", "flags": 0}]}]}]}


def read(page: Letters, text: str) -> str:
    marks = PageMarks(width=300, height=100, lines=[Line(0, 0, 300, 10, 8, 10, text, key=(0, 0))])
    order_letters(marks, page)
    return marks.lines[0].text


def test_words_drawn_from_left_to_right_are_read_from_right_to_left() -> None:
    page = Letters(("סוף", 10), ("אמצע", 40), ("ראש", 80))
    assert read(page, "סוף אמצע ראש") == "ראש אמצע סוף"


def test_latin_words_keep_their_order_inside() -> None:
    page = Letters(("סוףסוף", 10), ("PDF", 50), ("files", 70), ("ראשראש", 110))
    assert read(page, "סוףסוף PDF files ראשראש") == "ראשראש PDF files סוףסוף"


def test_lam_and_alef_of_one_glyph_are_read_lam_first() -> None:
    page = Letters(("اطعم", 10))
    page.chars[2:2] = [{"c": "ا", "bbox": (20.0, 0.0, 20.0, 10.0)}, {"c": "ل", "bbox": (15.0, 0.0, 20.0, 10.0)}]
    page.chars = [char for char in page.chars if char["c"] != "ع"]
    assert read(page, "اطالم") == "اطلام"

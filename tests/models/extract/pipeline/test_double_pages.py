"""Scans of two pages are read one page after the other; tables and single pages are left whole."""

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.extract.contract import PageContent
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.pipeline.upright import find_fold

WIDTH, HEIGHT = 1200.0, 850.0


def line(number: int, x: float, y: float, *texts: str) -> list[Word]:
    """Words of 80 points each."""
    return [
        Word(text=text, bbox=(x + 85 * at, y, x + 85 * at + 80, y + 14), confidence=0.95, line=number)
        for at, text in enumerate(texts)
    ]


def page(left: float, name: str, first: int) -> list[Word]:
    """Twelve lines of running text."""
    return [
        word
        for at in range(12)
        for word in line(first + at, left, 100 + 40 * at, f"{name}{at}", "twelve", "ropes", "and", "knots.")
    ]


def interleaved() -> list[Word]:
    """Rows over both pages, as a recogniser gives them."""
    left, right = page(60, "left", 0), page(680, "right", 100)
    return [word for at in range(12) for word in (*left[5 * at : 5 * at + 5], *right[5 * at : 5 * at + 5])]


def test_left_page_is_read_before_right_one_and_boxes_stay() -> None:
    found = RecognisedPage(number=1, words=tuple(interleaved()), engine="x", model=None, version="1")
    content = apply_recognition(PageContent(number=1, width=WIDTH, height=HEIGHT), found)
    text = " ".join(block.text for block in content.blocks)
    assert text.index("left11") < text.index("right0")
    last = next(block for block in content.blocks if "right0" in block.text)
    assert last.bbox is not None
    assert last.bbox[0] >= 675
    assert content.coverage is not None
    assert content.coverage.characters.lost == 0


def test_a_fold_has_nothing_in_it() -> None:
    assert find_fold(interleaved(), (), WIDTH, HEIGHT) == 580.0
    rule: Bbox = (100.0, 90.0, 1100.0, 91.0)
    assert find_fold(interleaved(), (rule,), WIDTH, HEIGHT) is None
    across = line(500, 400, 50, "one", "head", "over", "both", "of", "them")
    assert find_fold([*interleaved(), *across], (), WIDTH, HEIGHT) is None


def test_portraits_and_tables_are_one_page() -> None:
    assert find_fold(interleaved(), (), WIDTH, 1700.0) is None
    cells = [
        word for row in range(12) for at in range(4) for word in line(row * 4 + at, 60 + 300 * at, 100 + 40 * row, "12")
    ]
    assert find_fold(cells, (), WIDTH, HEIGHT) is None


def figures(first: float, pitch: float) -> list[Word]:
    """The cells of a table on the right: three columns of numbers, twelve rows."""
    return [
        word
        for row in range(12)
        for at in range(3)
        for word in line(200 + 3 * row + at, 680 + 170 * at, first + pitch * row, "12")
    ]


def test_table_next_to_running_text_is_a_separate_page() -> None:
    words = [*page(60, "left", 0), *figures(131, 47)]
    assert find_fold(words, (), WIDTH, HEIGHT) == 580.0


def test_figures_on_the_rows_of_a_text_form_a_table_with_the_text() -> None:
    words = [*page(60, "left", 0), *figures(100, 40)]
    assert find_fold(words, (), WIDTH, HEIGHT) is None

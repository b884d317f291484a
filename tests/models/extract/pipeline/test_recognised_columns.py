"""Recognised columns of justified lines are whole paragraphs, although the boxes of their lines differ in height."""

from itertools import pairwise

from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageContent
from quire.models.extract.layout.lines.recognised import even_sizes, make_line
from quire.models.extract.pipeline.recognised import apply_recognition

LEADING, HEIGHT = 12.0, 12.2
TALLER = {2: 1.7, 5: 1.2, 6: 1.6, 9: 1.3}
"""Lines of a column whose boxes are higher, and by how many points."""
LEFT, RIGHT = 60.0, 320.0
WIDTH = 236.0


def _column(x: float, first: int, lines: list[str]) -> list[Word]:
    """Words of a column from line number `first` on; the last line is short."""
    words = []
    for index, text in enumerate(lines):
        taller = TALLER.get(index, 0.0)
        top = 100.0 + LEADING * index - taller / 2
        right = x + (WIDTH if index + 1 < len(lines) else 90.0)
        box = (x, top, right, top + HEIGHT + taller)
        words.append(Word(text=text, bbox=box, confidence=0.95, line=first + index))
    return words


def _read(words: list[Word]) -> list[tuple[BlockType, str]]:
    page = RecognisedPage(number=1, words=tuple(words), engine="test", model=None, version="1")
    content = apply_recognition(PageContent(number=1, width=612.0, height=792.0), page)
    return [(block.type, block.text) for block in content.blocks]


def test_justified_columns_of_a_scan_are_not_torn() -> None:
    lines = [f"and line number {index} of the text that fills its column" for index in range(11)]
    blocks = _read([*_column(LEFT, 0, ["The left", *lines]), *_column(RIGHT, 20, ["The right", *lines])])
    assert blocks == [
        (BlockType.PARAGRAPH, " ".join(["The left", *lines])),
        (BlockType.PARAGRAPH, " ".join(["The right", *lines])),
    ]


def test_numbered_title_of_a_scan_is_apart_from_the_text_below_it() -> None:
    title = Word(text="2. Methods Used", bbox=(LEFT, 86.0, LEFT + 80, 98.4), confidence=0.95, line=0)
    lines = ["The text below the title fills the whole width of its column", "and goes on over several lines of", "it"]
    texts = [text for _, text in _read([title, *_column(LEFT, 1, lines)])]
    assert texts == ["2. Methods Used", " ".join(lines)]


def test_even_sizes_keeps_larger_type_and_other_columns() -> None:
    words = [*_column(LEFT, 0, ["line"] * 8), *_column(RIGHT, 20, ["line"] * 8)]
    large = Word(text="Title", bbox=(LEFT, 60.0, RIGHT, 80.0), confidence=0.95, line=40)
    lines = even_sizes([make_line([word]) for word in (*words, large)])
    assert {line.size for line in lines[:-1]} == {11.6}
    assert lines[-1].size == 19.0
    steps = {round(after.base - before.base, 1) for before, after in pairwise(lines[:8])}
    assert steps == {LEADING}

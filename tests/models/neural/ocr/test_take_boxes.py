"""Glyphs read in boxes to tick leave their line; the words beside them keep their places and strokes."""

import numpy as np
import pytest

from quire.models.cdom.ports import BoxMark, TickBox
from quire.models.neural.ocr.decode import DecodedGlyph
from quire.models.neural.ocr.text import LevelPage, ReadLine, split_words, take_boxes

PAGE = LevelPage(400, 100, (1.0, 1.0), 0.0)


def make_line(text: str) -> ReadLine:
    """A line of glyphs ten pixels wide and high, whose words have the strokes 1, 2, 3 …"""
    size = 10.0 * len(text)
    glyphs = tuple(
        DecodedGlyph(char=char, confidence=0.9, start=place / len(text), end=(place + 1) / len(text))
        for place, char in enumerate(text)
    )
    box = np.array([[0, 0], [size, 0], [size, 10], [0, 10]], np.float32)
    return ReadLine(box=box, glyphs=glyphs, strokes=tuple(float(word + 1) for word in range(len(text.split()))))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("□ Rope anchor", [("Rope", 2.0), ("anchor", 3.0)]),
        ("Rope □ anchor", [("Rope", 1.0), ("anchor", 3.0)]),
        ("Rope anchor □", [("Rope", 1.0), ("anchor", 2.0)]),
        ("□ Rope □ anchor", [("Rope", 2.0), ("anchor", 4.0)]),
    ],
)
def test_words_keep_their_strokes_when_a_box_leaves_the_line(text: str, words: list[tuple[str, float]]) -> None:
    boxes = [
        TickBox(bbox=(10.0 * place, 0.0, 10.0 * place + 10, 10.0), mark=BoxMark.EMPTY)
        for place, char in enumerate(text)
        if char == "□"
    ]
    kept, (line,) = take_boxes(boxes, [make_line(text)], PAGE)
    assert kept == tuple(boxes)
    assert [(word.text, word.stroke) for word in split_words(line)] == words


def test_blank_inside_a_box_parts_words() -> None:
    box = TickBox(bbox=(40.0, 0.0, 50.0, 10.0), mark=BoxMark.EMPTY)
    _, (line,) = take_boxes([box], [make_line("Rope anchor")], PAGE)
    assert [word.text for word in split_words(line)] == ["Rope", "anchor"]

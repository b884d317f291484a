"""Thickness of strokes on a picture of a line, and bold words by it."""

import numpy as np
import pytest

from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.extract.pipeline.scan_layers import choose_words
from quire.models.neural.strokes import measure_strokes


def draw_bars(widths: list[int], *, light: int = 240, dark: int = 30) -> np.ndarray:
    """A line of 48 rows with a word of ten bars for each width."""
    picture = np.full((48, 200 * len(widths), 3), light, np.uint8)
    for place, width in enumerate(widths):
        for bar in range(10):
            left = 200 * place + 15 + 16 * bar
            picture[8:40, left : left + width] = dark
    return picture


@pytest.mark.parametrize(("light", "dark"), [(240, 30), (200, 120), (20, 230)])
def test_strokes_are_as_wide_as_the_bars_of_each_word(light: int, dark: int) -> None:
    found = measure_strokes(draw_bars([3, 5], light=light, dark=dark), [(0.0, 0.5), (0.5, 1.0)])
    assert found == pytest.approx((3, 5), abs=0.1)


def test_strokes_of_a_faint_line_and_of_an_empty_word_are_not_measured() -> None:
    assert measure_strokes(draw_bars([3], light=200, dark=190), [(0.0, 1.0)]) == (0.0,)
    assert measure_strokes(draw_bars([3]), [(0.0, 0.05), (0.05, 1.0)])[0] == 0.0


def make_words(rows: list[list[tuple[str, float]]]) -> tuple[Word, ...]:
    """Words of lines of one size, each with its text and the thickness of its strokes."""
    words = []
    for number, row in enumerate(rows):
        x = 60.0
        for text, stroke in row:
            box = (x, 100.0 + 14 * number, x + 6 * len(text), 112.0 + 14 * number)
            words.append(Word(text=text, bbox=box, confidence=0.95, line=number, stroke=stroke))
            x += 6 * len(text) + 4
    return tuple(words)


def read_blocks(rows: list[list[tuple[str, float]]]) -> tuple[PageBlock, ...]:
    page = RecognisedPage(number=1, words=make_words(rows), engine="test", model=None, version="1")
    return apply_recognition(PageContent(number=1, width=612.0, height=792.0), page).blocks


SENTENCE = "and the winch of the harbour crane was oiled before the winter came to the quay of the old town"
TEXT = SENTENCE.split()


def test_words_with_thick_strokes_are_bold_and_a_thick_line_is_a_heading() -> None:
    plain = [(word, 1.0 + 0.02 * (len(word) % 3)) for word in TEXT]
    mixed = [(word, 1.4 if word in ("oiled", "before") else width) for word, width in plain]
    rows = [[("Winter", 1.45), ("work", 1.35)], [*mixed], plain, plain]
    heading, text = read_blocks(rows)
    assert (heading.type, heading.text) == (BlockType.HEADING, "Winter work")
    assert [text.text[span.start : span.end] for span in text.spans if span.bold] == ["oiled before"]


@pytest.mark.parametrize("width", [0.0, 1.0, 1.1])
def test_words_without_a_measure_or_with_usual_strokes_are_not_bold(width: float) -> None:
    plain = [(word, width) for word in TEXT]
    (text,) = read_blocks([plain, plain])
    assert text.spans == ()


def test_word_of_the_layer_takes_the_strokes_of_the_word_that_it_replaces() -> None:
    read = Word(text="W1nter w", bbox=(60.0, 100.0, 120.0, 112.0), confidence=0.3, line=0, stroke=1.4)
    layer = Word(text="Winter work is done", bbox=(60.0, 100.0, 160.0, 112.0), confidence=0.8, line=0)
    assert [(word.text, word.stroke) for word in choose_words([read], [layer])] == [("Winter work is done", 1.4)]

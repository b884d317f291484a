import numpy as np
import pytest

from quire.models.neural.ocr.decode import DecodedGlyph, decode_line
from quire.models.neural.ocr.runtime import Floats
from quire.models.neural.ocr.text import ReadLine, split_words
from tests.models.neural.ocr.test_order import box

CHARACTERS = ("", "a", "b", " ")


def columns(*classes: int, confidence: float = 0.9) -> Floats:
    """Probabilities whose best class per column is the given one."""
    out = np.full((len(classes), len(CHARACTERS)), (1 - confidence) / 3, np.float32)
    out[range(len(classes)), classes] = confidence
    return out


def text(glyphs: tuple[DecodedGlyph, ...]) -> str:
    return "".join(glyph.char for glyph in glyphs)


def test_runs_collapse_and_a_blank_parts_twins() -> None:
    assert text(decode_line(columns(1, 1, 0, 1, 2, 2), CHARACTERS, 1.0)) == "aab"


def test_blanks_alone_decode_to_no_text() -> None:
    assert decode_line(columns(0, 0, 0), CHARACTERS, 1.0) == ()


def test_places_are_shares_of_the_line_without_its_padding() -> None:
    glyphs = decode_line(columns(1, 0, 2, 0, 0, 0, 0, 0), CHARACTERS, 0.5)
    assert [(glyph.start, glyph.end) for glyph in glyphs] == [(0.0, 0.25), (0.5, 0.75)]


def test_the_confidence_of_a_character_is_that_of_its_best_column() -> None:
    probabilities = columns(1, 1)
    probabilities[1, 1] = 0.97
    assert decode_line(probabilities, CHARACTERS, 1.0)[0].confidence == pytest.approx(0.97)


def test_words_share_the_box_of_their_line() -> None:
    glyphs = decode_line(columns(1, 0, 3, 0, 2, 2, 0, 0), CHARACTERS, 1.0)
    words = list(split_words(ReadLine(box=box(0, 0, 80, 10), glyphs=glyphs)))
    assert [word.text for word in words] == ["a", "b"]
    assert [(word.corners[0][0], word.corners[1][0]) for word in words] == [(0, 10), (40, 80)]


def test_a_line_of_spaces_has_no_words_and_no_confidence() -> None:
    line = ReadLine(box=box(0, 0), glyphs=decode_line(columns(3, 0, 3), CHARACTERS, 1.0))
    assert (line.text, line.confidence, list(split_words(line))) == ("", 0.0, [])

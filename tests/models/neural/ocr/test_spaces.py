import numpy as np

from quire.models.neural.ocr.decode import DecodedGlyph
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.spaces import add_spaces, find_empty_columns


def line(*strokes: int, ink: int = 0, paper: int = 255, width: int = 200) -> tuple[Picture, list[DecodedGlyph]]:
    """A line with a stroke 8 wide at each place, and a glyph for each."""
    picture = np.full((48, width, 3), paper, np.uint8)
    for stroke in strokes:
        picture[10:40, stroke : stroke + 8] = ink
    return picture, [DecodedGlyph(char="x", confidence=0.9, start=s / width, end=(s + 8) / width) for s in strokes]


def text(picture: Picture, glyphs: list[DecodedGlyph]) -> str:
    return "".join(glyph.char for glyph in add_spaces(picture, glyphs))


def test_a_wide_gap_becomes_a_space() -> None:
    assert text(*line(10, 22, 34, 66, 78)) == "xxx xx"


def test_letters_set_wide_stay_one_word() -> None:
    assert text(*line(10, 38, 66, 94, 122)) == "xxxxx"


def test_white_letters_on_dark_ground_are_ink_too() -> None:
    assert text(*line(10, 22, 34, 66, 78, ink=255, paper=20)) == "xxx xx"


def test_a_space_that_was_read_is_not_doubled() -> None:
    picture, glyphs = line(10, 22, 34, 66, 78)
    space = DecodedGlyph(char=" ", confidence=0.9, start=0.25, end=0.3)
    assert text(picture, [*glyphs[:3], space, *glyphs[3:]]) == "xxx xx"


def test_faint_line_is_left_unchanged() -> None:
    picture, glyphs = line(10, 66, ink=250)
    assert find_empty_columns(picture) is None
    assert text(picture, glyphs) == "xx"

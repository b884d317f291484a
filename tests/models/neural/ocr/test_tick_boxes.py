"""Boxes to tick on pictures of forms, by seed: empty, ticked and crossed, and words without any."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from quire.models.cdom.ports import BoxMark
from quire.models.neural.ocr.rules import find_ruling

LINE = 24.0
"""Pixels of a line's height."""


@pytest.mark.parametrize("seed", range(12))
def test_find_ruling_returns_boxes_with_their_marks(seed: int) -> None:
    chance = np.random.default_rng(seed)
    picture = Image.new("RGB", (500, 300), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.truetype("DejaVuSans.ttf", 18)
    marks = [BoxMark(chance.choice(list(BoxMark))) for _ in range(4)]
    side, thick = int(chance.integers(13, 24)), int(chance.integers(2, 4))
    for row, mark in enumerate(marks):
        x, y = 40, 40 + 60 * row
        pen.rectangle((x, y, x + side, y + side), outline="black", width=thick)
        pen.text((x + side + 12, y - 2), "Doppelbock 0808", "black", font)
        low, high = thick + 3, side - thick - 3
        if mark is BoxMark.CROSSED:
            pen.line((x + low, y + low, x + high, y + high), "black", 2)
            pen.line((x + low, y + high, x + high, y + low), "black", 2)
        elif mark is BoxMark.TICKED:
            pen.line((x + low, y + side // 2, x + side // 2, y + high, x + high, y + low), "black", 2)
    noise = chance.normal(0, 4, (300, 500, 3))
    pixels = np.clip(np.asarray(picture, np.float64) + noise, 0, 255).astype(np.uint8)
    boxes = find_ruling(pixels, (240.0, 144.0), 0.0, LINE).boxes
    assert [box.mark is BoxMark.EMPTY for box in boxes] == [mark is BoxMark.EMPTY for mark in marks]


def test_find_ruling_returns_no_boxes_when_page_has_no_text() -> None:
    picture = Image.new("RGB", (200, 100), "white")
    ImageDraw.Draw(picture).rectangle((20, 20, 40, 40), outline="black", width=2)
    assert find_ruling(np.asarray(picture), (96.0, 48.0), 0.0).boxes == ()

"""Drawn lines on pictures of pages: grids, broken and tilted lines, and lookalikes."""

import math

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from quire.models.cdom.geometry import Bbox
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.rules import RulingSettings, find_ruling

DPI = 150
SCALE = DPI / 72
POINTS = (300.0, 200.0)
LEVELS, SIDES = (40.0, 70.0, 100.0, 130.0), (30.0, 120.0, 270.0)


def blank() -> tuple[Image.Image, ImageDraw.ImageDraw]:
    picture = Image.new("RGB", (round(POINTS[0] * SCALE), round(POINTS[1] * SCALE)), "white")
    return picture, ImageDraw.Draw(picture)


def pixels(picture: Image.Image) -> Picture:
    return np.asarray(picture)


def grid(color: str = "black", width: int = 2) -> Image.Image:
    picture, pen = blank()
    for y in LEVELS:
        pen.line([(SIDES[0] * SCALE, y * SCALE), (SIDES[-1] * SCALE, y * SCALE)], color, width)
    for x in SIDES:
        pen.line([(x * SCALE, LEVELS[0] * SCALE), (x * SCALE, LEVELS[-1] * SCALE)], color, width)
    return picture


def split(found: tuple[Bbox, ...]) -> tuple[list[Bbox], list[Bbox]]:
    flat = [box for box in found if box[2] - box[0] > box[3] - box[1]]
    return flat, [box for box in found if box not in flat]


@pytest.mark.parametrize("color", ["black", "#888888"])
def test_a_grid_gives_its_lines_where_they_are(color: str) -> None:
    flat, upright = split(find_ruling(pixels(grid(color)), POINTS, 0.0).lines)
    assert [(box[1] + box[3]) / 2 for box in flat] == pytest.approx(LEVELS, abs=1.5)
    assert sorted((box[0] + box[2]) / 2 for box in upright) == pytest.approx(SIDES, abs=1.5)
    assert all(abs(box[0] - SIDES[0]) < 2 and abs(box[2] - SIDES[-1]) < 2 for box in flat)


def test_a_tilted_grid_is_found_on_the_level_page() -> None:
    tilted = grid().rotate(-1.5, fillcolor="white", resample=Image.Resampling.BILINEAR)
    flat, upright = split(find_ruling(pixels(tilted), POINTS, 1.5).lines)
    assert [(box[1] + box[3]) / 2 for box in flat] == pytest.approx(LEVELS, abs=1.5)
    assert sorted((box[0] + box[2]) / 2 for box in upright) == pytest.approx(SIDES, abs=1.5)


@pytest.mark.parametrize("stated", [0.0, 0.7, 2.1])
def test_find_ruling_corrects_the_tilt_when_lines_are_long(stated: float) -> None:
    tilted = grid().rotate(-1.5, fillcolor="white", resample=Image.Resampling.BILINEAR)
    ruling = find_ruling(pixels(tilted), POINTS, stated)
    flat, _ = split(ruling.lines)
    assert ruling.skew == pytest.approx(1.5, abs=0.1)
    assert [(box[1] + box[3]) / 2 for box in flat] == pytest.approx(LEVELS, abs=1.5)


def test_find_ruling_levels_a_line_at_its_middle_when_it_falls() -> None:
    picture, pen = blank()
    for y, fall in ((40, 0), (100, 0), (160, 7)):
        pen.line([(30 * SCALE, y * SCALE), (270 * SCALE, (y + fall) * SCALE)], "black", 2)
    lines = find_ruling(pixels(picture), POINTS, 0.0).lines
    assert [(box[1] + box[3]) / 2 for box in lines] == pytest.approx([40, 100, 163.5], abs=1.5)


def test_a_broken_line_is_one() -> None:
    picture, pen = blank()
    for start in range(30, 270, 24):
        pen.line([(start * SCALE, 50 * SCALE), ((start + 22.5) * SCALE, 50 * SCALE)], "black", 2)
    (only,) = find_ruling(pixels(picture), POINTS, 0.0).lines
    assert math.isclose(only[2] - only[0], 238, abs_tol=2)


def test_letters_and_shades_are_not_rules_and_a_dark_bar_gives_its_edges() -> None:
    picture, pen = blank()
    font = ImageFont.load_default(size=11 * SCALE)
    for line in range(8):
        pen.text((20 * SCALE, (10 + 13 * line) * SCALE), "Illicit fellows will – tell III lines_", "black", font)
    pen.rectangle((30 * SCALE, 120 * SCALE, 200 * SCALE, 140 * SCALE), "black")
    pen.rectangle((30 * SCALE, 150 * SCALE, 200 * SCALE, 170 * SCALE), "#e8e8e8")
    above, below = find_ruling(pixels(picture), POINTS, 0.0).lines
    assert (above[1], below[3]) == pytest.approx((120, 140), abs=1.5)


def test_longest_of_many_lines_are_kept_deterministically() -> None:
    picture, pen = blank()
    for number in range(30):
        y = (10 + 6 * number) * SCALE
        pen.line([(20 * SCALE, y), ((60 + 7 * number) * SCALE, y)], "black", 2)
    few = RulingSettings(most=10)
    found = find_ruling(pixels(picture), POINTS, 0.0, settings=few).lines
    assert len(found) == 10
    assert min(box[2] for box in found) > 60 + 7 * 19
    assert found == find_ruling(pixels(picture), POINTS, 0.0, settings=few).lines

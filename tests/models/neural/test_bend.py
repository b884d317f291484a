"""Pages with bent lines are detected by kernels and flattened, and boxes are mapped back to the page."""

from itertools import pairwise

import cv2
import numpy as np
import pytest

from quire.models.cdom.geometry import PageBend
from quire.models.extract.pipeline.upright import Standing
from quire.models.neural.bend import Contour, add_bends, flatten, measure_bend

HEIGHT, WIDTH = 800, 600


def bent(x: float, y: float, depth: float) -> float:
    """Return how much lower a point is on a page whose lines sag by `depth` pixels in the middle."""
    return y + depth * (1 - (2 * x / WIDTH - 1) ** 2)


def kernels(depth: float, tilt: float = 0.0) -> list[Contour]:
    """Outlines of forty lines ten pixels high."""
    sheet = np.zeros((HEIGHT, WIDTH), np.uint8)
    for row in range(40, 760, 18):
        places = [(x, bent(x, row, depth) + tilt * x) for x in range(40, 561, 4)]
        for (x0, y0), (x1, y1) in pairwise(places):
            cv2.line(sheet, (round(x0), round(y0)), (round(x1), round(y1)), 1, 8)
    found, _ = cv2.findContours(sheet, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    return [np.asarray(contour, np.int32) for contour in found]


@pytest.mark.parametrize("tilt", [0.0, 0.05, -0.1])
def test_flat_pages_do_not_bend_however_they_are_tilted(tilt: float) -> None:
    assert measure_bend(kernels(0.0, tilt), (HEIGHT, WIDTH)) is None


def test_lines_that_hang_through_are_measured_to_the_pixel() -> None:
    bend = measure_bend(kernels(20.0), (HEIGHT, WIDTH))
    assert bend is not None
    for x in (100, 200, 300, 400, 500):
        drop = WIDTH * (bend.drop(x / WIDTH, 0.5) - bend.drop(0.5, 0.5))
        assert drop == pytest.approx(bent(x, 0, 20.0) - bent(300, 0, 20.0), abs=1.5)


def test_too_few_lines_give_no_bend() -> None:
    assert measure_bend(kernels(20.0)[:1], (HEIGHT, WIDTH)) is None


def test_a_flattened_picture_has_its_lines_level() -> None:
    picture = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for x in range(WIDTH):
        y = round(bent(x, 400, 20.0))
        picture[y - 3 : y + 3, x] = 0
    bend = measure_bend(kernels(20.0), (HEIGHT, WIDTH))
    assert bend is not None
    rows = flatten(picture, bend)[:, 60:540, 0].argmin(axis=0)
    assert np.ptp(rows) <= 5


def test_boxes_of_a_flat_page_lie_on_the_bent_one_also_upside_down() -> None:
    bend = PageBend(((0.2, 0.0), (0.0, 0.0)))
    assert bend.drop(0.5, 0.3) == 0
    assert bend.drop(1.0, 0.3) == pytest.approx(0.1)
    over = PageBend(bend.slopes, over=True)
    assert over.drop(0.0, 0.7) == pytest.approx(-bend.drop(1.0, 0.3))
    x0, y0, x1, y1 = Standing(width=WIDTH, height=HEIGHT, bend=bend).show((150.0, 100.0, 450.0, 110.0))
    assert (x0, y0, x1, y1) == pytest.approx((150.0, 70.0, 450.0, 140.0))
    assert add_bends(bend, bend).drop(1.0, 0.0) == pytest.approx(0.2)

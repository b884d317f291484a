import numpy as np
import pytest

from quire.models.neural.ocr.upright import choose_probes, is_sideways, measure_skew, turn_boxes_over, turn_picture
from tests.models.neural.ocr.test_order import box


def test_page_of_mostly_tall_boxes_lies_sideways() -> None:
    assert is_sideways([box(0, 0, 20, 200), box(40, 0, 20, 200), box(80, 0, 60, 20)])
    assert not is_sideways([box(0, 0, 20, 200), box(40, 0, 300, 20)])
    assert not is_sideways([])


@pytest.mark.parametrize("skew", [-4.0, -0.5, 0.0, 2.0])
def test_skew_is_that_of_long_lines(skew: float) -> None:
    lines = [box(10, 30 * row, 200, 20, skew) for row in range(5)]
    assert measure_skew([*lines, box(0, 300, 20, 20, 30)]) == pytest.approx(skew, abs=0.05)


def test_without_long_lines_a_page_is_level() -> None:
    assert measure_skew([box(0, 0, 20, 20, 10)]) == 0.0


def test_boxes_turned_over_twice_are_where_they_were() -> None:
    before = box(10, 20)
    over = turn_boxes_over([before], 400, 300)
    assert np.allclose(over[0][0], (290, 260))
    assert np.allclose(turn_boxes_over(over, 400, 300)[0], before)


def test_a_picture_turns_clockwise() -> None:
    picture = np.zeros((2, 3, 3), np.uint8)
    picture[0, 0] = 255
    assert turn_picture(picture, 90).shape == (3, 2, 3)
    assert turn_picture(picture, 90)[0, 1, 0] == 255
    assert turn_picture(picture, 180)[1, 2, 0] == 255


def test_the_lines_probed_are_few_and_long() -> None:
    boxes = [box(0, 30 * row, 20 + 10 * row, 20) for row in range(12)]
    assert choose_probes(boxes) == [11, 10, 9, 8, 7, 6]

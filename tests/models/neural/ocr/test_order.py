import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quire.models.neural.ocr.order import row_order
from quire.models.neural.ocr.runtime import Floats


def box(x: float, y: float, width: float = 100, height: float = 20, skew: float = 0.0) -> Floats:
    """A level box at (x, y), then the whole page turned by `skew` degrees around its origin."""
    corners = np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], np.float64)
    angle = np.radians(skew)
    turn = np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
    return np.asarray(corners @ turn, np.float32)


@given(st.floats(-5, 5), st.integers(1, 6), st.integers(1, 4))
def test_rows_come_from_top_to_bottom_and_each_from_left_to_right(skew: float, rows: int, columns: int) -> None:
    boxes = [box(150 * column, 30 * row, skew=skew) for row in range(rows) for column in range(columns)]
    assert row_order(boxes, skew) == list(range(len(boxes)))
    assert row_order(boxes[::-1], skew) == list(range(len(boxes)))[::-1]


def test_sorting_a_tilted_page_by_height_alone_would_mix_its_rows() -> None:
    boxes = [box(600, 0, skew=3), box(0, 28, skew=3), box(0, 0, skew=3)]
    assert boxes[0][0][1] > boxes[1][0][1]
    assert row_order(boxes, 3) == [2, 0, 1]


def test_a_small_sign_in_the_middle_of_a_tall_line_belongs_to_its_row() -> None:
    assert row_order([box(200, 8, 20, 8), box(0, 0, 100, 24)], 0.0) == [1, 0]


def test_nothing_has_no_order() -> None:
    assert row_order([], 0.0) == []

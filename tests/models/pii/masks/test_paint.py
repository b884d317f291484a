"""Painting to the pixel: what is shown, what is covered and by how much, at the edges of both."""

from io import BytesIO

import pytest
from PIL import Image

from quire.models.cdom.tree import Page
from quire.models.pii import paint
from quire.models.pii.paint import PictureTooLarge, View, paint_page

PAGE = Page(number=1, width=100.0, height=50.0)
RED, WHITE, BLACK = (255, 0, 0), (255, 255, 255), (0, 0, 0)


def red_png(width: int = 200, height: int = 100) -> bytes:
    """Two pixels a point where the size is not said."""
    drawn = BytesIO()
    Image.new("RGB", (width, height), "red").save(drawn, "PNG")
    return drawn.getvalue()


def painted(view: View) -> Image.Image:
    return Image.open(BytesIO(paint_page(red_png(), PAGE, view)))


def test_a_shown_place_is_copied_half_a_point_larger_and_no_more() -> None:
    picture = painted(View(shown=((10.0, 10.0, 30.0, 20.0),), hidden=()))
    assert picture.getpixel((19, 19)) == picture.getpixel((61, 41)) == RED
    for outside in ((18, 19), (19, 18), (62, 41), (61, 42)):
        assert picture.getpixel(outside) == WHITE, outside


def test_a_hidden_place_is_black_two_points_larger_and_no_more() -> None:
    picture = painted(View(shown=((5.0, 5.0, 50.0, 40.0),), hidden=((12.0, 12.0, 16.0, 16.0),)))
    assert picture.getpixel((20, 20)) == picture.getpixel((36, 36)) == BLACK
    for outside in ((19, 20), (20, 19), (37, 36), (36, 37)):
        assert picture.getpixel(outside) == RED, outside


def test_places_that_reach_over_the_page_end_at_its_edge() -> None:
    picture = painted(View(shown=((90.0, 40.0, 120.0, 60.0),), hidden=((-9.0, -9.0, 2.0, 2.0),)))
    assert picture.size == (200, 100)
    assert (picture.getpixel((199, 99)), picture.getpixel((0, 0)), picture.getpixel((8, 8))) == (RED, BLACK, BLACK)
    assert picture.getpixel((9, 9)) == WHITE


def test_a_picture_with_another_scale_each_way_is_painted_to_scale() -> None:
    data = paint_page(red_png(100, 200), PAGE, View(shown=((10.0, 10.0, 30.0, 20.0),), hidden=()))
    picture = Image.open(BytesIO(data))
    assert picture.getpixel((9, 38)) == picture.getpixel((30, 82)) == RED
    assert picture.getpixel((31, 82)) == picture.getpixel((30, 83)) == picture.getpixel((8, 38)) == WHITE


def test_a_scale_need_not_be_whole() -> None:
    data = paint_page(red_png(150, 125), PAGE, View(shown=((10.0, 10.0, 30.0, 20.0),), hidden=()))
    picture = Image.open(BytesIO(data))
    assert picture.getpixel((14, 23)) == picture.getpixel((45, 51)) == RED
    assert picture.getpixel((13, 23)) == picture.getpixel((46, 51)) == WHITE
    assert picture.getpixel((14, 22)) == picture.getpixel((45, 52)) == WHITE


def test_a_blank_view_shows_nothing() -> None:
    picture = painted(View(shown=((0.0, 0.0, 100.0, 50.0),), hidden=(), blank=True))
    assert picture.getcolors() == [(20_000, WHITE)]


def test_as_many_pixels_as_allowed_are_painted_and_one_more_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paint, "MAX_PIXELS", 20_000)
    assert painted(View((), ())).size == (200, 100)
    monkeypatch.setattr(paint, "MAX_PIXELS", 19_999)
    with pytest.raises(PictureTooLarge, match="200 x 100"):
        painted(View((), ()))

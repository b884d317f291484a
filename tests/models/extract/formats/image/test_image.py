"""Pictures as documents: pages, sizes, turns and what a recogniser and a viewer get."""

import io

import numpy as np
import pytest
from PIL import Image

from quire.models.cdom.errors import Malformed
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import PixelPage
from quire.models.cdom.tree import Route
from quire.models.extract.formats.image import open_image
from quire.models.extract.registry import open_document
from tests.models.extract.formats.image.pictures import black_corners, corner, encode, frames

OPTIONS = ReadOptions()
FORMATS = {form: form.lower() for form in ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "JPEG2000")}


def pixels_of(data: bytes, number: int = 1, options: ReadOptions = OPTIONS) -> PixelPage:
    pixels = open_image(data, options).read_page(number).pixels
    assert pixels is not None
    return pixels


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_one_page_for_the_recogniser(form: str) -> None:
    document = open_document(encode(corner(), form), OPTIONS)
    assert (document.facts.format, document.facts.page_numbers) == (FORMATS[form], (1,))
    read = document.read_page(1)
    assert (read.content.route, read.content.reason, read.content.blocks) == (Route.OCR, "image", ())
    assert read.pixels is not None
    assert (read.pixels.width, read.pixels.height) == (read.content.width, read.content.height)
    assert black_corners(read.pixels.image) == ["top left"]


def test_tiff_has_page_for_each_frame_in_any_order() -> None:
    document = open_image(frames(3), OPTIONS)
    assert document.facts.page_count == 3
    assert [opened(pixels_of(frames(3), n).image).width for n in (1, 2, 3)] == [60, 61, 62]
    widths = [document.read_page(number).content.width for number in (3, 1, 2, 2)]
    assert widths == [46.5, 45.0, 45.75, 45.75]


def test_wanted_pages_are_read_and_the_others_counted() -> None:
    facts = open_image(frames(5), ReadOptions(pages=((2, 3), (9, 12)))).facts
    assert (facts.page_count, facts.page_numbers) == (5, (2, 3))


def test_first_frame_of_an_animation_is_the_page() -> None:
    moving = encode(corner(), "GIF", save_all=True, append_images=[Image.new("L", (60, 40), 0)])
    document = open_image(moving, OPTIONS)
    assert document.facts.page_count == 1
    assert black_corners(pixels_of(moving).image) == ["top left"]


def test_stated_resolution_gives_the_size_and_96_is_assumed() -> None:
    assert pixels_of(encode(corner(300, 150), "PNG", dpi=(300, 300))).width == pytest.approx(72, abs=0.01)
    assert pixels_of(encode(corner(96, 48), "PNG")).width == 72
    assert pixels_of(encode(corner(96, 48), "PNG", dpi=(1, 1))).width == 72


def test_a_fax_with_unequal_resolutions_gets_square_pixels() -> None:
    page = pixels_of(encode(corner(204, 98), "TIFF", dpi=(204, 98)))
    assert (page.width, page.height) == pytest.approx((72, 72))
    assert opened(page.image).size == (204, 204)


@pytest.mark.parametrize(
    ("orientation", "where"), [(1, "top left"), (3, "bottom right"), (6, "top right"), (8, "bottom left")]
)
@pytest.mark.parametrize("form", ["JPEG", "TIFF", "PNG", "WEBP"])
def test_a_camera_held_sideways_gives_an_upright_page(form: str, orientation: int, where: str) -> None:
    exif = Image.Exif()
    exif[274] = orientation
    document = open_image(encode(corner(100, 50, "RGB"), form, exif=exif), OPTIONS)
    for _ in range(2):
        page = document.read_page(1).pixels
        assert page is not None
        assert black_corners(page.image) == [where]
        assert (page.width > page.height) is (orientation not in {6, 8})


@pytest.mark.parametrize("form", ["JPEG", "TIFF"])
def test_unequal_resolutions_turn_with_the_picture(form: str) -> None:
    exif = Image.Exif()
    exif[274] = 6
    document = open_image(encode(corner(200, 50, "RGB"), form, exif=exif, dpi=(200, 100)), OPTIONS)
    sizes = [document.read_page(1).content for _ in range(2)]
    assert [(page.width, page.height) for page in sizes] == [(36, 72), (36, 72)]


def test_a_large_picture_is_handed_on_smaller_with_its_size_kept() -> None:
    page = pixels_of(encode(corner(9000, 100), "PNG", dpi=(600, 600)))
    assert opened(page.image).size == (4000, 44)
    assert page.width == pytest.approx(1080, abs=0.1)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "I;16", "F"])
def test_every_colour_mode_becomes_grey_or_rgb_on_white(mode: str) -> None:
    page = pixels_of(encode(corner().convert(mode), "TIFF" if mode in {"CMYK", "F", "PA"} else "PNG"))
    assert opened(page.image).mode in {"L", "RGB"}
    assert black_corners(page.image) == ["top left"]


def test_sixteen_bits_are_scaled_not_clipped() -> None:
    deep = np.full((40, 40), 60_000, np.uint16)
    deep[:10, :10] = 1_000
    assert black_corners(pixels_of(encode(Image.fromarray(deep), "PNG")).image) == ["top left"]


def test_transparent_pixels_become_white_paper() -> None:
    ghost = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    ghost.paste((0, 0, 0, 255), (0, 0, 10, 10))
    assert black_corners(pixels_of(encode(ghost, "PNG")).image) == ["top left"]


def test_without_recognition_the_page_is_there_and_empty() -> None:
    read = open_image(encode(corner(), "PNG"), ReadOptions(ocr=OcrMode.NEVER)).read_page(1)
    assert (read.content.route, read.content.reason, read.pixels) == (Route.NONE, "image, ocr off", None)


def test_separate_picture_is_drawn_without_other_data_of_its_file() -> None:
    image = open_image(encode(corner(), "JPEG"), OPTIONS).render_page(1, 110)
    assert (opened(image.png).format, image.media_type, image.page_count) == ("PNG", "image/png", 1)
    assert set(opened(image.png).info) <= {"dpi"}
    assert (image.width, image.height) == (45, 30)


def test_one_frame_of_several_is_shown_as_png_at_the_resolution_asked_for() -> None:
    image = open_image(frames(2, dpi=(60, 60)), OPTIONS).render_page(2, 120)
    assert (image.media_type, image.page_count, opened(image.png).size) == ("image/png", 2, (122, 80))


def test_a_page_that_is_not_there_is_not_shown() -> None:
    with pytest.raises(Malformed):
        open_image(frames(2), OPTIONS).render_page(3, 110)


@pytest.mark.parametrize(("ink", "paper"), [(255, 0), (225, 0), (0, 255), (90, 255)])
def test_ink_on_transparent_ground_stays_visible(ink: int, paper: int) -> None:
    picture = Image.new("LA", (60, 40), (ink, 0))
    picture.paste((ink, 255), (10, 10, 40, 20))
    shown = opened(pixels_of(encode(picture, "PNG")).image).convert("L")
    assert (shown.getpixel((20, 15)), shown.getpixel((50, 30))) == (ink, paper)


def test_light_picture_with_transparent_border_is_on_white() -> None:
    picture = Image.new("LA", (60, 40), (255, 0))
    picture.paste((255, 255), (2, 2, 58, 38))
    picture.paste((0, 255), (10, 10, 40, 20))
    shown = opened(pixels_of(encode(picture, "PNG")).image).convert("L")
    assert (shown.getpixel((0, 0)), shown.getpixel((20, 15)), shown.getpixel((50, 30))) == (255, 0, 255)

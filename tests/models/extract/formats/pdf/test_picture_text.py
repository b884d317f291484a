"""Text and tables printed as pictures in pages with a text layer are found, read, placed; other pictures stay alone."""

import shutil
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import RecognisedPage, RecognisePages, Word
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import PageContent, PageRead
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.formats.pdf.render import GreyDrawer
from quire.models.extract.formats.pdf.visibility.picture_text import looks_like_text, may_be_text
from quire.models.extract.pipeline.pdf import open_pdf
from quire.models.extract.pipeline.plan import TEXT_IN_PICTURES
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.neural.ocr.rapid import RapidRecogniser
from quire.models.neural.ocr.tesseract import TesseractRecogniser
from tests.models.extract.passes import find_marks

PLACE = (72.0, 200.0, 372.0, 320.0)
ROWS = [
    ("Rope", "Length", "Price"),
    ("Hemp", "twelve", "4.20"),
    ("Cotton", "twenty", "7.15"),
    ("Sisal", "thirty", "9.80"),
]
Grey = npt.NDArray[np.uint8]


def draw_table() -> bytes:
    """A ruled table as PNG, 300 by 120 points at 200 dots an inch."""
    sheet = pymupdf.open()
    page = sheet.new_page(width=300, height=120)
    for at, row in enumerate(ROWS):
        page.draw_line((5, 5 + 27 * at), (295, 5 + 27 * at))
        for col, text in enumerate(row):
            page.insert_text((12 + 97 * col, 24 + 27 * at), text, fontsize=13)
    return bytes(page.get_pixmap(dpi=200).tobytes("png"))


def as_png(grey: Grey) -> bytes:
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, grey.shape[1], grey.shape[0], grey.tobytes(), False)
    return bytes(pixmap.tobytes("png"))


def photograph() -> Grey:
    """Smooth clouds with grain, no ground anywhere."""
    noise = np.random.default_rng(7).normal(0, 1, (24, 40))
    clouds = np.kron(noise, np.ones((10, 10))).cumsum(axis=0).cumsum(axis=1)
    scaled = (clouds - clouds.min()) / np.ptp(clouds) * 255
    return np.asarray(scaled, dtype=np.uint8)


def logo() -> Grey:
    grey = np.full((120, 300), 255, dtype=np.uint8)
    for at in range(5):
        grey[20:100, 20 + 55 * at : 50 + 55 * at] = 0
    return grey


def chart() -> Grey:
    """Bars and grid lines."""
    grey = np.full((240, 400), 255, dtype=np.uint8)
    grey[::40, :] = 120
    for at in range(8):
        grey[200 - 20 * at :, 20 + 45 * at : 50 + 45 * at] = 60
    return grey


def page_with(picture: bytes) -> bytes:
    """A page of text around that picture."""
    file = pymupdf.open()
    page = file.new_page(width=450, height=600)
    page.insert_text((72, 80), "Ropes are sold by length and by what they are made of.", fontsize=11)
    page.insert_text((72, 96), "The table below was pasted in as a picture by its author.", fontsize=11)
    page.insert_image(pymupdf.Rect(PLACE), stream=picture)
    page.insert_text((72, 400), "Prices are those of the spring and do not include the freight.", fontsize=11)
    data: bytes = file.tobytes()
    return data


def read(data: bytes, ocr: OcrMode = OcrMode.AUTO) -> PageRead:
    document = open_pdf(data, ReadOptions(ocr=ocr))
    try:
        return document.read_page(1)
    finally:
        document.close()


def test_table_drawn_as_picture_is_area_for_recogniser() -> None:
    found = read(page_with(draw_table()))
    assert (found.content.route, found.content.reason) == (Route.MIXED, TEXT_IN_PICTURES)
    assert [(area.adds, found.content.blocks[area.block].type) for area in found.content.areas] == [
        (True, BlockType.PICTURE)
    ]
    assert found.pixels is not None


@pytest.mark.parametrize("draw", [photograph, logo, chart])
def test_photographs_logos_and_charts_are_never_recognised(draw: Callable[[], Grey]) -> None:
    assert not looks_like_text(draw())
    found = read(page_with(as_png(draw())))
    assert (found.content.route, found.content.areas, found.pixels) == (Route.FAST, (), None)


def test_the_first_look_leaves_text_and_ends_smooth_pictures() -> None:
    page = pymupdf.open(stream=draw_table(), filetype="png")[0]
    small = page.get_pixmap(
        colorspace=pymupdf.csGRAY, matrix=pymupdf.Matrix(125 / page.rect.width, 50 / page.rect.height)
    )
    text = np.frombuffer(small.samples, np.uint8).reshape(small.h, small.stride)[:, : small.w]
    assert may_be_text(text)
    assert not may_be_text(photograph()[::3, ::3])
    assert not may_be_text(np.full((50, 125), 255, np.uint8))


@pytest.mark.parametrize("kind", ["png", "jpeg", "grey"])
def test_an_images_own_pixels_look_like_its_drawing(kind: str) -> None:
    picture = pymupdf.Pixmap(draw_table())
    if kind == "grey":
        picture = pymupdf.Pixmap(pymupdf.csGRAY, picture)
    document = pymupdf.open(stream=page_with(picture.tobytes("jpeg" if kind == "jpeg" else "png")))
    own = find_marks(document[0]).pixels(PLACE, 100)
    drawn = GreyDrawer(document[0]).draw(PLACE, 100)
    assert own is not None
    assert drawn is not None
    height, width = min(own.shape[0], drawn.shape[0]), min(own.shape[1], drawn.shape[1])
    apart = np.abs(own[:height, :width].astype(int) - drawn[:height, :width].astype(int))
    assert float(apart.mean()) < 12
    assert looks_like_text(own)


def test_earlier_rendering_does_not_change_the_pixels_of_an_image() -> None:
    data = page_with(pymupdf.Pixmap(draw_table()).tobytes("jpeg"))
    fresh = find_marks(pymupdf.open(stream=data)[0]).pixels(PLACE, 30)
    used = pymupdf.open(stream=data)[0]
    used.get_pixmap(dpi=300)
    after = find_marks(used).pixels(PLACE, 30)
    assert fresh is not None
    assert after is not None
    assert np.array_equal(fresh, after)


def test_pictures_that_let_the_page_through_are_drawn() -> None:
    clear = pymupdf.Pixmap(pymupdf.Pixmap(draw_table()), 1)
    clear.set_alpha(bytes([100]) * (clear.width * clear.height))
    document = pymupdf.open(stream=page_with(clear.tobytes("png")))
    assert find_marks(document[0]).pixels(PLACE, 100) is None


def test_without_recognition_pictures_stay_pictures() -> None:
    found = read(page_with(draw_table()), OcrMode.NEVER)
    assert (found.content.route, found.content.areas) == (Route.FAST, ())


def recognisers() -> list[RecognisePages]:
    """Return the installed recognisers: the built-in networks, and Tesseract where available."""
    found: list[RecognisePages] = [RapidRecogniser(("en",))]
    command = shutil.which("tesseract")
    return [*found, TesseractRecogniser(("en",), command)] if command else found


@pytest.mark.parametrize("recogniser", recognisers(), ids=lambda one: type(one).__name__)
def test_picture_text_follows_the_picture_and_is_counted(recogniser: RecognisePages) -> None:
    waiting = read(page_with(draw_table()))
    assert waiting.pixels is not None
    before = waiting.content.coverage
    content = apply_recognition(waiting.content, recogniser.recognise_pages([waiting.pixels], ("en",), 60.0)[0])
    assert content.route is Route.MIXED
    picture = next(at for at, block in enumerate(content.blocks) if block.type is BlockType.PICTURE)
    added = [block for block in content.blocks if block.recognised]
    assert content.blocks[picture + 1].recognised
    said = " ".join(block.text + " ".join(cell.text for cell in block.table.cells) if block.table else block.text
                    for block in added)  # fmt: skip
    assert all(word in said for row in ROWS for word in row), said
    assert before is not None
    assert content.coverage is not None
    counts = content.coverage.characters
    assert counts.painted == counts.placed + sum(counts.excluded.values()) + counts.lost
    assert counts.painted > before.characters.painted
    assert counts.lost == 0


def read_as(confidence: float, text: str) -> PageContent:
    waiting = read(page_with(draw_table()))
    word = Word(text=text, bbox=(100.0, 250.0, 300.0, 262.0), confidence=confidence, line=0)
    page = RecognisedPage(number=1, words=(word,), engine="test", model=None, version="1")
    return apply_recognition(waiting.content, page)


@pytest.mark.parametrize(("confidence", "text"), [(0.4, "scribbles everywhere"), (0.95, "Acme")])
def test_low_confidence_text_in_a_picture_is_dropped(confidence: float, text: str) -> None:
    content = read_as(confidence, text)
    assert content.route is Route.FAST
    assert not any(block.recognised for block in content.blocks)

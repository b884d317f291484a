"""Small pages with known text for recogniser tests, drawn with the fonts that MuPDF carries."""

import io
from collections.abc import Sequence

import numpy as np
import pymupdf
from PIL import Image

from quire.models.cdom.ports import PixelPage
from quire.models.neural.ocr.detect import Picture

LETTER = (
    "Harbour Office, 14 Quay Street",
    "Invoice 20481 of 7 March 2024",
    "Two coils of manila rope 125.00",
    "Lamp oil, five gallons 36.40",
    "Please pay within thirty days",
)
WIDTH, HEIGHT, DPI = 300.0, 200.0, 120


def draw_page(lines: Sequence[str], *, columns: Sequence[float] = (30.0,), size: float = 12.0) -> Image.Image:
    """`lines` one under the other, dealt out to `columns` (left edges, points) from left to right."""
    with pymupdf.open() as document:
        page = document.new_page(width=WIDTH, height=HEIGHT)
        for place, line in enumerate(lines):
            row, column = divmod(place, len(columns))
            page.insert_text((columns[column], 40 + 26 * row), line, fontsize=size, fontname="tiro")
        pixels = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    return Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)


def as_picture(image: Image.Image) -> Picture:
    return np.asarray(image.convert("RGB"))


def as_page(image: Image.Image, number: int = 1) -> PixelPage:
    out = io.BytesIO()
    image.save(out, "PNG")
    points = (image.width * 72 / DPI, image.height * 72 / DPI)
    return PixelPage(number=number, image=out.getvalue(), width=points[0], height=points[1])


def tilt(image: Image.Image, degrees: float) -> Image.Image:
    """Turned clockwise by a small angle on white paper."""
    return image.rotate(-degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)

"""Pixels of a page as an array, and boxes of that array as points of the page.

In: PNG or JPEG bytes from a sandboxed reader. Out: RGB. Raises `Malformed` or `ResourceLimit`.
"""

import io
import warnings

import numpy as np

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.geometry import Bbox, clamp_bbox, round_bbox
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.runtime import Floats

MOST_PIXELS = 100_000_000  # pixels of a page: A3 at 600 dpi
LONGEST_SIDE = 4000
"""A4 at 300 dpi fits; what is larger is shrunk before it is unpacked to three colours."""


def decode_picture(image: bytes, most_pixels: int = MOST_PIXELS) -> Picture:
    """RGB, uint8, height × width × 3."""
    from PIL import Image

    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(image), formats=["PNG", "JPEG"]) as picture,
        ):
            if picture.width * picture.height > most_pixels:
                raise ResourceLimit("the picture of the page has too many pixels")
            picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            return np.asarray(picture.convert("RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise Malformed("the picture of the page does not decode") from error


def page_box(corners: Floats, pixels: tuple[int, int], points: tuple[float, float]) -> Bbox:
    """Return the upright box around four corners in points, for a page of these pixels and points (width, height)."""
    scale = np.array(points) / np.array(pixels)
    (x0, y0), (x1, y1) = corners.min(axis=0) * scale, corners.max(axis=0) * scale
    return round_bbox(clamp_bbox((float(x0), float(y0), float(x1), float(y1)), *points))

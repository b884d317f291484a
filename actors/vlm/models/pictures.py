"""Pictures for a model: decoded once, cropped, scaled to what the model was trained on, as PNG."""

import io
import math

from PIL import Image, UnidentifiedImageError

from quire.models.cdom.errors import Malformed
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import PixelPage


def decode(page: PixelPage) -> Image.Image:
    """Decode the page's picture as RGB.

    Raises:
        Malformed: The picture does not decode.
    """
    try:
        with Image.open(io.BytesIO(page.image)) as image:
            return image.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise Malformed("the page's picture does not decode") from None


def fit_longest(image: Image.Image, longest: int) -> Image.Image:
    """No side longer than `longest` pixels; smaller ones stay."""
    factor = longest / max(image.size)
    return image if factor >= 1 else _scale(image, (image.width * factor, image.height * factor), 1)


def fit_grid(image: Image.Image, *, factor: int, least: int, most: int) -> Image.Image:
    """Sides that are multiples of `factor`, area within `least`..`most` pixels: boxes then need no second scaling."""
    area = image.width * image.height
    scale = math.sqrt(min(max(area, least), most) / area)
    return _scale(image, (image.width * scale, image.height * scale), factor)


def _scale(image: Image.Image, size: tuple[float, float], factor: int) -> Image.Image:
    width, height = (max(factor, round(side / factor) * factor) for side in size)
    return image if (width, height) == image.size else image.resize((width, height), Image.Resampling.BICUBIC)


def crop(image: Image.Image, bbox: Bbox, page: PixelPage, *, margin: float = 2.0) -> Image.Image:
    """Return the part of the image in the box (points of the page), with a margin in points; at least one pixel."""
    across, down = image.width / page.width, image.height / page.height
    x0, y0 = max(0, int((bbox[0] - margin) * across)), max(0, int((bbox[1] - margin) * down))
    x1 = min(image.width, max(x0 + 1, math.ceil((bbox[2] + margin) * across)))
    y1 = min(image.height, max(y0 + 1, math.ceil((bbox[3] + margin) * down)))
    return image.crop((min(x0, x1 - 1), min(y0, y1 - 1), x1, y1))


def to_png(image: Image.Image) -> bytes:
    """Lossless, fast to write."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()

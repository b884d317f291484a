"""One frame of a picture as upright, square pixels, and the limits that hold before it is decoded.

In: bytes of a known format. Out: frames as PNG with their size in points. Knows no page tree and opens no file.
"""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from typing import Final

from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageOps,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from models.cdom.errors import Malformed, ResourceLimit
from models.cdom.original import Format

PLUGINS: Final = (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)
"""Imported here because a sandboxed child can import nothing later. A phone's JPEG may be opened by the MPO plugin."""
Image.preinit()
AvifImagePlugin.DEFAULT_MAX_THREADS = 1
"""The decoder would start threads, and a sandboxed child may have none."""

ASSUMED_DPI = 96.0
"""For a picture that states no resolution, or none that a scanner or camera could have meant."""
_PLAUSIBLE_DPI = (30.0, 2400.0)
"""Dots an inch that a scanner or a camera states; others are a wrong tag and are not believed."""
LONGEST_SIDE = 4000
"""Pixels handed to a recogniser: A4 at 300 dpi fits; more would only cost time."""

BROKEN = (
    *(OSError, SyntaxError, ValueError, TypeError, AttributeError, LookupError, EOFError, ArithmeticError),
    *(RuntimeError, NotImplementedError, struct.error),
)
"""What Pillow raises on broken files, besides `MemoryError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFrame:
    """An upright frame: size in points."""

    png: bytes
    width: float
    height: float


@contextmanager
def pillow_errors() -> Iterator[None]:
    """Pillow's exceptions as ours; its warning of a bomb is an error, its others are about metadata."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise ResourceLimit("the picture states too many pixels") from error
    except MemoryError as error:
        raise ResourceLimit("memory") from error
    except BROKEN as error:
        raise Malformed("the picture is broken") from error


def open_picture(data: bytes, found: Format, max_pixels: int) -> Image.Image:
    """The picture with only its header read. Raises `Malformed`, and `ResourceLimit` by the size it states."""
    Image.MAX_IMAGE_PIXELS = max_pixels
    with pillow_errors():
        picture = Image.open(io.BytesIO(data), formats=[found.value.upper()])
    check_pixels(picture, max_pixels)
    return picture


def check_pixels(picture: Image.Image, max_pixels: int) -> None:
    """Raises `ResourceLimit` when the current frame states more than `max_pixels`."""
    pixels = picture.width * picture.height
    if pixels > max_pixels:
        raise ResourceLimit(f"{pixels} pixels, {max_pixels} allowed")


def count_frames(picture: Image.Image, limit: int) -> int:
    """Frames of a TIFF, counted no further than `limit` + 1; a chain of frames may be long and may be a loop."""
    count = 1
    with pillow_errors():
        while count <= limit:
            try:
                picture.seek(count)
            except EOFError:
                break
            count += 1
        picture.seek(0)
    return count


def decode_frame(picture: Image.Image, max_pixels: int, dpi: int | None = None) -> ImageFrame:
    """The current frame at `dpi`, or as fine as it is up to `LONGEST_SIDE`.

    Raises `Malformed` when it does not decode, `ResourceLimit` when it is too large.
    """
    check_pixels(picture, max_pixels)
    with pillow_errors():
        across, down = read_dpi(picture)
        if _stated_orientation(picture) in _SWAPS_SIDES:
            across, down = down, across
        upright = _turn_upright(picture)
        width, height = upright.width * 72 / across, upright.height * 72 / down
        scale = _choose_scale(upright, width, height) if dpi is None else dpi / 72
        scale = min(scale, sqrt(max_pixels / (width * height)))
        png = _encode(flatten(_resize(upright, width * scale, height * scale)))
        return ImageFrame(png=png, width=round(width, 3), height=round(height, 3))


_ORIENTATION = 274
"""The number of the EXIF tag that says how a picture is turned."""
_SWAPS_SIDES = frozenset({5, 6, 7, 8})


def _stated_orientation(picture: Image.Image) -> int | None:
    """How the stored rows lie. Pillow turns a TIFF while it decodes and then forgets its EXIF, but not its tags."""
    tags = picture.tag_v2 if isinstance(picture, TiffImagePlugin.TiffImageFile) else picture.getexif()
    orientation: int | None = tags.get(_ORIENTATION)
    return orientation


def read_dpi(picture: Image.Image) -> tuple[float, float]:
    """Stated dots per inch (across, down), or the assumed ones; fax pictures have unequal ones."""
    stated = picture.info.get("dpi")
    try:
        across, down = (float(value) for value in stated or ())
    except (TypeError, ValueError, ZeroDivisionError):
        return ASSUMED_DPI, ASSUMED_DPI
    low, high = _PLAUSIBLE_DPI
    if not (low <= across <= high and low <= down <= high and 1 / 4 <= across / down <= 4):
        return ASSUMED_DPI, ASSUMED_DPI
    return across, down


def flatten(picture: Image.Image) -> Image.Image:
    """Grey or RGB on white: what is transparent was meant to be seen on paper."""
    if picture.mode in {"L", "RGB"}:
        return picture
    if picture.mode in {"1", "I;16", "I;16B", "I", "F"}:
        return _to_grey(picture)
    if picture.mode in {"LA", "La", "PA", "RGBa", "RGBA"} or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        paper = Image.new("RGB", layer.size, "white")
        paper.paste(layer, mask=layer.getchannel("A"))
        return paper
    return picture.convert("RGB")


def _to_grey(picture: Image.Image) -> Image.Image:
    """Sixteen-bit and float pictures are scaled by what they hold; Pillow's own conversion would clip them to white."""
    if picture.mode == "1":
        return picture.convert("L")
    values = picture.convert("F")
    low, high = (float(value) for value in values.getextrema())  # type: ignore[arg-type]
    high = max(high, 255.0)
    return values.point(lambda value: value * (255.0 / high) + 0.0).convert("L") if low >= 0 else values.convert("L")


def _turn_upright(picture: Image.Image) -> Image.Image:
    picture.load()
    return ImageOps.exif_transpose(picture)


def _choose_scale(picture: Image.Image, width: float, height: float) -> float:
    """Pixels per point: those of the finer axis, so that a fax gets square pixels; no side beyond `LONGEST_SIDE`."""
    return min(max(picture.width / width, picture.height / height), LONGEST_SIDE / max(width, height))


def _resize(picture: Image.Image, width: float, height: float) -> Image.Image:
    size = (max(1, round(width)), max(1, round(height)))
    if size == picture.size:
        return picture
    smooth = flatten(picture)
    factor = min(smooth.width // size[0], smooth.height // size[1])
    return (smooth.reduce(factor) if factor > 1 else smooth).resize(size, Image.Resampling.BICUBIC)


def _encode(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return out.getvalue()

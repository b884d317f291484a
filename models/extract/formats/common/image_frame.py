"""Frames of pictures as upright, square pixels, and the limits that are checked before decoding.

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
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.original import Format

PLUGINS: Final = (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)
"""Imported here because a sandboxed child cannot import later. The MPO plugin may open a phone's JPEG."""
Image.preinit()
AvifImagePlugin.DEFAULT_MAX_THREADS = 1
"""The decoder would start threads, which a sandboxed child is not allowed to have."""

ASSUMED_DPI = 96.0
"""Resolution of a picture that states none, or an implausible one."""
_PLAUSIBLE_DPI = (30.0, 2400.0)
"""Dots per inch that a scanner or a camera may state; others come from a wrong tag and are ignored."""
LONGEST_SIDE = 4000
"""Pixels handed to a recogniser: A4 at 300 dpi fits; more would only cost time."""

BROKEN = (
    *(OSError, SyntaxError, ValueError, TypeError, AttributeError, LookupError, EOFError, ArithmeticError),
    *(RuntimeError, NotImplementedError, struct.error),
)
"""Exceptions that Pillow raises on broken files, in addition to `MemoryError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFrame:
    """An upright frame; `width` and `height` in points."""

    png: bytes
    width: float
    height: float


@contextmanager
def pillow_errors() -> Iterator[None]:
    """Convert Pillow's exceptions to ours; its bomb warning is an error, its other warnings concern metadata."""
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


def open_picture(data: bytes, format_: Format, max_pixels: int) -> Image.Image:
    """Open the picture and read only its header.

    Raises:
        Malformed: The header is broken.
        ResourceLimit: The header states too many pixels.
    """
    Image.MAX_IMAGE_PIXELS = max_pixels
    with pillow_errors():
        picture = Image.open(io.BytesIO(data), formats=[format_.value.upper()])
    check_pixels(picture, max_pixels)
    return picture


def check_pixels(picture: Image.Image, max_pixels: int) -> None:
    """Check the stated size of the current frame.

    Raises:
        ResourceLimit: It has more than `max_pixels` pixels.
    """
    pixels = picture.width * picture.height
    if pixels > max_pixels:
        raise ResourceLimit(f"{pixels} pixels, {max_pixels} allowed")


def count_frames(picture: Image.Image, limit: int) -> int:
    """Count the frames of a TIFF up to `limit` + 1; a chain of frames may be long or a loop."""
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
    """Return the current frame at `dpi`, or at its own resolution up to `LONGEST_SIDE`.

    Raises:
        Malformed: The frame does not decode.
        ResourceLimit: The frame is too large.
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
"""Number of the EXIF tag for the picture's orientation."""
_SWAPS_SIDES = frozenset({5, 6, 7, 8})


def _stated_orientation(picture: Image.Image) -> int | None:
    """Return the orientation of the stored rows.

    Pillow rotates a TIFF while it decodes and then drops its EXIF data, but not its tags.
    """
    tags = picture.tag_v2 if isinstance(picture, TiffImagePlugin.TiffImageFile) else picture.getexif()
    orientation: int | None = tags.get(_ORIENTATION)
    return orientation


def read_dpi(picture: Image.Image) -> tuple[float, float]:
    """Return the stated dots per inch (across, down), or the assumed ones; fax pictures have unequal values."""
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
    """Return the picture as grey or RGB on white, or on black where it shows only light ink."""
    if picture.mode in {"L", "RGB"}:
        return picture
    if picture.mode in {"1", "I;16", "I;16B", "I", "F"}:
        return _to_grey(picture)
    if picture.mode in {"LA", "La", "PA", "RGBa", "RGBA"} or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        paper = Image.new("RGB", layer.size, "black" if _is_light_ink(layer) else "white")
        paper.paste(layer, mask=layer.getchannel("A"))
        return paper
    return picture.convert("RGB")


_LIGHT: Final = 200
"""Grey level from which ink is too light to be read on white."""
_OPAQUE: Final = 128
"""Opacity from which a pixel is ink."""


def _is_light_ink(layer: Image.Image) -> bool:
    """Return whether a mostly transparent RGBA picture has only light ink: white letters for a dark page."""
    ink = layer.getchannel("A").point(lambda alpha: 255 if alpha >= _OPAQUE else 0)
    levels = layer.convert("L").histogram(ink)
    count = sum(levels)
    return 0 < count < layer.width * layer.height / 2 and sum(levels[:_LIGHT]) <= 0.01 * count


def _to_grey(picture: Image.Image) -> Image.Image:
    """Scale sixteen-bit and float pictures by their range; Pillow's own conversion would clip them to white."""
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
    """Return pixels per point along the finer axis, so that a fax gets square pixels, up to `LONGEST_SIDE`."""
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

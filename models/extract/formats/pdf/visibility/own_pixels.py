"""The pixels of a page's images as stored, read without drawing the page: a third of the time, for a first check."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from quire.models.cdom.geometry import Bbox
from quire.models.extract.formats.pdf.engine import BROKEN, mupdf

Grey = npt.NDArray[np.uint8]
_APART: Final = 1.5
"""Points by which the boxes of a picture block and its image may differ."""
_MOST_PIXELS: Final = 5_000_000
"""Pixels of an image that is read: unpacking a larger one takes longer than reading the page."""
_OPAQUE: Final = 250
"""Least mean (0..255) of an image's own mask with which it hides everything under it."""


class OwnPixels:
    """Images of an unrotated page by order; `blocks` are the engine's, which `text_page` keeps alive."""

    def __init__(self, text_page: Any, blocks: Mapping[int, Any], boxes: Mapping[int, Bbox]) -> None:
        self._text_page, self._blocks, self._boxes = text_page, blocks, boxes
        self._whole: dict[int, Grey | None] = {}

    def __call__(self, area: Bbox, dpi: int) -> Grey | None:
        """Return the image in the area as grey levels at `dpi`; None where only a drawing shows its look."""
        fitting = [order for order, box in self._boxes.items() if _overlaps(box, area)]
        if len(fitting) != 1 or not _agree(self._boxes[fitting[0]], area):
            return None
        try:
            return self._read(fitting[0], area, dpi)
        except BROKEN:
            return None

    def _read(self, order: int, area: Bbox, dpi: int) -> Grey | None:
        image, matrix = _describe(self._blocks[order])
        stored = image.m_internal
        level = matrix.a > 0 and matrix.d > 0 and not matrix.b and not matrix.c
        if not level or stored.imagemask or not stored.colorspace or not 0 < stored.w * stored.h <= _MOST_PIXELS:
            return None
        if stored.mask and _mean_of(stored.mask) < _OPAQUE:
            return None
        width, height = (max(1, round((area[axis + 2] - area[axis]) * dpi / 72)) for axis in (0, 1))
        pixels = self._unpack(order, image, width, height)
        if pixels is None:
            return None
        grey = _to_grey(pixels, height, width)
        return _stretch(np.ascontiguousarray(_stretch(grey, height).T), width).T

    def _unpack(self, order: int, image: Any, width: int, height: int) -> Grey | None:
        """Return rows × columns × colours, one or three; None for images of other colours.

        A JPEG is unpacked at an eighth to a half of its size where that suffices, other images once. It is opened again
        for that: the engine returns an image that it knows at any cached size, and the same page must always look the
        same.
        """
        packed = mupdf.ll_fz_compressed_image_buffer(image.m_internal)
        if packed and packed.params.type == mupdf.FZ_IMAGE_JPEG:
            fresh = mupdf.fz_new_image_from_buffer(mupdf.FzBuffer(mupdf.ll_fz_keep_buffer(packed.buffer)))
            matrix = mupdf.FzMatrix(width, 0, 0, height, 0, 0)  # must outlive its inner value
            stored, _, _ = mupdf.ll_fz_get_pixmap_from_image(fresh.m_internal, None, matrix.internal())
            return _as_array(mupdf.FzPixmap(stored))
        if order not in self._whole:
            self._whole = {order: _as_array(mupdf.fz_get_unscaled_pixmap_from_image(image))}
        return self._whole[order]


def _overlaps(a: Bbox, b: Bbox) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _agree(a: Bbox, b: Bbox) -> bool:
    return all(abs(p - q) <= _APART for p, q in zip(a, b, strict=True))


def _as_array(pixmap: Any) -> Grey | None:
    """Return a copy of the pixmap's pixels; None for transparent ones and for colours other than RGB and grey."""
    own = pixmap.m_internal
    space = mupdf.FzColorspace(mupdf.ll_fz_keep_colorspace(own.colorspace)) if own.colorspace else None
    if space is None or own.alpha or not (mupdf.fz_colorspace_is_rgb(space) or mupdf.fz_colorspace_is_gray(space)):
        return None
    rows = np.frombuffer(mupdf.fz_pixmap_samples_memoryview(pixmap), np.uint8).reshape(own.h, own.stride)
    return rows[:, : own.w * own.n].reshape(own.h, own.w, own.n).copy()


def _mean_of(mask: Any) -> float:
    """Return the mean opacity of an image's mask, 0 to 255."""
    image = mupdf.FzImage(mupdf.ll_fz_keep_image(mask))
    if mask.w * mask.h > _MOST_PIXELS:
        return 0.0
    pixmap = mupdf.fz_get_unscaled_pixmap_from_image(image)
    return float(np.frombuffer(mupdf.fz_pixmap_samples_memoryview(pixmap), np.uint8).mean())


def _describe(block: Any) -> tuple[Any, Any]:
    """Return a block's image and its matrix; the engine gives them only for blocks of the image type."""
    original_type, block.type = block.type, mupdf.FZ_STEXT_BLOCK_IMAGE
    try:
        wrapped = mupdf.FzStextBlock(block)
        return wrapped.i_image(), wrapped.i_transform()
    finally:
        block.type = original_type


def _to_grey(pixels: Grey, height: int, width: int) -> Grey:
    """Return grey levels of at least that size and less than twice it, as means of up to four pixels in a step."""
    down, across = max(1, pixels.shape[0] // height), max(1, pixels.shape[1] // width)
    every = pixels[:: max(1, down // 2), :: max(1, across // 2)]
    light: npt.NDArray[np.uint16] = every[:, :, 0].astype(np.uint16)
    if every.shape[2] != 1:
        light = ((every[:, :, 0].astype(np.uint16) + every[:, :, 1] + every[:, :, 1] + every[:, :, 2]) >> 2).astype(
            np.uint16
        )
    if down > 1:
        even = light.shape[0] // 2 * 2
        light = ((light[0:even:2] + light[1:even:2]) >> 1).astype(np.uint16)
    if across > 1:
        even = light.shape[1] // 2 * 2
        light = ((light[:, 0:even:2] + light[:, 1:even:2]) >> 1).astype(np.uint16)
    return light.astype(np.uint8)


def _stretch(grey: Grey, count: int) -> Grey:
    """Resample to `count` rows, each interpolated between the two nearest."""
    if grey.shape[0] == count:
        return grey
    positions = (np.arange(count) + 0.5) * (grey.shape[0] / count) - 0.5
    positions = positions.clip(0, grey.shape[0] - 1)
    first = positions.astype(np.intp)
    second = np.minimum(first + 1, grey.shape[0] - 1)
    share = ((positions - first) * 256).astype(np.uint16)[:, None]
    mixed: Grey = ((grey[first] * (256 - share) + grey[second] * share) >> 8).astype(np.uint8)
    return mixed

"""Pages and parts of pages as PNG bytes, limited to a number of pixels."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PixelPage
from quire.models.extract.contract import PageContent
from quire.models.extract.formats.pdf.engine import BROKEN, pymupdf

ASSET_DPI = 144
"""Dots per inch of an extracted picture: twice a screen's 72, so that its small labels are legible."""

_MOST_GREY_PIXELS = 1_500_000
"""Pixels of a picture that is only classified: a whole page at 100 dots per inch."""
_MOST_IMAGE_PIXELS = 5_000_000
"""Pixels of an image on a page whose pictures are classified: unpacking larger ones is slower than reading the page."""

_DETECTOR_SIDE = 1024
"""Pixels along the longer side of a page image for the detector: its input size."""
_DPI_UNIT = 72.0
"""Points per inch."""
_LEAST_DPI, _MOST_DPI = 20, 150
"""Range of dots per inch for drawing a page: posters stay legible and labels are not enlarged."""


def render_area(page: Any, area: Bbox | None, dpi: int, max_pixels: int, *, grey: bool = False) -> bytes:
    """Return the page or `area` of it (points, after rotation) as PNG; lower `dpi` to stay under `max_pixels`."""
    box = pymupdf.Rect(area) if area else page.rect
    scale = fit_scale(box.width, box.height, dpi, max_pixels)
    pixmap = page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale),
        clip=box if area else None,
        alpha=False,
        colorspace=pymupdf.csGRAY if grey else pymupdf.csRGB,
    )
    return bytes(pixmap.tobytes("png"))


def render_only(page: Any, areas: Sequence[Bbox], dpi: int, max_pixels: int) -> bytes:
    """Return the page as PNG with only `areas` (points, after rotation) drawn on white."""
    scale = fit_scale(page.rect.width, page.rect.height, dpi, max_pixels)
    matrix = pymupdf.Matrix(scale, scale)
    sheet = pymupdf.Pixmap(pymupdf.csRGB, (page.rect * matrix).irect, False)
    sheet.clear_with(255)
    for area in areas:
        part = page.get_pixmap(matrix=matrix, clip=pymupdf.Rect(area), alpha=False, colorspace=pymupdf.csRGB)
        sheet.copy(part, part.irect)
    return bytes(sheet.tobytes("png"))


def fit_scale(width: float, height: float, dpi: int, max_pixels: int) -> float:
    """Return pixels per point at `dpi`, lowered so that width × height (points) has at most `max_pixels`."""
    scale = dpi / 72
    pixels = width * height * scale * scale
    return scale if pixels <= max_pixels else scale * sqrt(max_pixels / pixels) * 0.999


def draw_doubted(page: Any, content: PageContent, options: ReadOptions) -> PixelPage:
    """Return the page's image at the detector's input size."""
    fitting_dpi = _DETECTOR_SIDE * _DPI_UNIT / max(content.width, content.height, 1.0)
    dpi = min(max(int(fitting_dpi), _LEAST_DPI), _MOST_DPI)
    image = render_area(page, None, dpi, options.max_image_pixels)
    return PixelPage(number=content.number, image=image, width=content.width, height=content.height)


def render_picture_blocks(page: Any, content: PageContent, options: ReadOptions) -> dict[str, bytes]:
    """Return PNG by asset_ref for every picture block with a box; skip those that cannot be drawn."""
    assets: dict[str, bytes] = {}
    for block in content.blocks:
        if block.asset_ref is None or block.bbox is None:
            continue
        try:
            assets[block.asset_ref] = render_area(page, block.bbox, ASSET_DPI, options.max_image_pixels)
        except BROKEN:
            continue
    return assets


class GreyDrawer:
    """Draws parts of a page as grey levels, from one list of what the page paints."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._list: Any = None

    def draw(self, area: Bbox, dpi: int) -> npt.NDArray[np.uint8] | None:
        """Return a part of the page, height × width; None where drawing would take too long or fails."""
        scale = fit_scale(area[2] - area[0], area[3] - area[1], dpi, _MOST_GREY_PIXELS)
        try:
            if self._list is None:
                if any(image[2] * image[3] > _MOST_IMAGE_PIXELS for image in self._page.get_images()):
                    return None
                self._list = self._page.get_displaylist()
            drawn = self._list.get_pixmap(
                matrix=pymupdf.Matrix(scale, scale), clip=pymupdf.Rect(area), alpha=False, colorspace=pymupdf.csGRAY
            )
        except BROKEN:
            return None
        return np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.h, drawn.stride)[:, : drawn.w]

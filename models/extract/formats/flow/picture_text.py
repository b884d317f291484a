"""Pictures of a flowing document for a recogniser: each is read as a separate page. Pixels out, no text."""

from collections.abc import Callable, Sequence
from typing import Final

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import bbox_area
from quire.models.cdom.original import IMAGE_FORMATS, ReadOptions
from quire.models.cdom.ports import PixelPage
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageContent, ReadArea
from quire.models.extract.formats.common.image_frame import ImageFrame, decode_frame, flatten, open_picture
from quire.models.extract.formats.flow.blocks import FlowBlock
from quire.models.extract.formats.sniffing.signatures import sniff

MAX_PICTURES: Final = 100
"""Pictures of a document that are recognised."""
MAX_BYTES: Final = 64 * 1024 * 1024
"""Bytes of the pixels of one page's pictures: they are in memory until they are sent."""
_LEAST_SIDES: Final = (12, 40)
"""Pixels of the shorter and the longer side of a picture that can hold a word."""
_GROUND: Final = 0.2
"""Share of pixels about as light as the most common grey: photographs have less, printed text more."""
_NEAR: Final = 16
"""Levels of grey that count as one ground."""
_GLANCE: Final = 400
"""Pixels of the longer side at which the ground is measured."""
_FEW_CHARS: Final = 60
"""Characters of text below which a page of this size is what its picture shows."""
_FILLS: Final = 0.5
"""Share of a slide from which a picture fills it."""
_PAGE_POINTS: Final = 40_000.0
"""Size (square points) of a picture that can be a page."""


def draw_pictures(
    content: PageContent, blocks: Sequence[FlowBlock], read: Callable[[str], bytes], options: ReadOptions, fresh: int
) -> tuple[tuple[ReadArea, ...], tuple[PixelPage, ...], bool]:
    """Return the pictures of a page that a recogniser should read, and whether some exceed the limits.

    Args:
        content: The page; its blocks are those of `blocks`.
        blocks: The blocks with the names of their pictures.
        read: Returns the bytes of a picture by its name.
        options: Limits on pixels.
        fresh: How many more pictures of the document may be read.
    """
    areas: list[ReadArea] = []
    pages: list[PixelPage] = []
    names: set[str] = set()
    size = 0
    for index, block in enumerate(blocks):
        if not block.asset or block.asset in names or HIDDEN_TEXT in block.flags:
            continue
        names.add(block.asset)
        frame = _decode(read(block.asset), options.max_image_pixels)
        if frame is None:
            continue
        if len(pages) >= fresh or size + len(frame.png) > MAX_BYTES:
            return tuple(areas), tuple(pages), True
        size += len(frame.png)
        areas.append(ReadArea(bbox=(0.0, 0.0, frame.width, frame.height), block=index, adds=True))
        pages.append(PixelPage(number=content.number, image=frame.png, width=frame.width, height=frame.height))
    return tuple(areas), tuple(pages), False


def _decode(data: bytes, max_pixels: int) -> ImageFrame | None:
    """Return the pixels of a picture that may show text; None for photographs, icons and drawings."""
    try:
        format_ = sniff(data) if data else None
        if format_ not in IMAGE_FORMATS:
            return None
        with open_picture(data, format_, max_pixels) as picture:
            if min(picture.size) < _LEAST_SIDES[0] or max(picture.size) < _LEAST_SIDES[1]:
                return None
            glance = flatten(picture.copy()).convert("L")
            glance.thumbnail((_GLANCE, _GLANCE))
            levels = glance.histogram()
            ground = levels.index(max(levels))
            near = sum(levels[max(0, ground - _NEAR) : ground + _NEAR + 1])
            if near == sum(levels) or near < _GROUND * sum(levels):
                return None
            return decode_frame(picture, max_pixels)
    except (ExtractError, OSError, ValueError):
        return None


def fills_page(content: PageContent, area: ReadArea) -> bool:
    """Return whether the picture is what its page shows: it fills a slide, or the page has hardly any text."""
    from quire.models.extract.coverage.total import count_written  # with numpy, which no command needs at its start

    width, height = area.bbox[2], area.bbox[3]
    box = content.blocks[area.block].bbox
    if content.width and box is not None and bbox_area(box) >= _FILLS * content.width * content.height:
        return True
    return count_written(block for block in content.blocks if block.type is not BlockType.PICTURE) < _FEW_CHARS and (
        width * height >= _PAGE_POINTS
    )

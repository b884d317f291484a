"""Pictures as documents: a TIFF has a page per frame; PNG, JPEG, WebP, BMP and a GIF's first frame are one page.

In: bytes. Out: pages without a text layer, each with pixels for a recogniser. Showing a stand-alone picture unchanged
needs no reader.
"""

from typing import Final

import PIL

from quire.models.cdom.errors import ErrorCode, Malformed, TooManyPages, UnsupportedFormat
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Format, OcrMode, ReadOptions
from quire.models.cdom.ports import PageImage, PixelPage
from quire.models.cdom.tree import Route
from quire.models.extract.contract import DocumentFacts, PageContent, PageRead, failed_page
from quire.models.extract.formats.common.image_frame import count_frames, decode_frame, open_picture, pillow_errors
from quire.models.extract.formats.common.page_selection import choose_pages
from quire.models.extract.formats.sniffing.signatures import sniff

ENGINE: Final = "pillow"
MOST_FRAMES: Final = 50_000
"""Greatest number of frames; the frames of a TIFF form a chain that must be followed to count them."""


class ImageDocument:
    """One picture file. Not thread-safe."""

    def __init__(self, data: bytes, options: ReadOptions) -> None:
        self._data, self._options, self._format = data, options, sniff(data)
        self._picture = open_picture(data, self._format, options.max_image_pixels)
        self._decoded = 0
        count = count_frames(self._picture, MOST_FRAMES) if self._format is Format.TIFF else 1
        if count > MOST_FRAMES:
            raise TooManyPages(f"{count} frames, {MOST_FRAMES} allowed")
        numbers = choose_pages(count, options)
        self._facts = DocumentFacts(format=self._format, page_count=count, page_numbers=numbers)

    @property
    def facts(self) -> DocumentFacts:
        """Format, number of frames and the frames to read."""
        return self._facts

    def read_page(self, number: int) -> PageRead:
        """Return frame `number` (1-based) for a recogniser, marked as failed when it does not decode.

        Raises:
            ResourceLimit: The frame has too many pixels.
        """
        try:
            self._seek(number)
            frame = decode_frame(self._picture, self._options.max_image_pixels)
        except Malformed:
            return PageRead(content=failed_page(number, ErrorCode.MALFORMED))
        route, reason = _plan(self._options)
        content = PageContent(
            number=number,
            width=frame.width,
            height=frame.height,
            route=route,
            reason=reason,
            engine=ENGINE,
            version=PIL.__version__,
        )
        if route is not Route.OCR:
            return PageRead(content=content)
        return PageRead(
            content=content,
            pixels=PixelPage(number=number, image=frame.png, width=frame.width, height=frame.height),
        )

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        """Return the frame as a new PNG at `dpi`, which holds only the file's pixels.

        Raises:
            ExtractError: The frame does not exist, does not decode or is too large, or an area is requested.
        """
        if area is not None:
            raise UnsupportedFormat("a picture has no pictures of its own")
        if not 1 <= number <= self._facts.page_count:
            raise Malformed(f"no page {number}")
        self._seek(number)
        frame = decode_frame(self._picture, self._options.max_image_pixels, dpi)
        return PageImage(png=frame.png, width=frame.width, height=frame.height, page_count=self._facts.page_count)

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        """Return no assets: the page itself is the picture."""
        return {}

    def close(self) -> None:
        """Close the picture."""
        self._picture.close()

    def _seek(self, number: int) -> None:
        """Go to a frame; reopen the file to repeat one, because Pillow loses its stored orientation."""
        if number == self._decoded:
            self._picture = open_picture(self._data, self._format, self._options.max_image_pixels)
        self._decoded = number
        with pillow_errors():
            self._picture.seek(number - 1)


def open_image(data: bytes, options: ReadOptions) -> ImageDocument:
    """Open the picture in `data`.

    Raises:
        Malformed: The file cannot be read as a picture.
        NoSuchPage: A requested frame does not exist.
        TooManyPages: The file has too many frames.
        ResourceLimit: The picture has too many pixels.
    """
    return ImageDocument(data, options)


def _plan(options: ReadOptions) -> tuple[Route, str]:
    if options.ocr is OcrMode.NEVER:
        return Route.NONE, "image, ocr off"
    return Route.OCR, "image"

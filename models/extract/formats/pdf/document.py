"""An open PDF: reopens the file to keep memory bounded and turns engine errors into ours."""

from typing import Any

from models.cdom.errors import Encrypted, ErrorCode, ExtractError, Malformed, ResourceLimit
from models.cdom.faults import own_fault
from models.cdom.geometry import Bbox
from models.cdom.original import ReadOptions
from models.cdom.ports import DetectedPage, PageImage
from models.extract.contract import DocumentFacts, PageContent, PageRead, failed_page
from models.extract.formats.pdf.engine import BROKEN, FAILURES, EngineFile, ran_out_of_memory, without_collector
from models.extract.formats.pdf.facts import find_facts, is_tagged
from models.extract.formats.pdf.page import read_pdf_page
from models.extract.formats.pdf.render import render_area, render_picture_blocks
from models.extract.formats.pdf.visibility.clipped import layers_off

PAGES_PER_OPEN = 100
"""Pages per open file: MuPDF caches grow with each page (49 → 461 MB over 2,000); reopening costs 2 ms."""


class PdfDocument:
    """One PDF. Not thread-safe. Keeps `data` because the file is reopened every `PAGES_PER_OPEN` pages."""

    def __init__(self, data: bytes, options: ReadOptions) -> None:
        self._data, self._options = data, options
        self._engine = _open_engine(data, options.password)
        self._pages_read = self._chars_read = 0
        self._layers = layers_off(self._engine)
        self._is_tagged = is_tagged(self._engine)
        try:
            self._facts = find_facts(self._engine, options)
        except BROKEN as error:
            raise _as_extract_error(error) from error

    @property
    def facts(self) -> DocumentFacts:
        """Format, page numbers, metadata, outline and warnings of the file."""
        return self._facts

    def read_page(self, number: int) -> PageRead:
        """Return the content of page `number` (1-based), marked as failed when it cannot be read.

        Raises:
            ResourceLimit: Memory ran out, or the file has more text than allowed.
        """
        self._reopen_when_due()
        read = self._read(number)
        self._chars_read += sum(len(block.text) for block in read.content.blocks)
        if self._chars_read > self._options.max_text_chars:
            raise ResourceLimit("more text than allowed")
        return read

    def read_page_again(self, number: int, seen: DetectedPage) -> PageRead:
        """Read page `number` (1-based) again with the result of a layout detector.

        Raises:
            ResourceLimit: Memory ran out.
        """
        return self._read(number, seen)

    def _read(self, number: int, seen: DetectedPage | None = None) -> PageRead:
        try:
            with without_collector():
                page = self._engine[number - 1]
                return read_pdf_page(page, number, self._options, self._layers, tagged=self._is_tagged, seen=seen)
        except FAILURES as error:
            if ran_out_of_memory(error):
                raise ResourceLimit("memory") from error
            fault = own_fault(error)
            code = ErrorCode.MALFORMED if fault is None else ErrorCode.INTERNAL
            return PageRead(content=failed_page(number, code), fault=fault)

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        """Return page `number` or `area` of it as PNG, at a lower `dpi` when it would exceed the pixel limit."""
        if not 1 <= number <= self._facts.page_count:
            raise Malformed(f"no page {number}")
        try:
            page = self._engine[number - 1]
            png = render_area(page, area, dpi, self._options.max_image_pixels)
            return PageImage(png=png, width=page.rect.width, height=page.rect.height, page_count=self._facts.page_count)
        except FAILURES as error:
            raise _as_extract_error(error) from error

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        """Return PNG bytes of the page's picture blocks by asset name; skip those that cannot be drawn."""
        if not any(block.asset_ref for block in content.blocks):
            return {}
        return render_picture_blocks(self._engine[content.number - 1], content, self._options)

    def close(self) -> None:
        """Close the file in the engine."""
        self._engine.close()

    def _reopen_when_due(self) -> None:
        self._pages_read += 1
        if self._pages_read % PAGES_PER_OPEN == 0:
            self._engine.close()
            self._engine = _open_engine(self._data, self._options.password)


def open_pdf(data: bytes, options: ReadOptions) -> PdfDocument:
    """Open the PDF in `data`.

    Raises:
        Malformed: The file is broken or has no page.
        Encrypted: The file needs a password that was not given or is wrong.
        TooManyPages: More pages are requested than allowed.
        ResourceLimit: Memory ran out.
    """
    return PdfDocument(data, options)


def _open_engine(data: bytes, password: str | None) -> Any:
    try:
        engine = EngineFile(stream=data, filetype="pdf")
        if engine.needs_pass and not (password and engine.authenticate(password)):
            raise Encrypted("the file wants a password" if password is None else "wrong password")
        if engine.page_count < 1:
            raise Malformed("no page")
    except ExtractError:
        raise
    except FAILURES as error:
        raise _as_extract_error(error) from error
    return engine


def _as_extract_error(error: BaseException) -> ExtractError:
    if isinstance(error, ExtractError):
        return error
    if ran_out_of_memory(error):
        return ResourceLimit("memory")
    return Malformed("the file is broken")

"""An open PDF: reopens the file to keep memory bounded and turns engine errors into ours."""

from dataclasses import replace
from functools import partial
from typing import Any

from quire.models.cdom.errors import Encrypted, ErrorCode, ExtractError, Malformed, ResourceLimit
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.cdom.ports import DetectedPage, PageImage
from quire.models.cdom.tree import DAMAGED
from quire.models.extract.contract import (
    SECOND_ENGINE,
    TAGS_IGNORED,
    DocumentFacts,
    PageBlock,
    PageContent,
    PageRead,
    failed_page,
)
from quire.models.extract.coverage.total import count_written
from quire.models.extract.formats.common.collector import without_collector
from quire.models.extract.formats.pdf.annotations import name_attachments
from quire.models.extract.formats.pdf.engine import BROKEN, FAILURES, EngineFile, take_messages
from quire.models.extract.formats.pdf.facts import find_facts, find_label, has_attachments, is_labelled, is_tagged
from quire.models.extract.formats.pdf.opinions import doubt_content
from quire.models.extract.formats.pdf.page_digests import PageDigests
from quire.models.extract.formats.pdf.render import render_area, render_picture_blocks
from quire.models.extract.formats.pdf.repair import (
    ENCRYPTED_ATTACHMENT,
    REPAIRED,
    encrypts_attachments_only,
    is_cut_off,
    is_protected_otherwise,
    repair,
    rewrite,
    without_encryption,
)
from quire.models.extract.formats.pdf.structure.referee import Referee, save_copy
from quire.models.extract.formats.pdf.structure.tags import is_sound
from quire.models.extract.formats.pdf.visibility.clipped import layers_off
from quire.models.extract.pipeline.kept_pages import move_content
from quire.models.extract.pipeline.page import PageColumns, read_marks, read_printed
from quire.models.extract.steps import Steps, read_in_steps
from quire.models.faults import own_fault, ran_out_of_memory

PAGES_PER_OPEN = 100
"""Pages per open file: MuPDF caches grow with each page (49 → 461 MB over 2,000); reopening costs 2 ms."""


class PdfDocument:
    """One PDF. Not thread-safe. Keeps `data` because the file is reopened every `PAGES_PER_OPEN` pages."""

    def __init__(self, data: bytes, options: ReadOptions) -> None:
        self._options = options
        self._data, self._engine, warnings = _open_file(data, options.password)
        self._referee = Referee(self._data, options.password)
        self._pages_read = self._chars_read = 0
        self._is_tagged = self._is_labelled = False
        self._layers: tuple[int, ...] = ()
        self._attached: list[PageBlock] = []
        try:
            facts, steps = read_in_steps(self._find_structure)
        except BROKEN as error:
            raise _as_extract_error(error) from error
        if self._is_tagged and not is_sound(self._engine):
            self._is_tagged, warnings = False, (*warnings, TAGS_IGNORED)
        self._facts = replace(facts, warnings=(*facts.warnings, *warnings, *steps.warnings))

    def _find_structure(self, steps: Steps) -> DocumentFacts:
        """Find everything that concerns the file as a whole."""
        engine = self._engine
        self._layers = steps.run("layers", (), layers_off, engine)
        self._attached = steps.run("attachments", [], name_attachments, engine) if has_attachments(engine) else []
        self._is_tagged, self._is_labelled = is_tagged(engine), is_labelled(engine)
        return find_facts(engine, self._options, steps)

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
        def read_first(steps: Steps) -> PageRead:
            take_messages()
            page = self._engine[number - 1]
            columns = PageColumns(
                self._options, number, page, self._layers,
                tagged=self._is_tagged, referee=self._referee, detected=seen,
            )  # fmt: skip
            read = read_printed(columns, steps)
            return replace(read, content=self._complete(read.content, page))

        try:
            with without_collector():
                return _tell_steps(*read_in_steps(read_first))
        except Malformed:
            return PageRead(content=failed_page(number, ErrorCode.MALFORMED))
        except ExtractError:
            raise
        except Exception as error:
            if ran_out_of_memory(error):
                raise ResourceLimit("memory") from error
            return self._read_second(number, own_fault(error))

    def _read_second(self, number: int, fault: str | None) -> PageRead:
        """Return the words of a page that the second engine reads, a failed page where that refuses it too."""
        read, steps = read_in_steps(partial(self._read_words, number))
        if read is None or (fault is not None and not read.content.blocks):
            code = ErrorCode.MALFORMED if fault is None else ErrorCode.INTERNAL
            return PageRead(content=failed_page(number, code), fault=fault)
        read = _tell_steps(read, steps)
        return replace(read, fault=fault or read.fault)

    def _read_words(self, number: int, steps: Steps) -> PageRead | None:
        """Return a page of which only the second engine knows the words, None where it refuses the page."""
        marks = self._referee.read_page(number)
        if marks is None:
            return None
        marks.number = number
        marks.warnings.append(SECOND_ENGINE)
        if not marks.lines:
            doubt_content(marks)
        return read_marks(PageColumns(replace(self._options, ocr=OcrMode.NEVER), number, marks=marks), steps)

    def find_digests(self) -> dict[int, bytes]:
        """See `ComparesPages`. The first page of a file with attachments also names them, so it is left out."""
        try:
            digests = PageDigests(self._engine)
        except BROKEN:
            return {}
        found = {number: digests.find(number) for number in self._facts.page_numbers}
        tags = b"tagged" if self._is_tagged else b""
        return {n: digest + tags for n, digest in found.items() if digest and not (n == 1 and self._attached)}

    def move_page(self, content: PageContent, number: int) -> PageContent:
        """See `ComparesPages`."""
        moved = move_content(content, number)
        return replace(moved, label=find_label(self._engine[number - 1])) if self._is_labelled else moved

    def _complete(self, content: PageContent, page: Any) -> PageContent:
        """Add what the file states outside its pages: the page's label, and names of attachments to the first page."""
        if self._is_labelled:
            content = replace(content, label=find_label(page))
        if content.number == 1 and self._attached:
            blocks = (*content.blocks, *self._attached)
            content = replace(content, blocks=blocks, written=count_written(blocks))
        return content

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
        self._referee.close()

    def _reopen_when_due(self) -> None:
        self._pages_read += 1
        if self._pages_read % PAGES_PER_OPEN == 0:
            self._engine.close()
            self._engine = _open_engine(self._data, self._options.password)


def _tell_steps(read: PageRead, steps: Steps) -> PageRead:
    """Return the page with warnings about steps that were left out."""
    if not steps.left_out:
        return read
    return replace(
        read, content=replace(read.content, warnings=(*read.content.warnings, *steps.warnings)), fault=steps.fault
    )


def open_pdf(data: bytes, options: ReadOptions) -> PdfDocument:
    """Open the PDF in `data`.

    Raises:
        Malformed: The file is broken or has no page.
        Encrypted: The file needs a password that was not given or is wrong.
        TooManyPages: More pages are requested than allowed.
        ResourceLimit: Memory ran out.
    """
    return PdfDocument(data, options)


def _open_file(data: bytes, password: str | None) -> tuple[bytes, Any, tuple[str, ...]]:
    """Open the file, or its repaired form where the engine refuses it; its bytes, the engine and warnings."""
    try:
        engine = _open_engine(data, password)
        cut = (DAMAGED,) if is_cut_off(data, repaired=engine.is_repaired) else ()
        return data, engine, (REPAIRED, *cut) if engine.is_repaired else cut
    except Encrypted:
        if _is_in_the_clear(data) and (clear := without_encryption(data)) != data:
            return clear, _open_engine(clear, None), (ENCRYPTED_ATTACHMENT,)
        if (decrypted := rewrite(data)) is not None:
            return decrypted, _open_engine(decrypted, None), ()
        raise
    except Malformed:
        if is_protected_otherwise(data):
            raise Encrypted("a kind of encryption that is not read") from None
        repaired = repair(data) or save_copy(data, password)
        if repaired is None and is_cut_off(data):
            raise Malformed("the file is cut off") from None
        if repaired is None:
            raise
        return repaired, _open_engine(repaired, password), (REPAIRED, DAMAGED) if is_cut_off(data) else (REPAIRED,)


def _is_in_the_clear(data: bytes) -> bool:
    engine = EngineFile(stream=data, filetype="pdf")
    try:
        return encrypts_attachments_only(engine)
    finally:
        engine.close()


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

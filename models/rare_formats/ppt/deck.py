"""A deck of PowerPoint 97 to 2003: slides in their order with notes and comments; a flow file out."""

from collections.abc import Iterator
from typing import Final

from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT, SPEAKER_NOTES
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.compound import CompoundFile, read_summary
from quire.models.extract.formats.common.parse_cache import keep
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.drawings import DRAWING, GROUP, DrawnRecord
from quire.models.extract.formats.flow.slide_order import is_slide_title, order_blocks
from quire.models.extract.formats.slides.inherit import Bullet
from quire.models.extract.formats.slides.text import as_heading
from quire.models.rare_formats.ppt.pictures import STREAM as PICTURES
from quire.models.rare_formats.ppt.pictures import PptPictures
from quire.models.rare_formats.ppt.records import (
    DOCUMENT_HEAD,
    MASTER,
    MASTERS,
    NOTES,
    NOTES_LIST,
    SLIDE,
    SLIDE_HEAD,
    SLIDES,
    STRING,
    ListedSlide,
    PptFile,
)
from quire.models.rare_formats.ppt.shapes import UNITS_PER_POINT, ShapeReader, SlideContext
from quire.models.rare_formats.ppt.text import (
    FOOTER,
    HEADER,
    SLIDE_NUMBER,
    STYLES_9,
    TITLES,
    TextContext,
    read_master_bullets,
    read_numbering,
    read_texts,
    text_blocks,
)

ENGINE: Final = "ppt"
CACHE_KEY: Final = "ppt"
_DRAWING_PART, _SHOW, _HEADS, _HEADS_FLAGS, _COMMENT = 0x040C, 0x03F9, 0x0FD9, 0x0FDA, 0x2EE0
"""Kinds of records of a slide, as the format numbers them."""
_ENVIRONMENT, _LINKS, _LINK, _LINK_HEAD = 0x03F2, 0x0409, 0x0FD7, 0x0FD3
"""Kinds of records of the document, as the format numbers them."""
_OUTLINE_9, _OUTLINE_9_HEAD = 0x0FAE, 0x0FAF
"""Kinds of records, as the format numbers them."""
_HIDDEN_SLIDE: Final = 0x0004
"""The bit that hides a slide in the show."""
_HAS_FOOTER: Final = 0x0020
"""The bit that shows the footer."""
_SLIDE_HEADS: Final = 3
"""Instance of the running heads that the document sets for its slides."""
_DEFAULT_SIZE: Final = (5760, 4320)
"""Master units of a 4:3 slide."""
_WEB: Final = ("http://", "https://", "mailto:")


def open_ppt(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the deck in `data`.

    Raises:
        ExtractError: The file is malformed, encrypted or unsupported, or exceeds a limit.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    compound = CompoundFile(data)
    file = keep(CACHE_KEY, data, PptFile(compound))
    pictures = PptPictures(file, compound.read((*file.storage, PICTURES)))
    deck = _PptDeck(file, pictures)
    pages = deck.read()
    return FlowFile(
        format=Format.PPT,
        pages=pages,
        engine=ENGINE,
        reason="slides",
        metadata=read_summary(compound),
        warnings=tuple(dict.fromkeys(deck.warnings)),
        assets=pictures,
    )


class _PptDeck:
    """One deck on its way to pages."""

    def __init__(self, file: PptFile, pictures: PptPictures) -> None:
        self._file, self._pictures = file, pictures
        self.warnings: list[str] = []
        self._notes = {entry.number: entry for entry in file.listed(NOTES_LIST)}
        self._masters = {entry.number: self._read_bullets(entry) for entry in file.listed(MASTERS)}
        self._links = dict(self._read_links())
        self._numberings = self._read_numberings()

    def read(self) -> list[FlowPage]:
        """Return the slides."""
        head = self._file.child(self._file.document, DOCUMENT_HEAD)
        width, height = self._file.numbers(head, "<ii")
        if width <= 0 or height <= 0:
            width, height = _DEFAULT_SIZE
        pages = []
        for number, entry in enumerate(self._file.listed(SLIDES), start=1):
            page = FlowPage(width / UNITS_PER_POINT, height / UNITS_PER_POINT)
            self._read_slide(entry, number, page)
            pages.append(page)
        return pages

    def _read_bullets(self, entry: ListedSlide) -> dict[int, list[bool]]:
        file = self._file
        environment = file.child(file.document, _ENVIRONMENT)
        bullets = read_master_bullets(file, file.children(environment)) if environment is not None else {}
        master = file.take(entry.object, MASTER)
        if master is not None:
            bullets |= read_master_bullets(file, file.children(master))
        return bullets

    def _read_links(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the target of each link to the web."""
        links = self._file.child(self._file.document, _LINKS)
        for link in self._file.children(links) if links is not None else ():
            if link.kind == _LINK:
                number = self._file.numbers(self._file.child(link, _LINK_HEAD), "<I")[0]
                target = self._file.child(link, STRING, 1)
                address = self._file.string(target) if target is not None else ""
                if address.lower().startswith(_WEB):
                    yield number, address

    def _read_numberings(self) -> dict[int, list[list[Bullet | None]]]:
        """Return the numbering of outline texts by slide, in the order of the texts."""
        found: dict[int, list[list[Bullet | None]]] = {}
        file = self._file
        information = file.child(file.document, 0x07D0)
        for record in file.tag_records(information, "___PPT9") if information is not None else ():
            if record.kind == _OUTLINE_9:
                slide = file.numbers(file.child(record, _OUTLINE_9_HEAD), "<I")[0]
                styles = file.child(record, STYLES_9)
                found.setdefault(slide, []).append(read_numbering(file.content(styles)) if styles is not None else [])
        return found

    def _read_slide(self, entry: ListedSlide, number: int, page: FlowPage) -> None:
        file = self._file
        slide = file.take(entry.object, SLIDE)
        if slide is None:
            page.warnings.append("part-unreadable")
            return
        master, notes = file.numbers(file.child(slide, SLIDE_HEAD), "<12xII")
        footer = self._find_footer(slide)
        signs = {SLIDE_NUMBER: str(number), FOOTER: footer, HEADER: ""}
        bullets = self._masters.get(master) or next(iter(self._masters.values()), {})
        context = SlideContext(
            read_texts(file, entry.texts), TextContext(bullets, self._links, signs), self._pictures,
            self._numberings.get(entry.number, []),
        )  # fmt: skip
        blocks = self._read_drawing(slide, context)
        for index, text in enumerate(context.outline):
            if index not in context.used:
                made = text_blocks(text, [], context.text)
                blocks += as_heading(made) if text.kind in TITLES else made
        if footer and not any(block.type is BlockType.PAGE_FOOTER and footer in block.text for block in blocks):
            page.footers.append(FlowBlock(BlockType.PAGE_FOOTER, footer))
        page.blocks = order_blocks(blocks)
        title = next((block.text for block in page.blocks if is_slide_title(block)), None)
        page.label = " ".join(title.split()) if title else None
        page.notes = [*self._read_notes(notes), *self._read_comments(slide)]
        page.warnings += context.warnings
        show = file.child(slide, _SHOW)
        if show is not None and file.numbers(show, "<10xH")[0] & _HIDDEN_SLIDE:
            page.warnings.append("hidden-slide")
            for block in page.in_order():
                block.flags = (*block.flags, HIDDEN_TEXT)
        for index, block in enumerate(page.in_order(), start=1):
            block.path = f"slide {number}#{index}"

    def _read_drawing(self, slide: DrawnRecord, context: SlideContext) -> list[FlowBlock]:
        group = self._find_group(slide)
        return list(ShapeReader(self._file, context).read(group)) if group is not None else []

    def _find_group(self, slide: DrawnRecord) -> DrawnRecord | None:
        part = self._file.child(slide, _DRAWING_PART)
        drawing = self._file.child(part, DRAWING) if part is not None else None
        return self._file.child(drawing, GROUP) if drawing is not None else None

    def _find_footer(self, slide: DrawnRecord) -> str:
        """Return the footer that the slide's master shows, from the slide or from the document."""
        file = self._file
        heads = file.child(slide, _HEADS) or file.child(file.document, _HEADS, _SLIDE_HEADS)
        if heads is None or not file.numbers(file.child(heads, _HEADS_FLAGS), "<HH")[1] & _HAS_FOOTER:
            return ""
        text = file.child(heads, STRING, 2)
        return clean(file.string(text)).strip() if text is not None else ""

    def _read_notes(self, number: int) -> Iterator[FlowBlock]:
        entry = self._notes.get(number) if number else None
        notes = self._file.take(entry.object, NOTES) if entry is not None else None
        group = self._find_group(notes) if notes is not None else None
        if group is not None and entry is not None:
            context = SlideContext(read_texts(self._file, entry.texts), TextContext(links=self._links), self._pictures)
            if text := ShapeReader(self._file, context).read_notes(group):
                yield FlowBlock(BlockType.FOOTNOTE, text, flags=(SPEAKER_NOTES,))

    def _read_comments(self, slide: DrawnRecord) -> Iterator[FlowBlock]:
        for record in self._file.tag_records(slide, "___PPT10"):
            text = self._file.child(record, STRING, 1) if record.kind == _COMMENT else None
            if text is not None and (spoken := clean(self._file.string(text)).strip()):
                yield FlowBlock(BlockType.FOOTNOTE, spoken, flags=(COMMENT,))

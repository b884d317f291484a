"""A Word file assembled from its parts: a package in, pages of drafts, metadata and warnings out.

Finds the document by relationship, not by name. Missing or broken parts are left out with a warning.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

from quire.models.cdom.errors import ExtractError, Malformed, ResourceLimit, UnsupportedFormat
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.common.opc import Package, Relations, read_metadata
from quire.models.extract.formats.common.xml import BrokenPart, Element, W, is_on, val
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, adopt, flatten
from quire.models.extract.formats.flow.charts import part_caption
from quire.models.extract.formats.flow.document import Assets, FlowDocument
from quire.models.extract.formats.sheets.charts import read_chart
from quire.models.extract.formats.sheets.xlsx.workbook import find_embedded
from quire.models.extract.formats.sniffing.signatures import sniff
from quire.models.extract.formats.word.docx.body import BodyReader, Desk
from quire.models.extract.formats.word.docx.fields import FieldStack
from quire.models.extract.formats.word.docx.notes import NoteBook, NotePart, read_note_part
from quire.models.extract.formats.word.docx.numbering import ListCounter
from quire.models.extract.formats.word.docx.pages import FlatPage, Section, StatedPages, read_sections
from quire.models.extract.formats.word.docx.pieces import Chart, NoteKind
from quire.models.extract.formats.word.docx.runs import Story
from quire.models.extract.formats.word.docx.styles import StyleSheet
from quire.models.extract.registry import INSIDE, find_reader

MAX_CHUNKS: Final = 200
"""Embedded documents; programs that build reports from pieces embed some dozens."""
_BETWEEN: Final = "\0"
"""Separator between the name of a part and that of a picture in it, which no part name contains."""


@dataclass(slots=True)
class ChunkReader:
    """Reads parts of one package and gives the pictures of all of them unique names."""

    package: Package
    assets: dict[str, Assets] = field(default_factory=dict)
    count: int = 0

    def size(self, name: str) -> int:
        """Return the size of a picture in bytes."""
        part, _, inner = name.partition(_BETWEEN)
        return self.assets[part].size(inner) if inner else self.package.size(part)

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture."""
        part, _, inner = name.partition(_BETWEEN)
        return self.assets[part].read(inner) if inner else self.package.read(part)

    def blocks(self, part: str, read_word: Callable[[bytes], tuple[list[FlowBlock], Assets]]) -> list[FlowBlock] | None:
        """Return the blocks of an embedded document, or None when its format is not read.

        Raises:
            ResourceLimit: There are more than `MAX_CHUNKS` embedded documents.
        """
        self.count += 1
        if self.count > MAX_CHUNKS:
            raise ResourceLimit(f"more than {MAX_CHUNKS} documents inside one")
        try:
            data = self.package.read(part)
            format_ = sniff(data)
            blocks, self.assets[part] = read_word(data) if format_ is Format.DOCX else _read(format_, data)
        except ResourceLimit:
            raise
        except ExtractError:
            return None
        for block in blocks:
            block.path = f"{part} {block.path}" if block.path else part
            block.asset = f"{part}{_BETWEEN}{block.asset}" if block.asset else None
        return blocks


def _read(format_: Format, data: bytes) -> tuple[list[FlowBlock], Assets]:
    """Return the blocks and pictures of an embedded document other than a Word file.

    Raises:
        ExtractError: The format is not read inside a Word file, or the document is broken.
    """
    if format_ not in INSIDE[Format.DOCX]:
        raise UnsupportedFormat(f"{format_.value} inside a Word file")
    document = cast(FlowDocument, find_reader(format_)(data, ReadOptions()))
    return [block for page in document.written() for block in page], document.pictures


_NOTE_PARTS: Final = {
    NoteKind.FOOTNOTE: ("footnotes", "footnotePr", "decimal"),
    NoteKind.ENDNOTE: ("endnotes", "endnotePr", "lowerRoman"),
    NoteKind.COMMENT: ("comments", "commentPr", "decimal"),
}
_TRACKED: Final = (W + "ins", W + "del", W + "moveFrom", W + "moveTo")


class WordFile:
    """One package on its way to pages. `read` once; then `metadata`, `warnings` and `assets` are complete.

    `inside`: it is embedded in another Word file, and its own embedded documents are only reported.
    """

    def __init__(self, package: Package, *, inside: bool = False) -> None:
        self._package, self._inside = package, inside
        self.assets = ChunkReader(package)
        self.warnings: list[str] = list(package.warnings)
        self._part = self._find_document()
        self._relations = self._read_relations(self._part)
        styles = self._related("styles")
        self._styles = StyleSheet(styles)
        self._settings = self._related("settings")
        self.metadata: Metadata = read_metadata(self._read_core(), styles)

    def read(self) -> list[FlowPage]:
        """Return all pages in order.

        Raises:
            ExtractError: The document is missing, broken or too large.
        """
        root = self._package.xml(self._part)
        body = root.find(W + "body") if root is not None and root.tag == W + "document" else None
        if root is None or root.tag != W + "document":
            raise UnsupportedFormat("the package holds no word-processing document")
        sections = read_sections(body) if body is not None else [Section()]
        pages = StatedPages(sections)
        if body is None:
            return pages.pages
        self._warn_about(root)
        self._note_stories: dict[NoteKind, Story] = {}
        notes = NoteBook(self._read_note_parts(), self._read_note)
        self._desk = Desk(ListCounter(self._related("numbering")), notes.call, self._read_chart, self._read_chunk)
        BodyReader(self._desk, self._make_story(root, self._relations), pages).read(body)
        _move_endnotes(pages.pages, notes.endnotes)
        self._add_running(pages, sections)
        return pages.pages

    def _find_document(self) -> str:
        relations = self._package.relations("")
        target = next((relation.target for relation in relations.values() if relation.kind == "officeDocument"), None)
        for name in (target, "word/document.xml"):
            if name is not None and self._package.has(name):
                return name
        raise Malformed("the package names no document part")

    def _read_relations(self, part: str) -> Relations:
        try:
            return self._package.relations(part)
        except BrokenPart:
            self._warn("part-unreadable")
            return {}

    def _related(self, kind: str) -> Element | None:
        """Return the root of the part of that kind, by its usual name when no relationship names one."""
        targets = (part.target for part in self._relations.values() if part.kind == kind and not part.external)
        named = next(targets, None)
        folder = self._part.rpartition("/")[0]
        return self._read_part(named or f"{folder}/{kind}.xml".lstrip("/"))

    def _read_part(self, name: str) -> Element | None:
        try:
            return self._package.xml(name)
        except BrokenPart:
            self._warn("part-unreadable")
            return None

    def _read_core(self) -> Element | None:
        relations = self._package.relations("").values()
        targets = (relation.target for relation in relations if relation.kind == "core-properties")
        return self._read_part(next(targets, "docProps/core.xml"))

    def _warn(self, code: str) -> None:
        if code not in self.warnings:
            self.warnings.append(code)

    def _warn_about(self, root: Element) -> None:
        if any(relation.kind == "vbaProject" for relation in self._relations.values()):
            self._warn("macros")
        if next(root.iter(*_TRACKED), None) is not None:
            self._warn("tracked-changes")

    def _make_story(self, root: Element, relations: Relations) -> Story:
        kinds = [node.get(W + "fldCharType") for node in root.iter(W + "fldChar") if not _is_deleted(node)]
        balanced = kinds.count("begin") == kinds.count("end")
        return Story(self._styles, relations, FieldStack(balanced=balanced), self._warn)

    def _read_note_parts(self) -> dict[NoteKind, NotePart]:
        parts: dict[NoteKind, NotePart] = {}
        for kind, (name, properties, format_) in _NOTE_PARTS.items():
            root = self._related(name)
            if root is not None:
                target = next((part.target for part in self._relations.values() if part.kind == name), "")
                self._note_stories[kind] = self._make_story(root, self._read_relations(target))
            stated = self._settings.find(f"{W}{properties}/{W}numFmt") if self._settings is not None else None
            parts[kind] = read_note_part(root, kind, val(stated) or format_)
        return parts

    def _read_note(self, kind: NoteKind, note: Element, page: FlatPage) -> None:
        BodyReader(self._desk, self._note_stories[kind], page).read(note)

    def _read_chart(self, chart: Chart) -> list[FlowBlock]:
        """Return a chart as a picture with its facts and values."""
        root = self._read_part(chart.part)
        if root is None:
            return [FlowBlock(BlockType.PICTURE, chart.alt)]
        return part_caption(read_chart(root, find_embedded(self._package, chart.part), chart.alt))

    def _read_chunk(self, rel_id: str) -> list[FlowBlock]:
        """Return the blocks of an embedded document; report a document that is not read."""
        relation = self._relations.get(rel_id)
        local = relation is not None and not relation.external and not self._inside
        blocks = self.assets.blocks(relation.target, self._read_inside) if relation is not None and local else None
        if blocks is None:
            self._warn("embedded-document")
        return blocks or []

    def _read_inside(self, data: bytes) -> tuple[list[FlowBlock], Assets]:
        """Return the blocks and assets of an embedded Word file.

        Raises:
            ExtractError: The file is malformed, encrypted or unsupported, or exceeds a limit.
        """
        word = WordFile(Package(data), inside=True)
        blocks = [block for page in word.read() for block in page.in_order()]
        for code in word.warnings:
            self._warn(code)
        return blocks, word.assets

    def _add_running(self, pages: StatedPages, sections: list[Section]) -> None:
        """Add headers and footers: each distinct text once, on its first page."""
        has_even = self._settings is not None and is_on(self._settings.find(W + "evenAndOddHeaders"))
        seen: set[tuple[BlockType, str]] = set()
        for section, first in zip(sections, pages.first_pages, strict=False):
            for type_, parts in ((BlockType.PAGE_HEADER, section.headers), (BlockType.PAGE_FOOTER, section.footers)):
                for kind in _running_order(section, bool(has_even)):
                    page_index = first + 1 if kind != "first" and section.title_page else first
                    page = pages.pages[min(page_index, len(pages.pages) - 1)]
                    running = page.headers if type_ is BlockType.PAGE_HEADER else page.footers
                    running += self._read_running(parts.get(kind, ""), type_, seen)

    def _read_running(self, rel_id: str, type_: BlockType, seen: set[tuple[BlockType, str]]) -> list[FlowBlock]:
        relation = self._relations.get(rel_id)
        root = self._read_part(relation.target) if relation is not None and not relation.external else None
        if root is None or relation is None:
            return []
        page = FlatPage()
        BodyReader(self._desk, self._make_story(root, self._read_relations(relation.target)), page).read(root)
        flat = flatten(page.current.blocks)
        key = (type_, flat.text or relation.target)
        if key in seen:
            return []
        seen.add(key)
        draft = FlowBlock(type_, flat.text, flat.spans)
        pictures = [child for child in flat.children if child.type is BlockType.PICTURE]
        return [draft, *adopt(pictures, draft)] if flat.text else pictures


def _running_order(section: Section, even: bool) -> list[str]:
    return [*(["first"] if section.title_page else []), "default", *(["even"] if even else [])]


def _is_deleted(node: Element) -> bool:
    return any(parent.tag in (W + "del", W + "moveFrom") for parent in node.iterancestors())


def _move_endnotes(pages: list[FlowPage], endnotes: list[FlowBlock]) -> None:
    """Move endnotes to the end of the document."""
    ids = {id(draft) for draft in endnotes}
    for page in pages:
        page.notes = [draft for draft in page.notes if id(draft) not in ids]
    pages[-1].notes += endnotes

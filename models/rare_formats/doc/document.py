"""A Word file of 1997 to 2003: its streams in, a flow file out. Macros and objects are reported, never run."""

import struct
from collections.abc import Iterator
from typing import Final

from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.compound import CompoundFile, read_summary
from quire.models.extract.formats.common.parse_cache import keep
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, join_runs
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.rare_formats.doc.fib import (
    COMMENTS,
    END_PLACES,
    ENDNOTES,
    NOTE_PLACES,
    NOTES,
    RUNNING,
    SECTIONS,
    SETTINGS,
    WordStreams,
    WordText,
    read_head,
)
from quire.models.rare_formats.doc.lists import read_lists
from quire.models.rare_formats.doc.paragraphs import WordParagraph, WordReader
from quire.models.rare_formats.doc.pictures import WordPictures
from quire.models.rare_formats.doc.sprms import read_sprms
from quire.models.rare_formats.doc.tables import WordTables

_SEPARATORS: Final = 6
"""Stories before those of the first section: the separators of notes."""
_EVEN, _FIRST = (0, 2), (4, 5)
"""Story numbers within a section for even pages and for its first page; 1 and 3 are for all other pages."""
_HEADERS: Final = (0, 1, 4)
"""Story numbers of headers; the others are footers."""
_TITLE_PAGE: Final = 0x300A
"""The property change that gives a section's first page its own headers and footers."""
_FACING: Final = 1
"""Bit of the settings: even pages have their own headers and footers."""
_SECTION_BYTES: Final = 12
"""Bytes of a section table entry after its position."""

RunningStory = tuple[BlockType, int, int]
"""Header or footer, its first character and its end."""


def running_stories(streams: WordStreams) -> Iterator[RunningStory]:
    """Yield the headers and footers that are enabled, section by section."""
    table = streams.part(RUNNING)
    count = len(table) // 4
    bounds = struct.unpack_from(f"<{count}i", table)
    titled = _find_title_pages(streams)
    facing = bool(streams.part(SETTINGS)[:1] and streams.part(SETTINGS)[0] & _FACING)
    story = streams.text + streams.notes
    for index in range(_SEPARATORS, count - 1):
        section, kind = divmod(index - _SEPARATORS, 6)
        is_enabled = facing if kind in _EVEN else kind not in _FIRST or (section < len(titled) and titled[section])
        start, end = bounds[index], min(bounds[index + 1], streams.headers)
        if is_enabled and 0 <= start < end:
            yield (BlockType.PAGE_HEADER if kind in _HEADERS else BlockType.PAGE_FOOTER), story + start, story + end


def _find_title_pages(streams: WordStreams) -> list[bool]:
    """Return for each section whether its first page has its own headers and footers."""
    table = streams.part(SECTIONS)
    count = max(0, (len(table) - 4) // (4 + _SECTION_BYTES))
    has_title_page: list[bool] = []
    for index in range(count):
        offset = struct.unpack_from("<i", table, 4 * (count + 1) + _SECTION_BYTES * index + 2)[0]
        size = struct.unpack_from("<H", streams.main, offset)[0] if 0 < offset <= len(streams.main) - 2 else 0
        changes = read_sprms(streams.main[offset + 2 : offset + 2 + size]) if size else iter(())
        has_title_page.append(any(code == _TITLE_PAGE and operand[:1] not in (b"", b"\0") for code, operand in changes))
    return has_title_page


ENGINE: Final = "doc"
CACHE_KEY: Final = "doc"
_COMMENT_PLACES: Final = 4
"""Number of the table with the positions of comment marks."""
_BODY_LEVEL: Final = 9
"""The outline level of text other than headings."""


def open_doc(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the Word file in `data`.

    Raises:
        ExtractError: The file is malformed, encrypted or unsupported, or exceeds a limit.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    file = CompoundFile(data)
    streams = read_head(file)
    words = keep(CACHE_KEY, data, (streams, WordText(streams)))[1]
    reader = _DocReader(streams, words, WordPictures(streams, file.read(file.find("Data") or ())))
    reader.read()
    warnings = ["macros"] if any("Macros" in path or "_VBA_PROJECT" in path for path in file.paths) else []
    warnings += ["embedded-object"] if any(path[0] == "ObjectPool" for path in file.paths) else []
    return FlowFile(
        format=Format.DOC,
        pages=reader.pages,
        engine=ENGINE,
        reason="word-file",
        metadata=read_summary(file),
        warnings=(*warnings, *reader.warnings),
        assets=reader.pictures,
    )


class _DocReader:
    """Turns paragraphs into blocks, page by page as the file states."""

    def __init__(self, streams: WordStreams, words: WordText, pictures: WordPictures) -> None:
        self._streams = streams
        self.pictures = pictures
        self.warnings: tuple[str, ...] = ()
        self._words = WordReader(streams, words)
        self._lists = read_lists(streams)
        self._tables = WordTables()
        self._items: dict[int, FlowBlock] = {}
        self._sections = set(_read_positions(streams.part(SECTIONS), 12))
        self._called: dict[int, FlowBlock] = {}
        self._count = 0
        self.pages = [FlowPage()]

    def read(self) -> None:
        """Read all stories into pages."""
        streams = self._streams
        for paragraph in self._words.read(0, streams.text):
            self._take(paragraph)
        self._end_table()
        boxes = streams.text + streams.notes + streams.headers + streams.comments + streams.endnotes
        for paragraph in self._words.read(boxes, boxes + streams.boxes):
            self._take(paragraph)
        self._end_table()
        comments = streams.text + streams.notes + streams.headers
        self._add_notes(streams.part(NOTE_PLACES), streams.part(NOTES), 2, streams.text, ())
        self._add_notes(streams.part(END_PLACES), streams.part(ENDNOTES), 2, comments + streams.comments, ())
        self._add_notes(streams.part(_COMMENT_PLACES), streams.part(COMMENTS), 30, comments, (COMMENT,))
        self._add_running()

    def _take(self, paragraph: WordParagraph) -> None:
        level = paragraph.nesting or int(paragraph.in_table)
        if not level:
            self._end_table()
            for block in self._make(paragraph):
                self._add(block)
            if paragraph.end == "\x0c" and paragraph.last + 1 not in self._sections and self.pages[-1].blocks:
                self.pages.append(FlowPage())
            return
        if paragraph.ends_row or paragraph.inner_row:
            self._tables.end_row(level, paragraph.row, header=paragraph.header_row)
            return
        for block in self._make(paragraph):
            self._tables.add_block(level, block)
        if (paragraph.end == "\x07" and level == 1) or paragraph.inner_cell:
            self._tables.end_cell(level)

    def _add(self, block: FlowBlock) -> None:
        self._count += 1
        block.path = f"#{self._count}"
        self.pages[-1].blocks.append(block)

    def _end_table(self) -> None:
        blocks = self._tables.close()
        self._items = {} if blocks else self._items
        for block in blocks:
            self._add(block)

    def _make(self, paragraph: WordParagraph) -> list[FlowBlock]:
        """Return the block of a paragraph after one of its hidden text; none when it has no text."""
        hidden = join_runs([run for run in paragraph.runs if run.style.hidden])[0]
        blocks = [FlowBlock(BlockType.PARAGRAPH, hidden, flags=(HIDDEN_TEXT,))] if hidden else []
        block = self._make_shown(paragraph)
        before, after = self._make_pictures(paragraph, block)
        blocks = [*before, *blocks, *([block] if block is not None else []), *after]
        texts = [candidate for candidate in blocks if candidate.type is not BlockType.PICTURE] or blocks
        for position in paragraph.notes:
            if texts:
                self._called[position] = texts[-1]
        return blocks

    def _make_pictures(
        self, paragraph: WordParagraph, block: FlowBlock | None
    ) -> tuple[list[FlowBlock], list[FlowBlock]]:
        """Return the pictures before all text of a paragraph, and its other pictures, which follow it."""
        before: list[FlowBlock] = []
        after: list[FlowBlock] = []
        for sign in paragraph.pictures:
            is_before_text = block is None or not any(
                run.text.strip() for run in paragraph.runs[: sign.runs] if not run.style.hidden
            )
            pictures = self.pictures.floating(sign.place) if sign.floating else self.pictures.in_text(sign.place)
            for picture in pictures:
                if picture.asset is None:
                    self.warnings = ("external-image",)
                picture_block = FlowBlock(
                    BlockType.PICTURE, picture.alt, asset=picture.asset, parent=None if is_before_text else block
                )
                (before if is_before_text else after).append(picture_block)
        return before, after

    def _make_shown(self, paragraph: WordParagraph) -> FlowBlock | None:
        runs = [run for run in paragraph.runs if not run.style.hidden]
        text, spans = join_runs(runs)
        if not text:
            return None
        level = self._words.styles.heading_level(paragraph.style)
        level = min(6, paragraph.outline + 1) if level is None and paragraph.outline < _BODY_LEVEL else level
        label = self._lists.label(paragraph.list_use, paragraph.level) if paragraph.list_use > 0 else None
        if level is not None:
            self._items = {}
            return FlowBlock(BlockType.HEADING, text, spans, level)
        if self._words.styles.is_title(paragraph.style):
            return FlowBlock(BlockType.TITLE, text, spans)
        if label is None:
            parent = self._items[max(self._items)] if paragraph.left > 0 and self._items else None
            self._items = self._items if parent is not None else {}
            return FlowBlock(BlockType.PARAGRAPH, text, spans, parent=parent)
        bullet = len(label) == 1 and not label.isalnum()
        if not bullet:
            text, spans = join_runs(runs, prefix=label + " ")
        self._items = {
            level_number: block for level_number, block in self._items.items() if level_number < paragraph.level
        }
        parent = self._items[max(self._items)] if self._items else None
        depth = (parent.level or 0) + 1 if parent is not None else 1
        block = FlowBlock(BlockType.LIST_ITEM, text, spans, depth, parent=parent, bullet=bullet)
        self._items[paragraph.level] = block
        return block

    def _add_running(self) -> None:
        """Add headers and footers, each distinct text once, because not every section states its first page."""
        seen: set[tuple[BlockType, str]] = set()
        for kind, start, end in running_stories(self._streams):
            lines = (
                join_runs([run for run in paragraph.runs if not run.style.hidden])[0]
                for paragraph in self._words.read(start, end)
            )
            text = "\n".join(line for line in lines if line)
            if text and (kind, text) not in seen:
                seen.add((kind, text))
                block = FlowBlock(kind, text, path=f"running {len(seen)}")
                (self.pages[0].headers if kind is BlockType.PAGE_HEADER else self.pages[0].footers).append(block)

    def _add_notes(self, places: bytes, texts: bytes, size: int, story: int, flags: tuple[str, ...]) -> None:
        """Add the notes of one kind: `places` has the positions of their marks, `texts` those of their texts."""
        calls = _read_positions(places, size)
        bounds = _read_positions(texts, 0)
        for index, call in enumerate(calls[: max(0, len(bounds) - 1)]):
            parts = self._words.read(story + bounds[index], story + bounds[index + 1])
            lines = (join_runs(part.runs)[0] for part in parts)
            text = "\n".join(line for line in lines if line)
            if text:
                parent = self._called.get(call)
                note = FlowBlock(BlockType.FOOTNOTE, text, flags=flags, parent=parent, path=f"note {index + 1}")
                page = next((page for page in self.pages if parent in page.blocks), self.pages[-1])
                note.parent = parent if parent in page.blocks else None
                page.notes.append(note)


def _read_positions(table: bytes, size: int) -> list[int]:
    """Return the character positions in a table whose entries have `size` more bytes each."""
    count = (len(table) - 4) // (4 + size) if size else len(table) // 4
    return list(struct.unpack_from(f"<{count}i", table)) if count > 0 else []

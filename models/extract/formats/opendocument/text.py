"""Blocks of OpenDocument text: headings, paragraphs, lists, tables, frames, notes. Elements in, pages of blocks out."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import (
    FlowBlock,
    FlowPage,
    StyledRun,
    adopt,
    flatten,
    join_runs,
    squeeze_runs,
)
from quire.models.extract.formats.flow.charts import part_caption
from quire.models.extract.formats.opendocument.inline import Inline, find_names, read_inline, read_object
from quire.models.extract.formats.opendocument.styles import (
    DRAW,
    OFFICE,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    ListLevel,
    OdfStyles,
    count,
)

MAX_DEPTH: Final = 60
"""Nesting depth of elements: each level is a call."""
MAX_COLUMNS: Final = 1000
"""Columns of a table in a text, as many as a page can show; a repeat count may state any number."""
MAX_ROWS: Final = 100_000
"""Rows of a table in a text, with repeated ones."""
_WRAPPERS: Final = frozenset(
    TEXT + name
    for name in (
        "section", "index-body", "table-of-content", "index-title", "alphabetical-index", "bibliography",
        "illustration-index", "table-index", "user-index", "object-index", "numbered-paragraph",
    )
)  # fmt: skip


@dataclass(slots=True)
class NoteNumbers:
    """Counts the notes of a document."""

    last: int = 0

    def next(self) -> str:
        """Return the number of the next note."""
        self.last += 1
        return str(self.last)


_NAMED: Final = frozenset((TEXT + "p", TEXT + "h", TABLE + "table"))
"""Elements that links name."""


@dataclass(slots=True)
class OdfReader:
    """Reads block content into pages; make one per story."""

    styles: OdfStyles
    numbers: NoteNumbers = field(default_factory=NoteNumbers)
    depth: int = 0
    pages: list[FlowPage] = field(default_factory=lambda: [FlowPage()])
    paged: bool = False
    hidden: bool = False
    _lists: list[tuple[str | None, int]] = field(default_factory=list)
    _counts: dict[tuple[str, int], int] = field(default_factory=dict)
    _item: FlowBlock | None = None
    _make_label: str | None = None
    _read: int = 0
    _names: list[str] = field(default_factory=list)

    def read(self, node: Iterable[Element]) -> list[FlowBlock]:
        """Return all blocks inside an element.

        Raises:
            ResourceLimit: The content is nested too deep.
        """
        if self.depth > MAX_DEPTH:
            raise ResourceLimit("content is nested too deep")
        for child in node:
            self._read_block(child)
        return self.pages[-1].blocks

    def _read_block(self, node: Element) -> None:
        self._read += self.depth == 0
        if node.tag in _NAMED:
            self._names += find_names(node)
        match node.tag:
            case t if t in (TEXT + "p", TEXT + "h"):
                self._read_paragraph(node)
            case t if t == TEXT + "list":
                self._read_list(node)
            case t if t == TABLE + "table":
                self._read_table(node)
            case t if t in _WRAPPERS:
                outer, self.hidden = self.hidden, self.hidden or _is_hidden_section(node)
                for child in node:
                    self._read_block(child)
                self.hidden = outer
            case t if isinstance(t, str) and t.startswith(DRAW):
                self._read_frame(node)

    def _add(self, block: FlowBlock) -> FlowBlock:
        block.path = f"content.xml#{self._read}" if self.depth == 0 else None
        if self.hidden and HIDDEN_TEXT not in block.flags:
            block.flags = (*block.flags, HIDDEN_TEXT)
        block.anchors, self._names = (*block.anchors, *self._names), []
        self.pages[-1].blocks.append(block)
        return block

    def _read_paragraph(self, node: Element) -> None:
        name = node.get(TEXT + "style-name")
        if self.paged and self.depth == 0 and self.styles.breaks_page(name) and self.pages[-1].blocks:
            self.pages.append(FlowPage())
        inline = read_inline(node, self.styles, self.numbers.next)
        outer, self.hidden = self.hidden, self.hidden or _is_hidden_paragraph(node)
        self._add_content(node, name, inline)
        self.hidden = outer

    def _add_content(self, node: Element, name: str | None, inline: Inline) -> None:
        """Add the blocks of a paragraph; its hidden text is a separate block."""
        before = inline.leading if self._make_label is None else 0
        for frame in inline.frames[:before]:
            self._read_frame(frame)
        block = self._make_text(node, name, [run for run in inline.runs if not run.style.hidden])
        if hidden := join_runs(squeeze_runs(run for run in inline.runs if run.style.hidden))[0]:
            self._add(FlowBlock(BlockType.PARAGRAPH, hidden, parent=block, flags=(HIDDEN_TEXT,)))
        for frame in inline.frames[before:]:
            self._read_frame(frame)
        for note in inline.notes:
            self._add_note(note, block)
        for comment in inline.comments:
            text = self._text_of(comment)
            if text:
                self._add(FlowBlock(BlockType.FOOTNOTE, text, parent=block, flags=(COMMENT,)))

    def _make_text(self, node: Element, name: str | None, runs: list[StyledRun]) -> FlowBlock | None:
        code = self.styles.is_code(name) and not self._lists
        text, spans = join_runs(runs if code else squeeze_runs(runs), keep_indent=code)
        if not text:
            return None
        hidden = (HIDDEN_TEXT,) if self.styles.is_hidden(name) else ()
        level = self.styles.heading_level(name)
        if node.tag == TEXT + "h":
            level = min(6, count(node.get(TEXT + "outline-level"), 10))
        if self._make_label is not None or (self._lists and level is None):
            return self._add_item(runs, hidden)
        if level is not None:
            return self._add(FlowBlock(BlockType.HEADING, text, spans, level, flags=hidden))
        if self.styles.is_a(name, "Title"):
            return self._add(FlowBlock(BlockType.TITLE, text, spans, flags=hidden))
        if code:
            blocks = self.pages[-1].blocks
            flagged = self.hidden or bool(hidden)
            if blocks and blocks[-1].type is BlockType.CODE and flagged == (HIDDEN_TEXT in blocks[-1].flags):
                blocks[-1].text += "\n" + text
                return blocks[-1]
            return self._add(FlowBlock(BlockType.CODE, text, flags=hidden))
        kind = BlockType.CAPTION if self.styles.is_a(name, "Caption", "Table", "Illustration", "Figure") else None
        return self._add(FlowBlock(kind or BlockType.PARAGRAPH, text, spans, flags=hidden))

    def _add_item(self, runs: list[StyledRun], flags: tuple[str, ...]) -> FlowBlock:
        if self._make_label is None:
            text, spans = join_runs(squeeze_runs(runs))
            return self._add(FlowBlock(BlockType.PARAGRAPH, text, spans, parent=self._item, flags=flags))
        text, spans = join_runs(squeeze_runs(runs), prefix=self._make_label + " " if self._make_label else "")
        block = FlowBlock(
            BlockType.LIST_ITEM,
            text,
            spans,
            len(self._lists),
            parent=self._item,
            flags=flags,
            bullet=not self._make_label,
        )
        self._make_label, self._item = None, block
        return self._add(block)

    def _read_list(self, node: Element) -> None:
        if len(self._lists) > MAX_DEPTH:
            raise ResourceLimit("lists are nested too deep")
        outer, self._item = self._item, self._item
        style = node.get(TEXT + "style-name") or (self._lists[-1][0] if self._lists else None)
        level = len(self._lists) + 1
        if node.get(TEXT + "continue-numbering") != "true" and not node.get(TEXT + "continue-list"):
            self._counts[style or "", level] = self.styles.list_level(style, level).start - 1
        self._lists.append((style, level))
        for item in node:
            if item.tag in (TEXT + "list-item", TEXT + "list-header"):
                self._read_item(item, style, level)
        self._lists.pop()
        self._item = outer

    def _read_item(self, item: Element, style: str | None, level: int) -> None:
        outer = self._item
        if item.tag == TEXT + "list-item":
            key = (style or "", level)
            start = item.get(TEXT + "start-value")
            numbered = self.styles.list_level(style, level)
            self._counts[key] = count(start, 10**6) if start else self._counts.get(key, numbered.start - 1) + 1
            self._make_label = None if numbered.form == "" else self._join_counts(numbered, level)
        else:
            self._make_label = ""
        for child in item:
            self._read_block(child)
        self._make_label = None
        self._item = outer

    def _join_counts(self, numbered: ListLevel, level: int) -> str:
        """Return the label of an item, with the counts of outer levels that it shows; empty for a bullet."""
        if numbered.form is None:
            return ""
        shown = self._lists[max(0, level - numbered.shown) :]
        outer = [
            (self.styles.list_level(style, number), self._counts.get((style or "", number), 1))
            for style, number in shown
        ]
        counts = [other.show_count(number) for other, number in outer if other.form]
        return numbered.prefix + ".".join(counts) + numbered.suffix

    def _read_table(self, node: Element) -> None:
        block = self._add(FlowBlock(BlockType.TABLE))
        children: list[FlowBlock] = []
        cells: list[Cell] = []
        rows = list(_rows(node))[:MAX_ROWS]
        cols = 0
        for row_index, (row, is_header) in enumerate(rows):
            col = 0
            for cell in row:
                if cell.tag not in (TABLE + "table-cell", TABLE + "covered-table-cell"):
                    continue
                times = count(cell.get(TABLE + "number-columns-repeated"), MAX_COLUMNS)
                if cell.tag == TABLE + "table-cell":
                    flat = flatten(self._inner().read(cell))
                    children += adopt(flat.children, block)
                    across = count(cell.get(TABLE + "number-columns-spanned"), MAX_COLUMNS)
                    down = min(count(cell.get(TABLE + "number-rows-spanned"), MAX_ROWS), len(rows) - row_index)
                    for step in range(times if flat.text or times < 50 else 0):
                        cells.append(
                            Cell(
                                row=row_index, col=col + step, row_span=down, col_span=across if times == 1 else 1,
                                header=is_header, text=flat.text, spans=flat.spans,
                            )
                        )  # fmt: skip
                col += times
                if col > MAX_COLUMNS:
                    raise ResourceLimit("a table has too many columns")
            cols = max(cols, col)
        cells = [cell for cell in cells if cell.col + cell.col_span <= cols]
        block.table = Table(rows=len(rows), cols=cols, cells=tuple(cells))
        self.pages[-1].blocks += children

    def _read_frame(self, node: Element) -> None:
        """Read a shape; one that is never displayed is hidden."""
        outer, self.hidden = self.hidden, self.hidden or is_hidden_shape(node)
        self._read_shape(node)
        self.hidden = outer

    def _read_shape(self, node: Element) -> None:
        alt = " ".join((node.findtext(SVG + name) or "").strip() for name in ("title", "desc")).strip()
        image = node.find(DRAW + "image")
        box = node.find(DRAW + "text-box")
        table = node.find(TABLE + "table") if node.tag == DRAW + "frame" else None
        embedded = read_object(self._object_of(node), alt)
        if table is not None:
            self._read_table(table)
        elif embedded is not None:
            self._add_object(embedded, image)
        elif box is not None:
            for block in self._inner().read(box):
                self._add(block)
        elif image is not None:
            href = (image.get(XLINK + "href") or "").removeprefix("./")
            is_external = "://" in href or href.startswith(("/", ".."))
            self._add(FlowBlock(BlockType.PICTURE, alt, asset=None if is_external else href or None, parent=self._item))
        else:
            for block in self._inner().read(node):
                self._add(block)

    def _object_of(self, frame: Element) -> Element | None:
        """Return the content of the object in a frame: its own part of the package, or an inline formula."""
        node = frame.find(DRAW + "object")
        if node is None:
            return None
        if len(node):
            return node[0]
        folder = (node.get(XLINK + "href") or "").removeprefix("./").strip("/")
        return self.styles.find_object(folder) if folder and "://" not in folder and ".." not in folder else None

    def _add_object(self, embedded: FlowBlock, image: Element | None) -> None:
        """Add a formula, or a chart with its picture."""
        href = (image.get(XLINK + "href") or "").removeprefix("./") if image is not None else ""
        if embedded.picture is not None:
            embedded.asset = href or None
        embedded.parent = self._item
        for block in part_caption(embedded):
            self._add(block)

    def _add_note(self, note: Element, parent: FlowBlock | None) -> None:
        body = note.find(TEXT + "note-body")
        number = note.findtext(TEXT + "note-citation") or ""
        if body is not None and (text := self._text_of(body)):
            flags = (HIDDEN_TEXT,) if self.hidden else ()
            block = FlowBlock(BlockType.FOOTNOTE, f"{number} {text}".strip(), parent=parent, flags=flags)
            block.path = f"content.xml#{self._read}"
            self.pages[-1].notes.append(block)

    def _text_of(self, node: Element) -> str:
        return flatten(self._inner().read(node)).text

    def _inner(self) -> "OdfReader":
        return OdfReader(self.styles, self.numbers, self.depth + 1, hidden=self.hidden)


def is_hidden_shape(node: Element) -> bool:
    """Return whether a shape or group is never displayed."""
    return node.get(DRAW + "display") == "none"


def _is_hidden_paragraph(node: Element) -> bool:
    """Return whether a field in the paragraph hid all of it on saving."""
    return any(field.get(TEXT + "is-hidden") == "true" for field in node.iterfind(f".//{TEXT}hidden-paragraph"))


def _is_hidden_section(node: Element) -> bool:
    """Return whether the section is not displayed, or was hidden by its condition on saving."""
    display = node.get(TEXT + "display")
    return display == "none" or (display == "condition" and node.get(TEXT + "is-hidden") != "false")


def _rows(table: Element, *, is_header: bool = False) -> list[tuple[Element, bool]]:
    rows: list[tuple[Element, bool]] = []
    for node in table:
        if node.tag == TABLE + "table-row":
            rows += [(node, is_header)] * min(count(node.get(TABLE + "number-rows-repeated"), MAX_ROWS), 50)
        elif node.tag == TABLE + "table-header-rows":
            rows += _rows(node, is_header=True)
        elif node.tag in (TABLE + "table-rows", TABLE + "table-row-group"):
            rows += _rows(node, is_header=is_header)
        if len(rows) > MAX_ROWS:
            raise ResourceLimit("a table has too many rows")
    return rows


def body_of(root: Element, kind: str) -> Element | None:
    """Return the content of a file's body: `text`, `spreadsheet` or `presentation`."""
    return root.find(f"{OFFICE}body/{OFFICE}{kind}")

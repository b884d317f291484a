"""Pieces of one paragraph to blocks on the current page: the text, and objects in it.

Pictures, charts and text boxes become separate blocks, before the text when nothing was printed yet, else after it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import FlowBlock, InlineMarkup
from quire.models.extract.formats.word.docx.drafts import join_text
from quire.models.extract.formats.word.docx.numbering import CHECK_GLYPHS
from quire.models.extract.formats.word.docx.pages import PageSink
from quire.models.extract.formats.word.docx.paragraphs import MAX_OUTLINED_CHARS, ParagraphKind
from quire.models.extract.formats.word.docx.pieces import (
    Box,
    Break,
    Chart,
    CheckBox,
    FormulaPiece,
    NoteKind,
    NoteRef,
    PicturePiece,
    Piece,
    Text,
)

SAME_INDENT: Final = 60
"""Twips (3 points) between two indents that look equal."""


class ParagraphWriter:
    """Writes paragraphs of one story; tracks which list items and which code block are open.

    In a cell (`is_cell`) a paragraph of nothing but its automatic number is written too.
    """

    def __init__(
        self,
        sink: PageSink,
        call_note: Callable[[NoteRef], tuple[str, list[FlowBlock]]],
        read_chart: Callable[[Chart], list[FlowBlock]],
        read_box: Callable[[Element], None],
        *,
        is_cell: bool,
    ) -> None:
        self._sink, self._call_note, self._read_chart, self._read_box = sink, call_note, read_chart, read_box
        self._items: dict[int, FlowBlock] = {}
        self._indents: dict[int, int] = {}
        self._continuation: FlowBlock | None = None
        self._code: FlowBlock | None = None
        self._is_cell = is_cell

    def close_code(self) -> None:
        """Make the next code paragraph start a new block."""
        self._code = None

    def write(self, kind: ParagraphKind, pieces: list[Piece]) -> None:
        """Write the blocks of one paragraph, in order."""
        _Paragraph(self, kind, pieces).write()

    def add_text(
        self, kind: ParagraphKind, texts: list[Text], *, checkbox: bool, first: FlowBlock | None
    ) -> FlowBlock | None:
        """Add the block of a stretch of text and return it, or None when it prints nothing.

        `first` is the paragraph's block so far.
        """
        if first is not None:
            return self._add(BlockType.PARAGRAPH, texts, parent=first)
        if kind.type is BlockType.LIST_ITEM:
            return self._add_item(kind, texts, checkbox=checkbox)
        if kind.type is BlockType.CODE:
            return self._add_code(texts)
        type_ = BlockType.CHECKBOX if checkbox and kind.type is BlockType.PARAGRAPH else kind.type
        if kind.outlined and sum(len(piece.text) for piece in texts) > MAX_OUTLINED_CHARS:
            type_ = BlockType.PARAGRAPH
        level = kind.level if type_ is BlockType.HEADING else None
        number = kind.marker.text + " " if kind.marker is not None and kind.marker.ordered and kind.marker.text else ""
        parent = self._continued_item(kind) if type_ is BlockType.PARAGRAPH else None
        draft = self._add(type_, texts, level=level, prefix=number, parent=parent)
        self._continuation = draft if parent is not None else None
        if draft is not None and type_ in (BlockType.HEADING, BlockType.TITLE):
            self._items = {}
        return draft

    def _add(
        self,
        type_: BlockType,
        texts: list[Text],
        *,
        level: int | None = None,
        prefix: str = "",
        parent: FlowBlock | None = None,
    ) -> FlowBlock | None:
        text, spans = join_text(texts, prefix=prefix)
        if not text:
            return None
        draft = FlowBlock(type_, text, spans, level, parent=parent)
        self._sink.current.blocks.append(draft)
        self._code = None
        return draft

    def _add_item(self, kind: ParagraphKind, texts: list[Text], *, checkbox: bool) -> FlowBlock | None:
        marker = kind.marker
        if marker is None or marker.blank:
            parent = self._item_at_most(kind.level or 1)
            return self._add(BlockType.PARAGRAPH, texts, parent=parent)
        parent = self._item_at_most(marker.level - 1)
        prefix = marker.text + " " if marker.text else ""
        is_check = checkbox or (bool(prefix) and prefix[0] in CHECK_GLYPHS)
        type_ = BlockType.CHECKBOX if is_check else BlockType.LIST_ITEM
        draft = self._add(type_, texts, level=marker.level, prefix=prefix, parent=parent)
        if draft is None and self._is_cell and marker.text:
            self._sink.current.blocks.append(FlowBlock(BlockType.PARAGRAPH, marker.text))
        if draft is not None:
            draft.bullet = not prefix and not is_check
            outer = {level: item for level, item in self._items.items() if level < marker.level}
            self._items = outer | {marker.level: draft}
            self._indents[marker.level] = kind.indent or 0
        return draft

    def _continued_item(self, kind: ParagraphKind) -> FlowBlock | None:
        """Return the open item that an unnumbered paragraph right after it continues: both have one indent."""
        blocks = self._sink.current.blocks
        last = blocks[-1] if blocks else None
        if last is None or kind.indent is None or not self._items:
            return None
        if last is not self._continuation and last is not self._items[max(self._items)]:
            return None
        begun = (level for level in sorted(self._items, reverse=True) if (left := self._indents.get(level, 0)) > 0
                 and abs(left - kind.indent) <= SAME_INDENT)  # fmt: skip
        depth = next(begun, None)
        if depth is None:
            return None
        self._items = {level: item for level, item in self._items.items() if level <= depth}
        return self._items[depth]

    def _item_at_most(self, level: int) -> FlowBlock | None:
        return next((self._items[depth] for depth in range(level, 0, -1) if depth in self._items), None)

    def _add_code(self, texts: list[Text]) -> FlowBlock | None:
        """Add a code paragraph to the code block before it; its lines keep their indentation."""
        text, _ = join_text(
            [replace(piece, format=replace(piece.format, href=None)) for piece in texts], keep_indent=True
        )
        blocks = self._sink.current.blocks
        if self._code is not None and blocks and blocks[-1] is self._code:
            self._code.text += "\n" + text
        elif text.strip():
            self._code = FlowBlock(BlockType.CODE, text)
            blocks.append(self._code)
        return self._code

    def add_hidden(self, texts: list[Text], parent: FlowBlock | None) -> None:
        """Add hidden text as a separate, flagged block."""
        text, spans = join_text(texts)
        if text:
            draft = FlowBlock(BlockType.PARAGRAPH, text, spans, parent=parent, flags=(HIDDEN_TEXT,))
            self._sink.current.blocks.append(draft)

    def add_object(self, piece: PicturePiece | Chart | Box, parent: FlowBlock | None) -> None:
        """Add a picture, chart or text box as blocks."""
        match piece:
            case Box(content, hidden):
                blocks = self._sink.current.blocks
                start = len(blocks)
                self._read_box(content)
                for block in blocks[start:] if hidden else ():
                    block.flags = (*block.flags, *((HIDDEN_TEXT,) if HIDDEN_TEXT not in block.flags else ()))
            case Chart():
                self._sink.current.blocks += self._read_chart(piece)
            case PicturePiece(part, alt):
                draft = FlowBlock(BlockType.PICTURE, alt, asset=part, parent=parent)
                self._sink.current.blocks.append(draft)

    def add_formula(self, latex: str, parent: FlowBlock | None) -> None:
        """Add a formula block."""
        self._sink.current.blocks.append(FlowBlock(BlockType.FORMULA, latex, parent=parent))

    def turn(self) -> None:
        """Start a new page."""
        self._sink.turn()

    def call(self, ref: NoteRef) -> tuple[str, list[FlowBlock]]:
        """Return the mark and the blocks of a note."""
        return self._call_note(ref)

    def add_notes(self, comments: list[FlowBlock], notes: list[FlowBlock], parent: FlowBlock | None) -> None:
        """Add comments after their paragraph, and other notes at the end of the page."""
        for draft in [*comments, *notes]:
            draft.parent = draft.parent or parent
        self._sink.current.blocks += comments
        self._sink.current.notes += notes


class _Paragraph:
    """The pieces of one paragraph on their way to blocks."""

    def __init__(self, writer: ParagraphWriter, kind: ParagraphKind, pieces: list[Piece]) -> None:
        self._writer, self._kind, self._pieces = writer, kind, pieces
        self._texts: list[Text] = []
        self._hidden: list[Text] = []
        self._objects: list[PicturePiece | Chart | Box] = []
        self._comments: list[FlowBlock] = []
        self._notes: list[FlowBlock] = []
        self._checkbox = self._prints = False
        self._first: FlowBlock | None = None
        self._only_formulas = not any(isinstance(piece, Text) and piece.text.strip() for piece in pieces)

    def write(self) -> None:
        """Write all pieces."""
        for piece in self._pieces:
            self._take(piece)
        self._flush()

    def _take(self, piece: Piece) -> None:
        match piece:
            case Text():
                self._take_text(piece)
            case Break():
                self._flush()
                self._writer.turn()
            case FormulaPiece(latex, display):
                self._take_formula(latex, display)
            case CheckBox():
                self._checkbox = self._checkbox or not self._prints
            case NoteRef():
                self._take_note(piece)
            case PicturePiece() | Chart() | Box():
                if self._prints:
                    self._objects.append(piece)
                else:
                    self._writer.add_object(piece, None)
            case _:
                pass

    def _take_formula(self, latex: str, display: bool) -> None:
        if display or self._only_formulas:
            self._flush()
            self._writer.add_formula(latex, self._first)
        else:
            self._take_text(Text(f"${latex}$", InlineMarkup(latex=latex)))

    def _take_note(self, ref: NoteRef) -> None:
        mark, drafts = self._writer.call(ref)
        if mark:
            self._take_text(Text(mark))
        (self._comments if ref.kind is NoteKind.COMMENT else self._notes).extend(drafts)

    def _take_text(self, piece: Text) -> None:
        if piece.format.hidden:
            self._hidden.append(piece)
            return
        self._texts.append(piece)
        self._prints = self._prints or bool(piece.text.strip())

    def _flush(self) -> None:
        """Write the text so far and the objects that wait for it."""
        draft = self._writer.add_text(self._kind, self._texts, checkbox=self._checkbox, first=self._first)
        self._first = self._first or draft
        self._writer.add_hidden(self._hidden, self._first)
        for piece in self._objects:
            self._writer.add_object(piece, self._first)
        self._writer.add_notes(self._comments, self._notes, self._first)
        self._texts, self._hidden, self._objects, self._comments, self._notes = [], [], [], [], []
        self._checkbox = self._prints = False

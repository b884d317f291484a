"""From the pieces of one paragraph to blocks on the current page: the text itself, and what stands in or beside it.

Pictures, charts and text boxes become blocks of their own, before the text when nothing was printed yet, else after it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from models.cdom.flags import HIDDEN_TEXT
from models.cdom.tree import BlockType
from models.extract.formats.common.xml import Element
from models.extract.formats.flow.blocks import FlowBlock
from models.extract.formats.word.docx.drafts import join_text
from models.extract.formats.word.docx.numbering import CHECK_GLYPHS
from models.extract.formats.word.docx.pages import PageSink
from models.extract.formats.word.docx.paragraphs import MAX_OUTLINED_CHARS, ParagraphKind
from models.extract.formats.word.docx.pieces import (
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
"""Twips (3 points) between two indents that look like one."""


class ParagraphWriter:
    """Writes paragraphs of one story; keeps which list items and which code block are open."""

    def __init__(
        self,
        sink: PageSink,
        call_note: Callable[[NoteRef], tuple[str, list[FlowBlock]]],
        read_chart: Callable[[Chart], list[FlowBlock]],
        read_box: Callable[[Element], None],
    ) -> None:
        self._sink, self._call_note, self._read_chart, self._read_box = sink, call_note, read_chart, read_box
        self._items: dict[int, FlowBlock] = {}
        self._indents: dict[int, int] = {}
        self._went_on: FlowBlock | None = None
        self._code: FlowBlock | None = None

    def close_code(self) -> None:
        """The next code paragraph begins a block of its own."""
        self._code = None

    def write(self, kind: ParagraphKind, pieces: list[Piece]) -> None:
        """Blocks of one paragraph, in order."""
        _Paragraph(self, kind, pieces).write()

    def add_text(
        self, kind: ParagraphKind, texts: list[Text], *, checkbox: bool, first: FlowBlock | None
    ) -> FlowBlock | None:
        """The block of a stretch of text; None when it prints nothing. `first` is the paragraph's block so far."""
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
        parent = self._continued_item(kind) if type_ is BlockType.PARAGRAPH else None
        draft = self._add(type_, texts, level=level, parent=parent)
        self._went_on = draft if parent is not None else None
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
        if draft is not None:
            draft.bullet = not prefix and not is_check
            self._items = {at: item for at, item in self._items.items() if at < marker.level} | {marker.level: draft}
            self._indents[marker.level] = kind.indent or 0
        return draft

    def _continued_item(self, kind: ParagraphKind) -> FlowBlock | None:
        """The open item whose text an unnumbered paragraph right after it goes on with: both begin at one indent."""
        blocks = self._sink.current.blocks
        last = blocks[-1] if blocks else None
        if last is None or kind.indent is None or not self._items:
            return None
        if last is not self._went_on and last is not self._items[max(self._items)]:
            return None
        begun = (at for at in sorted(self._items, reverse=True) if (left := self._indents.get(at, 0)) > 0
                 and abs(left - kind.indent) <= SAME_INDENT)  # fmt: skip
        at = next(begun, None)
        if at is None:
            return None
        self._items = {level: item for level, item in self._items.items() if level <= at}
        return self._items[at]

    def _item_at_most(self, level: int) -> FlowBlock | None:
        return next((self._items[at] for at in range(level, 0, -1) if at in self._items), None)

    def _add_code(self, texts: list[Text]) -> FlowBlock | None:
        """Code paragraphs that follow each other are one block; its lines keep their indentation."""
        text, _ = join_text([replace(piece, ink=replace(piece.ink, href=None)) for piece in texts], keep_indent=True)
        blocks = self._sink.current.blocks
        if self._code is not None and blocks and blocks[-1] is self._code:
            self._code.text += "\n" + text
        elif text.strip():
            self._code = FlowBlock(BlockType.CODE, text)
            blocks.append(self._code)
        return self._code

    def add_hidden(self, texts: list[Text], parent: FlowBlock | None) -> None:
        """Text formatted as hidden: a block of its own, flagged."""
        text, spans = join_text(texts)
        if text:
            draft = FlowBlock(BlockType.PARAGRAPH, text, spans, parent=parent, flags=(HIDDEN_TEXT,))
            self._sink.current.blocks.append(draft)

    def add_beside(self, piece: PicturePiece | Chart | Box, parent: FlowBlock | None) -> None:
        """A picture, chart or text box as blocks."""
        match piece:
            case Box(content):
                self._read_box(content)
            case Chart():
                self._sink.current.blocks += self._read_chart(piece)
            case PicturePiece(part, alt):
                draft = FlowBlock(BlockType.PICTURE, alt, asset=part, parent=parent)
                self._sink.current.blocks.append(draft)

    def add_formula(self, latex: str, parent: FlowBlock | None) -> None:
        self._sink.current.blocks.append(FlowBlock(BlockType.FORMULA, latex, parent=parent))

    def turn(self) -> None:
        self._sink.turn()

    def call(self, ref: NoteRef) -> tuple[str, list[FlowBlock]]:
        return self._call_note(ref)

    def add_notes(self, comments: list[FlowBlock], notes: list[FlowBlock], parent: FlowBlock | None) -> None:
        """Comments follow their paragraph; other notes stand at the end of the page."""
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
        self._beside: list[PicturePiece | Chart | Box] = []
        self._comments: list[FlowBlock] = []
        self._notes: list[FlowBlock] = []
        self._checkbox = self._prints = False
        self._first: FlowBlock | None = None
        self._only_formulas = not any(isinstance(piece, Text) and piece.text.strip() for piece in pieces)

    def write(self) -> None:
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
                    self._beside.append(piece)
                else:
                    self._writer.add_beside(piece, None)
            case _:
                pass

    def _take_formula(self, latex: str, display: bool) -> None:
        if display or self._only_formulas:
            self._flush()
            self._writer.add_formula(latex, self._first)
        else:
            self._take_text(Text(f"${latex}$"))

    def _take_note(self, ref: NoteRef) -> None:
        mark, drafts = self._writer.call(ref)
        if mark:
            self._take_text(Text(mark))
        (self._comments if ref.kind is NoteKind.COMMENT else self._notes).extend(drafts)

    def _take_text(self, piece: Text) -> None:
        if piece.ink.hidden:
            self._hidden.append(piece)
            return
        self._texts.append(piece)
        self._prints = self._prints or bool(piece.text.strip())

    def _flush(self) -> None:
        """Writes the text so far and everything that waits beside it."""
        draft = self._writer.add_text(self._kind, self._texts, checkbox=self._checkbox, first=self._first)
        self._first = self._first or draft
        self._writer.add_hidden(self._hidden, self._first)
        for piece in self._beside:
            self._writer.add_beside(piece, self._first)
        self._writer.add_notes(self._comments, self._notes, self._first)
        self._texts, self._hidden, self._beside, self._comments, self._notes = [], [], [], [], []
        self._checkbox = self._prints = False

"""Footnotes, endnotes and comments: a call in the text in, its mark and the note's blocks out. Numbers count calls."""

from collections.abc import Callable
from dataclasses import dataclass, field

from quire.models.cdom.flags import COMMENT
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.xml import Element, W
from quire.models.extract.formats.flow.blocks import FlowBlock, adopt, flatten, move_spans
from quire.models.extract.formats.flow.number_formats import format_count
from quire.models.extract.formats.word.docx.pages import FlatPage
from quire.models.extract.formats.word.docx.pieces import NoteKind, NoteRef

_TAGS = {
    NoteKind.FOOTNOTE: W + "footnote",
    NoteKind.ENDNOTE: W + "endnote",
    NoteKind.COMMENT: W + "comment",
}
_SUPERSCRIPT = str.maketrans("0123456789ivxlcdm", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁱᵛˣˡᶜᵈᵐ")

ReadStory = Callable[[NoteKind, Element, FlatPage], None]
"""Reads a note's content into a page, with the context of its part."""


@dataclass(slots=True)
class NotePart:
    """One kind of notes: its elements by id, the number format of its marks, and the number of calls."""

    notes: dict[str, Element] = field(default_factory=dict)
    format: str = "decimal"
    called: int = 0
    used: set[str] = field(default_factory=set)


def read_note_part(root: Element | None, kind: NoteKind, format_: str) -> NotePart:
    """Return the notes of a part without separators."""
    notes = root.iter(_TAGS[kind]) if root is not None else ()
    return NotePart(
        {note.get(W + "id", ""): note for note in notes if note.get(W + "type", "normal") == "normal"}, format_
    )


class NoteBook:
    """All notes of a document; each is read once, at its first call."""

    def __init__(self, parts: dict[NoteKind, NotePart], read_story: ReadStory) -> None:
        self._parts, self._read_story = parts, read_story
        self.endnotes: list[FlowBlock] = []

    def call(self, ref: NoteRef) -> tuple[str, list[FlowBlock]]:
        """Return the mark for the text ("" when the text has its own) and the note with its blocks."""
        part = self._parts[ref.kind]
        note = part.notes.get(ref.id)
        if note is None:
            return "", []
        label = ""
        if ref.kind is not NoteKind.COMMENT and not ref.own_mark:
            part.called += 1
            label = format_count(part.called, part.format)
        is_first = ref.id not in part.used
        part.used.add(ref.id)
        drafts = self._read(ref.kind, note, label) if is_first else []
        if ref.kind is NoteKind.ENDNOTE:
            self.endnotes += drafts
        return label.translate(_SUPERSCRIPT), drafts

    def _read(self, kind: NoteKind, note: Element, label: str) -> list[FlowBlock]:
        page = FlatPage()
        self._read_story(kind, note, page)
        blocks = page.current.blocks
        flat = flatten([block for block in blocks if block.table is None])
        children = [*(block for block in blocks if block.table is not None), *flat.children]
        prefix = label + " " if label and flat.text else ""
        if kind is NoteKind.COMMENT and flat.text:
            stated = (note.get(W + "author") or "", (note.get(W + "date") or "")[:16].replace("T", " "))
            prefix = ", ".join(part for part in stated if part.strip()) + ": " if any(stated) else ""
        flags = (COMMENT,) if kind is NoteKind.COMMENT else ()
        draft = FlowBlock(BlockType.FOOTNOTE, prefix + flat.text, move_spans(flat.spans, len(prefix)), flags=flags)
        drafts = [draft] if draft.text else []
        return [*drafts, *(adopt(children, draft) if drafts else children), *page.current.notes]

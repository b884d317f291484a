"""Pieces of a paragraph, in order: styled text and objects between it. Plain data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import PLAIN, InlineMarkup


class NoteKind(StrEnum):
    """Kinds of notes."""

    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"
    COMMENT = "comment"


RunFormat = InlineMarkup
PLAIN_FORMAT = PLAIN


@dataclass(frozen=True, slots=True)
class Text:
    """A stretch of text in one format."""

    text: str
    format: RunFormat = PLAIN_FORMAT


@dataclass(frozen=True, slots=True)
class Break:
    """A stated page break."""


@dataclass(frozen=True, slots=True)
class CheckBox:
    """The start of a checkbox; its glyph follows as text."""

    checked: bool


@dataclass(frozen=True, slots=True)
class FormulaPiece:
    """A formula in LaTeX."""

    latex: str
    display: bool


@dataclass(frozen=True, slots=True)
class NoteRef:
    """A call of a note; `own_mark` when the text contains the mark itself."""

    kind: NoteKind
    id: str
    own_mark: bool = False


@dataclass(frozen=True, slots=True)
class NoteMark:
    """The mark of a note inside the note."""


@dataclass(frozen=True, slots=True)
class PicturePiece:
    """A picture; `part` names the image in the package and is missing for external or lost images."""

    part: str | None
    alt: str = ""
    external: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart or diagram: `part` holds its data."""

    part: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A text box with block-level content; `hidden` if its shape was hidden in the selection pane."""

    content: Element
    hidden: bool = False


Piece: TypeAlias = Text | Break | CheckBox | FormulaPiece | NoteRef | NoteMark | PicturePiece | Chart | Box

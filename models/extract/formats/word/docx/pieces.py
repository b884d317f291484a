"""What a paragraph is made of, in order: styled text and the things that stand between it. Plain data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from models.extract.formats.common.xml import Element


class NoteKind(StrEnum):
    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class RunFormat:
    """How a stretch of text looks and where it leads."""

    bold: bool = False
    italic: bool = False
    code: bool = False
    hidden: bool = False
    href: str | None = None


PLAIN_INK = RunFormat()


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    ink: RunFormat = PLAIN_INK


@dataclass(frozen=True, slots=True)
class Break:
    """A stated page break."""


@dataclass(frozen=True, slots=True)
class CheckBox:
    """A checkbox begins here; its glyph follows as text."""

    checked: bool


@dataclass(frozen=True, slots=True)
class FormulaPiece:
    latex: str
    display: bool


@dataclass(frozen=True, slots=True)
class NoteRef:
    """A note is called here; `own_mark` when the text carries the mark itself."""

    kind: NoteKind
    id: str
    own_mark: bool = False


@dataclass(frozen=True, slots=True)
class NoteMark:
    """Where a note prints its own mark, inside the note."""


@dataclass(frozen=True, slots=True)
class PicturePiece:
    """`part` names the image in the package, None when it lies outside or is missing."""

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
    """A text box: block-level content of its own."""

    content: Element


Piece: TypeAlias = Text | Break | CheckBox | FormulaPiece | NoteRef | NoteMark | PicturePiece | Chart | Box

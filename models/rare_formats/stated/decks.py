"""Decks of PowerPoint 97 to 2003: the texts of their slides, notes and comments, in the order of the records."""

from typing import Final, cast

from quire.models.cdom.coverage import Unseen
from quire.models.extract.coverage.stated.text import NOT_SHOWN, StatedText
from quire.models.extract.formats.common.compound import CompoundFile
from quire.models.extract.formats.common.parse_cache import take
from quire.models.extract.formats.flow.drawings import SHAPE, SHAPE_HEAD, DrawnRecord
from quire.models.rare_formats.ppt.deck import CACHE_KEY
from quire.models.rare_formats.ppt.records import NOTES, NOTES_LIST, SLIDE, SLIDES, PptFile
from quire.models.rare_formats.ppt.text import BYTES, CHARS, HEAD, SIGNS
from quire.models.rare_formats.ppt.text import NOTES as NOTES_TEXT

_DELETED: Final = 0x008
"""Flag of a shape that is no longer on its slide."""


def state_ppt(data: bytes) -> StatedText:
    """Return the text of a deck: texts of slides must be in the tree, of notes pages only the notes.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    cached = cast(PptFile | None, take(CACHE_KEY, data))
    file = (cached or PptFile(CompoundFile(data))).again()
    stated = StatedText()
    for entry in file.listed(SLIDES):
        _state_texts(file, entry.texts, stated)
        if (slide := file.take(entry.object, SLIDE)) is not None:
            _state_texts(file, list(_walk(file, slide, stated)), stated)
    for entry in file.listed(NOTES_LIST):
        _state_texts(file, entry.texts, stated, only=NOTES_TEXT)
        if (notes := file.take(entry.object, NOTES)) is not None:
            _state_texts(file, list(file.walk(notes)), stated, only=NOTES_TEXT)
    return stated


def _walk(file: PptFile, slide: DrawnRecord, stated: StatedText) -> list[DrawnRecord]:
    """Return the records of a slide without those of deleted shapes, whose text is counted apart."""
    records: list[DrawnRecord] = []
    end = 0
    for record in file.walk(slide):
        if record.start < end:
            continue
        head = file.child(record, SHAPE_HEAD) if record.kind == SHAPE else None
        if head is not None and file.numbers(head, "<I", 4)[0] & _DELETED:
            end = record.end
            for text in (inner for inner in file.walk(record) if inner.kind in (CHARS, BYTES)):
                stated.exclude(Unseen.DELETED.value, _decode(file, text))
            continue
        records.append(record)
    return records


def _state_texts(file: PptFile, records: list[DrawnRecord], stated: StatedText, *, only: int | None = None) -> None:
    """Add texts without inserted signs; with `only`, texts of other types may be missing."""
    kind, chars = 0, list[str]()
    for record in [*records, None]:
        if record is None or record.kind == HEAD:
            text = "".join(chars)
            if only in (None, kind):
                stated.text.append(text)
            else:
                stated.allow(NOT_SHOWN, text)
            chars = []
        if record is None:
            break
        if record.kind == HEAD:
            kind = file.numbers(record, "<I")[0]
        elif record.kind in (CHARS, BYTES):
            chars = list(_decode(file, record))
        elif record.kind in SIGNS and (place := file.numbers(record, "<I")[0]) < len(chars):
            chars[place] = ""


def _decode(file: PptFile, record: DrawnRecord) -> str:
    return file.content(record).decode("utf-16-le" if record.kind == CHARS else "latin-1", "replace")

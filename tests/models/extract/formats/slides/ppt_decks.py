"""Makes small decks of PowerPoint 97 to 2003: shapes with texts in, bytes out."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.models.extract.formats.common.compound_files import compound

TITLE, BODY, NOTES, OTHER = 0, 1, 2, 4
TITLE_PLACE, BODY_PLACE, NOTES_PLACE, FOOTER_PLACE = 13, 14, 12, 9
BULLETS = struct.pack("<H", 5) + struct.pack("<IHI", 1, 1, 0) * 5
"""Text styles of a master whose five levels have bullets."""


def record(kind: int, content: bytes, instance: int = 0, version: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(content)) + content


def box(kind: int, *parts: bytes, instance: int = 0) -> bytes:
    """A record that contains others."""
    return record(kind, b"".join(parts), instance, 15)


def string(text: str, instance: int = 0) -> bytes:
    return record(0x0FBA, text.encode("utf-16-le"), instance)


def tag(name: str, *parts: bytes) -> bytes:
    """What a later PowerPoint adds to a record."""
    return box(0x1388, box(0x138A, string(name), record(0x138B, b"".join(parts))))


def text(kind: int, words: str, *, paragraphs: Sequence[tuple[int, int, int]] = (), more: bytes = b"") -> bytes:
    """A text; `paragraphs` gives length, level and bullet (0 or 1) of runs, `more` are records after it."""
    stored = record(0x0FA8, words.encode("latin-1")) if words.isascii() else record(0x0FA0, words.encode("utf-16-le"))
    styles = b"".join(struct.pack("<IHIH", length, level, 1, bullet) for length, level, bullet in paragraphs)
    if styles:
        styles += struct.pack("<II", len(words) + 1, 0)
    return record(0x0F9F, struct.pack("<I", kind)) + stored + (record(0x0FA1, styles) if styles else b"") + more


def shape(
    content: bytes = b"",
    *,
    frame: tuple[int, int, int, int] = (0, 0, 800, 400),
    place: int = 0,
    flags: int = 0xA00,
    kind: int = 1,
    child: bool = False,
    properties: bytes = b"",
    client: bytes = b"",
) -> bytes:
    """A shape with a text box; the frame is left, top, right and bottom."""
    left, top, right, bottom = frame
    anchor = record(0xF00F, struct.pack("<4i", *frame)) if child else record(
        0xF010, struct.pack("<4h", top, left, right, bottom)
    )  # fmt: skip
    placeholder = record(0x0BC3, struct.pack("<iBxxx", 0, place)) if place else b""
    inside = box(0xF011, placeholder, client) if placeholder or client else b""
    words = box(0xF00D, content) if content else b""
    return box(0xF004, record(0xF00A, struct.pack("<II", 1, flags), kind, 2), properties, anchor, inside, words)


def group(
    *shapes: bytes,
    frame: tuple[int, int, int, int] = (0, 0, 800, 400),
    inner: tuple[int, int, int, int] | None = None,
    is_table: bool = False,
) -> bytes:
    """A group of shapes; `inner` are its own coordinates."""
    left, top, right, bottom = frame
    marks = record(0xF122, struct.pack("<HI", 0x039F, 1), 1, 3) if is_table else b""
    head = box(
        0xF004, record(0xF009, struct.pack("<4i", *(inner or frame))), record(0xF00A, struct.pack("<II", 1, 0x201)),
        marks, record(0xF010, struct.pack("<4h", top, left, right, bottom)),
    )  # fmt: skip
    return box(0xF003, head, *shapes)


def drawing(*shapes: bytes) -> bytes:
    head = box(0xF004, record(0xF009, bytes(16)), record(0xF00A, struct.pack("<II", 1, 5)))
    return box(0x040C, box(0xF002, record(0xF008, bytes(8)), box(0xF003, head, *shapes)))


@dataclass(frozen=True)
class Slide:
    """A slide of a deck: shapes, outline text, notes, and further records."""

    shapes: Sequence[bytes] = ()
    outline: bytes = b""
    notes: Sequence[bytes] = ()
    more: bytes = b""
    is_hidden: bool = False


@dataclass
class _Stream:
    data: bytes = b""
    offsets: list[int] = field(default_factory=list)

    def add(self, content: bytes) -> int:
        """Add an object and return its number."""
        self.offsets.append(len(self.data))
        self.data += content
        return len(self.offsets)


def ppt(*slides: Slide, document: bytes = b"", locked: bool = False, saves: int = 1) -> bytes:
    """A deck; `document` are further records of the document, each save writes everything again."""
    stream = _Stream()
    edit = 0
    for _ in range(saves):
        stream.offsets = []
        edit = _save(stream, slides, document, edit)
    mark = 0xF3D1C4DF if locked else 0xE391C05F
    user = record(0x0FF6, struct.pack("<III", 20, mark, edit) + bytes(12))
    return compound({("Current User",): user, ("PowerPoint Document",): stream.data})


def _save(stream: _Stream, slides: Sequence[Slide], document: bytes, previous: int) -> int:
    master = stream.add(box(0x03F8, record(0x0FA3, BULLETS, BODY)))
    entries, notes_entries = b"", b""
    for number, slide in enumerate(slides, start=256):
        notes_number = number + 1000 if slide.notes else 0
        head = record(0x03EF, struct.pack("<12xIIHH", 5, notes_number, 7, 0))
        show = record(0x03F9, struct.pack("<10xH4x", 4)) if slide.is_hidden else b""
        object_number = stream.add(box(0x03EE, head, show, drawing(*slide.shapes), slide.more))
        entries += record(0x03F3, struct.pack("<IIIII", object_number, 0, 0, number, 0)) + slide.outline
        if slide.notes:
            notes = stream.add(box(0x03F0, record(0x03F1, struct.pack("<II", number, 0)), drawing(*slide.notes)))
            notes_entries += record(0x03F3, struct.pack("<IIIII", notes, 0, 0, notes_number, 0))
    reference = stream.add(
        box(
            0x03E8, record(0x03E9, struct.pack("<ii", 5760, 4320) + bytes(32)),
            box(0x0FF0, record(0x03F3, struct.pack("<IIIII", master, 0, 0, 5, 0)), instance=1),
            document, box(0x0FF0, entries), box(0x0FF0, notes_entries, instance=2),
        )
    )  # fmt: skip
    directory = len(stream.data)
    count = len(stream.offsets)
    stream.data += record(0x1772, struct.pack(f"<I{count}I", 1 | count << 20, *stream.offsets))
    edit = len(stream.data)
    stream.data += record(0x0FF5, struct.pack("<IIIIIIHH", 0, 0x3000000, previous, directory, reference, count, 1, 0))
    return edit

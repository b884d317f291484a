"""The head of a Word file: which streams hold what, and how long each story is. Streams in, places out."""

import struct
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from models.cdom.errors import Encrypted, Malformed, ResourceLimit, UnsupportedFormat
from models.extract.formats.common.compound import CompoundFile

_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
"""Bits of the head: the file is locked; its tables lie in `1Table`, not `0Table`."""
_WORD_97: Final = 0xC0
"""Version of the format that Word 97 began with."""
_PAIRS: Final = 154
"""Byte where the places of tables begin."""
STYLES, NOTE_PLACES, NOTES, COMMENTS, SECTIONS, LOOKS, PARAGRAPHS, PIECES, END_PLACES, ENDNOTES, LISTS, USES = (
    1, 2, 3, 5, 6, 12, 13, 33, 46, 47, 73, 74,
)  # fmt: skip
RUNNING, FONTS, SETTINGS, ANCHORS, DRAWINGS = 11, 15, 31, 40, 50
"""Numbers of the tables that are read."""


@dataclass(frozen=True, slots=True)
class WordStreams:
    """`main` and `table` are the streams; lengths of the stories are in characters."""

    main: bytes
    table: bytes
    text: int
    notes: int
    headers: int
    comments: int
    endnotes: int
    boxes: int

    def part(self, number: int) -> bytes:
        """One of the tables, empty when the file has none."""
        start, size = self._place(number)
        return self.table[start : start + size]

    def after(self, number: int) -> bytes:
        """What follows one of the tables."""
        start, size = self._place(number)
        return self.table[start + size :] if size else b""

    def _place(self, number: int) -> tuple[int, int]:
        at = _PAIRS + 8 * number
        if at + 8 > len(self.main):
            return 0, 0
        start, size = struct.unpack_from("<II", self.main, at)
        return start, size


def read_head(file: CompoundFile) -> WordStreams:
    """Raises `Encrypted`, `UnsupportedFormat` for versions before Word 97, `Malformed`."""
    path = file.find("WordDocument")
    main = file.read(path) if path is not None else b""
    if len(main) < _PAIRS + 8 * (USES + 1) and len(main) < 512:
        raise Malformed("the file holds no Word document")
    magic, version = struct.unpack_from("<HH", main)
    flags = struct.unpack_from("<H", main, 10)[0]
    if flags & _ENCRYPTED:
        raise Encrypted()
    if magic != 0xA5EC or version < _WORD_97:
        raise UnsupportedFormat("a Word file older than Word 97")
    named = file.find("1Table" if flags & _SECOND_TABLE else "0Table")
    counts = struct.unpack_from("<8i", main, 76)
    text, notes, headers, _, comments, endnotes, boxes, _ = (max(0, count) for count in counts)
    return WordStreams(main, file.read(named) if named else b"", text, notes, headers, comments, endnotes, boxes)


MAX_PIECES: Final = 500_000
"""Of one document; a piece is made by each edit since the last full save."""
MAX_CHARS: Final = 50_000_000
"""Characters of all stories."""
_NARROW: Final = 0x40000000
"""The bit of a piece whose characters have one byte."""


class WordText:
    """All stories, one after the other. `place` says in which byte of the stream a character lies."""

    def __init__(self, streams: WordStreams) -> None:
        """Raises `Malformed` when the table of pieces is missing or broken."""
        self._starts: list[int] = []
        self._places: list[tuple[int, int]] = []
        parts: list[str] = []
        for start, end, raw in _pieces(streams.part(PIECES)):
            narrow = bool(raw & _NARROW)
            first = (raw & 0x3FFFFFFF) // 2 if narrow else raw
            width = 1 if narrow else 2
            data = streams.main[first : first + (end - start) * width]
            text = data.decode("cp1252" if narrow else "utf-16-le", "replace")
            self._starts.append(start)
            self._places.append((first, width))
            parts.append(_as_units(text, end - start) if not narrow else text.ljust(end - start, "\0"))
        self.text = "".join(parts)

    def place(self, at: int) -> int:
        """The byte of the stream in which character `at` begins."""
        piece = bisect_right(self._starts, at) - 1
        if piece < 0:
            return 0
        first, width = self._places[piece]
        return first + (at - self._starts[piece]) * width


def _as_units(text: str, count: int) -> str:
    """As many characters as code units: one beyond the first plane is followed by a filler."""
    if max(text, default="") > "\uffff":
        text = "".join(char + "\0" if char > "\uffff" else char for char in text)
    return text.ljust(count, "\0")[:count]


def _pieces(clx: bytes) -> list[tuple[int, int, int]]:
    """First and end character of each piece, and where it lies."""
    at = 0
    while at + 3 <= len(clx) and clx[at] == 1:
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    if at + 5 > len(clx) or clx[at] != 2:
        raise Malformed("the table of pieces is missing")
    size = struct.unpack_from("<I", clx, at + 1)[0]
    table = clx[at + 5 : at + 5 + size]
    count = (len(table) - 4) // 12
    if count > MAX_PIECES:
        raise ResourceLimit("the text is in too many pieces")
    found: list[tuple[int, int, int]] = []
    for number in range(count):
        start, end = struct.unpack_from("<II", table, 4 * number)
        raw = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * number + 2)[0]
        if end > MAX_CHARS:
            raise ResourceLimit(f"more than {MAX_CHARS} characters")
        if end < start or (found and start != found[-1][1]):
            raise Malformed("pieces of the text that overlap")
        found.append((start, end, raw))
    return found

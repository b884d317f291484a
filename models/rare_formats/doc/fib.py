"""The head of a Word file: the streams of its parts and the length of each story. Streams in, positions out."""

import struct
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit, UnsupportedFormat
from quire.models.extract.formats.common.compound import CompoundFile

_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
"""Bits of the head: the file is encrypted; its tables are in `1Table` instead of `0Table`."""
_WORD_97: Final = 0xC0
"""The format version of Word 97."""
_PAIRS: Final = 154
"""Byte at which the positions of tables begin."""
STYLES, NOTE_PLACES, NOTES, COMMENTS, SECTIONS, LOOKS, PARAGRAPHS, PIECES, END_PLACES, ENDNOTES, LISTS, USES = (
    1, 2, 3, 5, 6, 12, 13, 33, 46, 47, 73, 74,
)  # fmt: skip
RUNNING, FONTS, SETTINGS, ANCHORS, DRAWINGS = 11, 15, 31, 40, 50
"""Numbers of the tables that are read."""


@dataclass(frozen=True, slots=True)
class WordStreams:
    """The streams `main` and `table`, and the lengths of the stories in characters."""

    main: bytes
    table: bytes
    text: int
    notes: int
    headers: int
    comments: int
    endnotes: int
    boxes: int

    def part(self, number: int) -> bytes:
        """Return one of the tables; empty when the file does not have it."""
        start, size = self._locate(number)
        return self.table[start : start + size]

    def after(self, number: int) -> bytes:
        """Return the bytes after one of the tables."""
        start, size = self._locate(number)
        return self.table[start + size :] if size else b""

    def _locate(self, number: int) -> tuple[int, int]:
        offset = _PAIRS + 8 * number
        if offset + 8 > len(self.main):
            return 0, 0
        start, size = struct.unpack_from("<II", self.main, offset)
        return start, size


def read_head(file: CompoundFile) -> WordStreams:
    """Read the head of the file.

    Raises:
        Encrypted: The file has a password.
        UnsupportedFormat: The file is older than Word 97.
        Malformed: The file holds no Word document.
    """
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
"""Pieces of one document; each edit since the last full save makes one."""
MAX_CHARS: Final = 50_000_000
"""Characters of all stories."""
_NARROW: Final = 0x40000000
"""The bit of a piece whose characters have one byte."""


class WordText:
    """All stories, one after the other; `place` returns the byte of the stream in which a character begins."""

    def __init__(self, streams: WordStreams) -> None:
        """Decode the pieces.

        Raises:
            Malformed: The table of pieces is missing or broken.
        """
        self._starts: list[int] = []
        self._places: list[tuple[int, int]] = []
        parts: list[str] = []
        for start, end, raw in _pieces(streams.part(PIECES)):
            is_narrow = bool(raw & _NARROW)
            first = (raw & 0x3FFFFFFF) // 2 if is_narrow else raw
            width = 1 if is_narrow else 2
            data = streams.main[first : first + (end - start) * width]
            text = data.decode("cp1252" if is_narrow else "utf-16-le", "replace")
            self._starts.append(start)
            self._places.append((first, width))
            parts.append(_as_units(text, end - start) if not is_narrow else text.ljust(end - start, "\0"))
        self.text = "".join(parts)

    def place(self, index: int) -> int:
        """Return the byte of the stream in which character `index` begins."""
        piece = bisect_right(self._starts, index) - 1
        if piece < 0:
            return 0
        first, width = self._places[piece]
        return first + (index - self._starts[piece]) * width


def _as_units(text: str, count: int) -> str:
    """Pad the text to one character per UTF-16 code unit: a filler follows each one beyond the first plane."""
    if max(text, default="") > "\uffff":
        text = "".join(char + "\0" if char > "\uffff" else char for char in text)
    return text.ljust(count, "\0")[:count]


def _pieces(clx: bytes) -> list[tuple[int, int, int]]:
    """Return the first and the end character of each piece, and its position.

    Raises:
        Malformed: The table is missing, or pieces overlap.
        ResourceLimit: There are too many pieces or characters.
    """
    offset = 0
    while offset + 3 <= len(clx) and clx[offset] == 1:
        offset += 3 + struct.unpack_from("<H", clx, offset + 1)[0]
    if offset + 5 > len(clx) or clx[offset] != 2:
        raise Malformed("the table of pieces is missing")
    size = struct.unpack_from("<I", clx, offset + 1)[0]
    table = clx[offset + 5 : offset + 5 + size]
    count = (len(table) - 4) // 12
    if count > MAX_PIECES:
        raise ResourceLimit("the text is in too many pieces")
    pieces: list[tuple[int, int, int]] = []
    for number in range(count):
        start, end = struct.unpack_from("<II", table, 4 * number)
        raw = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * number + 2)[0]
        if end > MAX_CHARS:
            raise ResourceLimit(f"more than {MAX_CHARS} characters")
        if end < start or (pieces and start != pieces[-1][1]):
            raise Malformed("pieces of the text that overlap")
        pieces.append((start, end, raw))
    return pieces

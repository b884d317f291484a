"""The head of a Word file: which streams hold what, and how long each story is. Streams in, places out."""

import struct
from dataclasses import dataclass
from typing import Final

from models.cdom.errors import Encrypted, Malformed, UnsupportedFormat
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

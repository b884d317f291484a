"""Records of the binary workbook format (BIFF 5 and 8): a stream in, records with their continuations out."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

CONTINUE: Final = 0x3C
"""The record that continues the one before."""


@dataclass(frozen=True, slots=True)
class BiffRecord:
    """A record; `parts` is its data and that of the records that continue it."""

    kind: int
    parts: tuple[bytes, ...]

    @property
    def data(self) -> bytes:
        """Data of the record without its continuations."""
        return self.parts[0]


def read_records(stream: bytes, offset: int = 0) -> Iterator[BiffRecord]:
    """Yield records from an offset to the end of the stream."""
    kind, parts = -1, [b""]
    while offset + 4 <= len(stream):
        next_kind, size = struct.unpack_from("<HH", stream, offset)
        data = stream[offset + 4 : offset + 4 + size]
        offset += 4 + size
        if next_kind == CONTINUE and kind >= 0:
            parts.append(data)
            continue
        if kind >= 0:
            yield BiffRecord(kind, tuple(parts))
        kind, parts = next_kind, [data]
    if kind >= 0:
        yield BiffRecord(kind, tuple(parts))


class StringReader:
    """Reads strings that cross record borders, where the width of their characters is stated again."""

    def __init__(self, parts: tuple[bytes, ...], offset: int = 0) -> None:
        self._parts, self._part, self._offset = parts, 0, offset

    @property
    def ended(self) -> bool:
        """Whether all parts are read."""
        return self._part >= len(self._parts) - 1 and self._offset >= len(self._parts[-1])

    def take(self, count: int) -> bytes:
        """Return the next bytes, also across a border."""
        out = b""
        while len(out) < count and not self.ended:
            self._next_part()
            piece = self._parts[self._part][self._offset : self._offset + count - len(out)]
            self._offset += len(piece)
            out += piece
        return out

    def skip(self, count: int) -> None:
        """Skip bytes, also across borders."""
        while count > 0 and not self.ended:
            self._next_part()
            step = min(count, len(self._parts[self._part]) - self._offset)
            self._offset += step
            count -= step

    def number(self, size: int) -> int:
        """Read a little-endian integer of `size` bytes."""
        return int.from_bytes(self.take(size), "little")

    def characters(self, count: int, *, wide: bool) -> str:
        """Read `count` characters; after a border a byte states their width again."""
        out: list[str] = []
        while count > 0 and not self.ended:
            if self._offset >= len(self._parts[self._part]):
                self._next_part()
                wide = bool(self.number(1) & 1)
            remaining = len(self._parts[self._part]) - self._offset
            available = min(count, remaining // 2 if wide else remaining)
            if available <= 0:
                self._offset = len(self._parts[self._part])
                continue
            raw = self.take(available * (2 if wide else 1))
            out.append(raw.decode("utf-16-le" if wide else "latin-1", "replace"))
            count -= available
        return "".join(out)

    def string(self, length_bytes: int = 2) -> str:
        """Read a string with its length, flags, formatting and pronunciation; return only its text."""
        count = self.number(length_bytes)
        flags = self.number(1)
        runs = self.number(2) if flags & 8 else 0
        extra = self.number(4) if flags & 4 else 0
        text = self.characters(count, wide=bool(flags & 1))
        self.skip(4 * runs + extra)
        return text

    def _next_part(self) -> None:
        while self._offset >= len(self._parts[self._part]) and self._part < len(self._parts) - 1:
            self._part, self._offset = self._part + 1, 0

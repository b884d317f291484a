"""Records of the binary workbook format (BIFF 5 and 8): a stream in, records with what continues them out."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

CONTINUE: Final = 0x3C
"""The record that goes on with the one before."""


@dataclass(frozen=True, slots=True)
class BiffRecord:
    """`parts` is the record's data and those of the records that continue it."""

    kind: int
    parts: tuple[bytes, ...]

    @property
    def data(self) -> bytes:
        return self.parts[0]


def read_records(stream: bytes, at: int = 0) -> Iterator[BiffRecord]:
    """Records from a place on, to the end of the stream."""
    kind, parts = -1, [b""]
    while at + 4 <= len(stream):
        found, size = struct.unpack_from("<HH", stream, at)
        data = stream[at + 4 : at + 4 + size]
        at += 4 + size
        if found == CONTINUE and kind >= 0:
            parts.append(data)
            continue
        if kind >= 0:
            yield BiffRecord(kind, tuple(parts))
        kind, parts = found, [data]
    if kind >= 0:
        yield BiffRecord(kind, tuple(parts))


class StringReader:
    """Reads strings that run over the borders of records, where the width of their characters is stated anew."""

    def __init__(self, parts: tuple[bytes, ...], at: int = 0) -> None:
        self._parts, self._part, self._at = parts, 0, at

    @property
    def ended(self) -> bool:
        return self._part >= len(self._parts) - 1 and self._at >= len(self._parts[-1])

    def take(self, count: int) -> bytes:
        """The next bytes, also across a border."""
        out = b""
        while len(out) < count and not self.ended:
            self._turn()
            piece = self._parts[self._part][self._at : self._at + count - len(out)]
            self._at += len(piece)
            out += piece
        return out

    def skip(self, count: int) -> None:
        while count > 0 and not self.ended:
            self._turn()
            step = min(count, len(self._parts[self._part]) - self._at)
            self._at += step
            count -= step

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def characters(self, count: int, *, wide: bool) -> str:
        """`count` characters; after a border a byte says how wide they are from there on."""
        out: list[str] = []
        while count > 0 and not self.ended:
            if self._at >= len(self._parts[self._part]):
                self._turn()
                wide = bool(self.number(1) & 1)
            rest = len(self._parts[self._part]) - self._at
            many = min(count, rest // 2 if wide else rest)
            if many <= 0:
                self._at = len(self._parts[self._part])
                continue
            raw = self.take(many * (2 if wide else 1))
            out.append(raw.decode("utf-16-le" if wide else "latin-1", "replace"))
            count -= many
        return "".join(out)

    def string(self, length_bytes: int = 2) -> str:
        """A string with its length, its flags, its looks and reading aids; only its text is kept."""
        count = self.number(length_bytes)
        flags = self.number(1)
        runs = self.number(2) if flags & 8 else 0
        extra = self.number(4) if flags & 4 else 0
        text = self.characters(count, wide=bool(flags & 1))
        self.skip(4 * runs + extra)
        return text

    def _turn(self) -> None:
        while self._at >= len(self._parts[self._part]) and self._part < len(self._parts) - 1:
            self._part, self._at = self._part + 1, 0

"""MAPI properties of a message, a recipient or an attachment: a storage of a compound file in, their values out."""

import struct
from functools import cached_property
from typing import Final

from models.cdom.errors import ResourceLimit
from models.extract.formats.common.compound import CompoundFile, StreamPath, decode, filetime

FIXED: Final = "__properties_version1.0"
MAX_PROPERTIES: Final = 5_000
"""Of one storage; Outlook writes some two hundred."""
_NARROW, _WIDE, _BINARY, _TIME, _LONG = 0x1E, 0x1F, 0x102, 0x40, 0x03
"""Types of properties by their MAPI numbers."""
_INTERNET_CODE_PAGE, _MESSAGE_CODE_PAGE = 0x3FDE, 0x3FFD
"""Properties by their MAPI numbers."""


class MapiStorage:
    """The properties of one storage; `code_page` is that of the message around it, when it states none."""

    def __init__(self, file: CompoundFile, path: StreamPath, *, header_bytes: int, code_page: int = 1252) -> None:
        self._file, self.path = file, path
        self._header_bytes = header_bytes
        self._outer_code_page = code_page

    @cached_property
    def _fixed(self) -> dict[int, tuple[int, bytes]]:
        """Values of eight bytes by the number of their property, with their type."""
        data = self._file.read((*self.path, FIXED))[self._header_bytes :]
        found: dict[int, tuple[int, bytes]] = {}
        for at in range(0, min(len(data), 16 * MAX_PROPERTIES) - 15, 16):
            kind, number = struct.unpack_from("<HH", data, at)
            found.setdefault(number, (kind, data[at + 8 : at + 16]))
        return found

    @cached_property
    def code_page(self) -> int:
        """Of texts that are not Unicode."""
        return self.number(_MESSAGE_CODE_PAGE) or self._outer_code_page

    def text(self, number: int) -> str:
        """A text property, empty when it is missing."""
        if self._file.has(*self.path, _stream(number, _WIDE)):
            raw = self._file.read((*self.path, _stream(number, _WIDE)))
            return raw.decode("utf-16-le", "replace").rstrip("\0")
        raw = self._file.read((*self.path, _stream(number, _NARROW)))
        return decode(raw, self.code_page).rstrip("\0") if raw else ""

    def data(self, number: int) -> bytes:
        """A binary property, empty when it is missing."""
        return self._file.read((*self.path, _stream(number, _BINARY)))

    def number(self, number: int) -> int:
        kind, raw = self._fixed.get(number, (0, b""))
        return int.from_bytes(raw[:4], "little") if kind == _LONG else 0

    def time(self, number: int) -> str | None:
        """A point in time as ISO text."""
        kind, raw = self._fixed.get(number, (0, b""))
        return filetime(int.from_bytes(raw, "little")) if kind == _TIME else None

    def markup(self, number: int) -> str:
        """A property that holds HTML, as text or as bytes in the code page of the internet message."""
        if text := self.text(number):
            return text
        raw = self.data(number)
        return decode(raw, self.number(_INTERNET_CODE_PAGE) or self.code_page) if raw else ""

    def inside(self, prefix: str) -> list[StreamPath]:
        """Storages in this one whose names begin so, in order."""
        depth = len(self.path)
        return sorted(
            path
            for path in self._file.storages
            if len(path) == depth + 1 and path[:depth] == self.path and path[depth].startswith(prefix)
        )


def _stream(number: int, kind: int) -> str:
    return f"__substg1.0_{number:04X}{kind:04X}"


MAX_BYTES: Final = 50_000_000
"""Of one body; the largest ordinary ones are pictures as text and have some megabytes."""
_START: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""The window's content before anything is unpacked, as the format states it."""
_WINDOW: Final = 4096
"""Bytes that references reach back, as the format says."""
_COMPRESSED, _PLAIN = b"LZFu", b"MELA"


def unpack_rtf(data: bytes) -> bytes:
    """The RTF; empty for what is none. Raises `ResourceLimit`."""
    if len(data) < 16 or data[8:12] not in (_COMPRESSED, _PLAIN):
        return b""
    if data[8:12] == _PLAIN:
        return data[16:]
    if struct.unpack_from("<I", data, 4)[0] > MAX_BYTES:
        raise ResourceLimit("a body unpacks to too much")
    window = bytearray(_START.ljust(_WINDOW, b" "))
    write, at = len(_START), 16
    out = bytearray()
    while at < len(data):
        control = data[at]
        at += 1
        for bit in range(8):
            if at >= len(data) or len(out) > MAX_BYTES:
                return bytes(out)
            if not control >> bit & 1:
                out.append(data[at])
                window[write] = data[at]
                write, at = (write + 1) % _WINDOW, at + 1
                continue
            token = int.from_bytes(data[at : at + 2], "big")
            at += 2
            start, length = token >> 4, (token & 15) + 2
            if start == write:
                return bytes(out)
            for step in range(length):
                byte = window[(start + step) % _WINDOW]
                out.append(byte)
                window[write] = byte
                write = (write + 1) % _WINDOW
    return bytes(out)

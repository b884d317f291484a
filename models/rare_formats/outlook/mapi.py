"""MAPI properties of a message, a recipient or an attachment: a storage of a compound file in, their values out."""

import struct
from functools import cached_property
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.extract.formats.common.compound import CompoundFile, StreamPath, decode, filetime

FIXED: Final = "__properties_version1.0"
MAX_PROPERTIES: Final = 5_000
"""Properties of one storage; Outlook writes about two hundred."""
_NARROW, _WIDE, _BINARY, _TIME, _LONG = 0x1E, 0x1F, 0x102, 0x40, 0x03
"""Types of properties, by their MAPI numbers."""
_INTERNET_CODE_PAGE, _MESSAGE_CODE_PAGE = 0x3FDE, 0x3FFD
"""Properties, by their MAPI numbers."""


class MapiStorage:
    """The properties of one storage; `code_page` is the default from the message around it."""

    def __init__(self, file: CompoundFile, path: StreamPath, *, header_bytes: int, code_page: int = 1252) -> None:
        self._file, self.path = file, path
        self._header_bytes = header_bytes
        self._outer_code_page = code_page

    @cached_property
    def _fixed(self) -> dict[int, tuple[int, bytes]]:
        """Values of eight bytes by the number of their property, with their type."""
        data = self._file.read((*self.path, FIXED))[self._header_bytes :]
        values: dict[int, tuple[int, bytes]] = {}
        for offset in range(0, min(len(data), 16 * MAX_PROPERTIES) - 15, 16):
            kind, number = struct.unpack_from("<HH", data, offset)
            values.setdefault(number, (kind, data[offset + 8 : offset + 16]))
        return values

    @cached_property
    def code_page(self) -> int:
        """Code page of texts that are not Unicode."""
        return self.number(_MESSAGE_CODE_PAGE) or self._outer_code_page

    def text(self, number: int) -> str:
        """Return a text property; empty when it is missing."""
        if self._file.has(*self.path, _stream(number, _WIDE)):
            raw = self._file.read((*self.path, _stream(number, _WIDE)))
            return raw.decode("utf-16-le", "replace").rstrip("\0")
        raw = self._file.read((*self.path, _stream(number, _NARROW)))
        return decode(raw, self.code_page).rstrip("\0") if raw else ""

    def data(self, number: int) -> bytes:
        """Return a binary property; empty when it is missing."""
        return self._file.read((*self.path, _stream(number, _BINARY)))

    def number(self, number: int) -> int:
        """Return an integer property; 0 when it is missing."""
        kind, raw = self._fixed.get(number, (0, b""))
        return int.from_bytes(raw[:4], "little") if kind == _LONG else 0

    def time(self, number: int) -> str | None:
        """Return a time property as ISO text, if it is set."""
        kind, raw = self._fixed.get(number, (0, b""))
        return filetime(int.from_bytes(raw, "little")) if kind == _TIME else None

    def markup(self, number: int) -> str:
        """Return a property with HTML, stored as text or as bytes in the code page of the internet message."""
        if text := self.text(number):
            return text
        raw = self.data(number)
        return decode(raw, self.number(_INTERNET_CODE_PAGE) or self.code_page) if raw else ""

    def inside(self, prefix: str) -> list[StreamPath]:
        """Return the storages in this one whose names have the prefix, in order."""
        depth = len(self.path)
        return sorted(
            path
            for path in self._file.storages
            if len(path) == depth + 1 and path[:depth] == self.path and path[depth].startswith(prefix)
        )


def _stream(number: int, kind: int) -> str:
    return f"__substg1.0_{number:04X}{kind:04X}"


MAX_BYTES: Final = 50_000_000
"""Bytes of one body; the largest ordinary ones contain pictures as text and have a few megabytes."""
_START: Final = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""The window's initial content, by the format."""
_WINDOW: Final = 4096
"""Bytes that references reach back, by the format."""
_COMPRESSED, _PLAIN = b"LZFu", b"MELA"


def unpack_rtf(data: bytes) -> bytes:
    """Decompress RTF; return empty bytes for other data.

    Raises:
        ResourceLimit: The unpacked size exceeds `MAX_BYTES`.
    """
    if len(data) < 16 or data[8:12] not in (_COMPRESSED, _PLAIN):
        return b""
    if data[8:12] == _PLAIN:
        return data[16:]
    if struct.unpack_from("<I", data, 4)[0] > MAX_BYTES:
        raise ResourceLimit("a body unpacks to too much")
    window = bytearray(_START.ljust(_WINDOW, b" "))
    write_index, offset = len(_START), 16
    out = bytearray()
    while offset < len(data):
        control = data[offset]
        offset += 1
        for bit in range(8):
            if offset >= len(data) or len(out) > MAX_BYTES:
                return bytes(out)
            if not control >> bit & 1:
                out.append(data[offset])
                window[write_index] = data[offset]
                write_index, offset = (write_index + 1) % _WINDOW, offset + 1
                continue
            token = int.from_bytes(data[offset : offset + 2], "big")
            offset += 2
            start, length = token >> 4, (token & 15) + 2
            if start == write_index:
                return bytes(out)
            for step in range(length):
                byte = window[(start + step) % _WINDOW]
                out.append(byte)
                window[write_index] = byte
                write_index = (write_index + 1) % _WINDOW
    return bytes(out)

"""Compressed rich text of Outlook (MS-OXRTFCP): packed bytes in, RTF out. What it may unpack to is bounded."""

import struct
from typing import Final

from models.cdom.errors import ResourceLimit

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

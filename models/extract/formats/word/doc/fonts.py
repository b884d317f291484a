"""Fonts of a Word file: their table in, names by number out."""

import struct
from typing import Final

MAX_FONTS: Final = 4_096
"""Fonts of one file; the format counts them in sixteen bits, Word itself keeps some hundred."""
_HEAD_BYTES: Final = 39
"""Bytes of a font before its name, as the format says."""


def read_fonts(table: bytes) -> list[str]:
    """Names in the order that runs count them; what is cut off is left out."""
    fonts: list[str] = []
    count = struct.unpack_from("<H", table)[0] if len(table) >= 4 else 0
    at = 4
    for _ in range(min(count, MAX_FONTS)):
        if at >= len(table):
            break
        size = table[at]
        raw = table[at + 1 + _HEAD_BYTES : at + 1 + size]
        fonts.append(raw.decode("utf-16-le", "replace").partition("\0")[0])
        at += 1 + size
    return fonts

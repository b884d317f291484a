"""Properties of Word (`sprm`s): lists of changes in, codes and operands out; also runs of bytes that share them."""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

PAGE: Final = 512
"""Bytes of a page of properties."""
MAX_PAGES: Final = 100_000
"""Property pages of one kind: as many as a file of 50 MB can hold."""
_SIZES: Final = (1, 1, 2, 4, 2, 2, 0, 3)
"""Bytes of an operand by the last three bits of its code; 0 = the operand states its size."""
DEFINE_TABLE: Final = 0xD608
"""The property change with the positions of a row's cells."""
_CHANGE_TABS: Final = 0xC615
"""The property change whose operand may be longer than its length states."""


def read_sprms(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield code and operand of each property change, up to one that is incomplete."""
    offset = 0
    while offset + 2 < len(data):
        code = struct.unpack_from("<H", data, offset)[0]
        offset += 2
        size = _SIZES[code >> 13]
        if code == DEFINE_TABLE and offset + 2 <= len(data):
            size = struct.unpack_from("<H", data, offset)[0] + 1
            yield code, data[offset + 2 : offset + size]
        elif size == 0:
            size = data[offset] + 1
            if code == _CHANGE_TABS and data[offset] == 255:
                return
            yield code, data[offset + 1 : offset + size]
        else:
            yield code, data[offset : offset + size]
        offset += size


class PropertyRuns:
    """Properties by the byte at which they begin, read from the pages that a table lists."""

    def __init__(self, main: bytes, table: bytes, *, paragraphs: bool) -> None:
        self._starts: list[int] = []
        self._found: list[bytes] = []
        self._ends: list[int] = []
        count = max(0, (len(table) - 4) // 8)
        for number in range(min(count, MAX_PAGES)):
            page = struct.unpack_from("<I", table, 4 * (count + 1) + 4 * number)[0] & 0x3FFFFF
            self._read_page(main[page * PAGE : (page + 1) * PAGE], paragraphs=paragraphs)

    def at(self, position: int) -> bytes:
        """Return the properties of the run around a byte; empty when none are stated."""
        number = bisect_right(self._starts, position) - 1
        return self._found[number] if number >= 0 and position < self._ends[number] else b""

    def number(self, position: int) -> int:
        """Return the number of the run that contains a byte; runs with one number share their properties."""
        return bisect_right(self._starts, position) - 1

    def _read_page(self, page: bytes, *, paragraphs: bool) -> None:
        if len(page) < PAGE:
            return
        count = page[PAGE - 1]
        step = 13 if paragraphs else 1
        if 4 * (count + 1) + step * count > PAGE - 1:
            return
        for number in range(count):
            start, end = struct.unpack_from("<II", page, 4 * number)
            if self._starts and start < self._starts[-1]:
                return
            offset = 2 * page[4 * (count + 1) + step * number]
            self._starts.append(start)
            self._ends.append(end)
            self._found.append(_read_run(page, offset, paragraphs=paragraphs) if offset else b"")


def _read_run(page: bytes, offset: int, *, paragraphs: bool) -> bytes:
    size = page[offset]
    if not paragraphs:
        return page[offset + 1 : offset + 1 + size]
    if size:
        return page[offset + 1 : offset + 2 * size]
    return page[offset + 2 : offset + 2 + 2 * page[offset + 1]]

"""Properties of Word (`sprm`s): lists of changes in, codes and operands out; runs of bytes that share them."""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

PAGE: Final = 512
"""Bytes of a page of properties."""
MAX_PAGES: Final = 100_000
"""Pages of properties of one kind: as many as a file of 50 MB can hold."""
_SIZES: Final = (1, 1, 2, 4, 2, 2, 0, 3)
"""Bytes of an operand by the last three bits of its code; 0 = it states its own."""
DEFINE_TABLE: Final = 0xD608
"""The change that says where the cells of a row lie."""
_CHANGE_TABS: Final = 0xC615
"""The change whose operand may be longer than its length says."""


def read_sprms(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Code and operand of each change, to the end or to one that is cut off."""
    at = 0
    while at + 2 < len(data):
        code = struct.unpack_from("<H", data, at)[0]
        at += 2
        size = _SIZES[code >> 13]
        if code == DEFINE_TABLE and at + 2 <= len(data):
            size = struct.unpack_from("<H", data, at)[0] + 1
            yield code, data[at + 2 : at + size]
        elif size == 0:
            size = data[at] + 1
            if code == _CHANGE_TABS and data[at] == 255:
                return
            yield code, data[at + 1 : at + size]
        else:
            yield code, data[at : at + size]
        at += size


class PropertyRuns:
    """Which properties hold from which byte on; read from the pages that a table names."""

    def __init__(self, main: bytes, table: bytes, *, paragraphs: bool) -> None:
        self._starts: list[int] = []
        self._found: list[bytes] = []
        self._ends: list[int] = []
        count = max(0, (len(table) - 4) // 8)
        for number in range(min(count, MAX_PAGES)):
            page = struct.unpack_from("<I", table, 4 * (count + 1) + 4 * number)[0] & 0x3FFFFF
            self._read_page(main[page * PAGE : (page + 1) * PAGE], paragraphs=paragraphs)

    def at(self, place: int) -> bytes:
        """The properties of the run around a byte; empty where none is stated."""
        number = bisect_right(self._starts, place) - 1
        return self._found[number] if number >= 0 and place < self._ends[number] else b""

    def number(self, place: int) -> int:
        """Which run a byte lies in; runs of one number look alike."""
        return bisect_right(self._starts, place) - 1

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
            self._found.append(_run(page, offset, paragraphs=paragraphs) if offset else b"")


def _run(page: bytes, at: int, *, paragraphs: bool) -> bytes:
    size = page[at]
    if not paragraphs:
        return page[at + 1 : at + 1 + size]
    if size:
        return page[at + 1 : at + 2 * size]
    return page[at + 2 : at + 2 + 2 * page[at + 1]]

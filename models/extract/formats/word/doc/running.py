"""What runs above and below the pages of a Word file: its head in, headers and footers with their place out.

The story of headers holds three separators of notes and three of endnotes, then six texts for each section.
"""

import struct
from collections.abc import Iterator
from typing import Final

from models.cdom.tree import BlockType
from models.extract.formats.word.doc.fib import RUNNING, SECTIONS, SETTINGS, WordStreams
from models.extract.formats.word.doc.sprms import read_sprms

_SEPARATORS: Final = 6
"""Texts before those of the first section."""
_EVEN, _FIRST = (0, 2), (4, 5)
"""Numbers of a section's texts for even pages and for its first page; 1 and 3 are those of all others."""
_HEADERS: Final = (0, 1, 4)
"""Numbers of those above the text; the others stand below it."""
_TITLE_PAGE: Final = 0x300A
"""The change that gives a section's first page texts of its own."""
_FACING: Final = 1
"""Bit of the settings: even pages have texts of their own."""
_SECTION_BYTES: Final = 12
"""Bytes that the table of sections holds for each beside its place."""

RunningStory = tuple[BlockType, int, int]
"""Header or footer, and the characters it lies between."""


def running_stories(streams: WordStreams) -> Iterator[RunningStory]:
    """The headers and footers that are switched on, section by section."""
    table = streams.part(RUNNING)
    count = len(table) // 4
    bounds = struct.unpack_from(f"<{count}i", table)
    titled = _titled(streams)
    facing = bool(streams.part(SETTINGS)[:1] and streams.part(SETTINGS)[0] & _FACING)
    story = streams.text + streams.notes
    for at in range(_SEPARATORS, count - 1):
        section, which = divmod(at - _SEPARATORS, 6)
        on = facing if which in _EVEN else which not in _FIRST or (section < len(titled) and titled[section])
        start, end = bounds[at], min(bounds[at + 1], streams.headers)
        if on and 0 <= start < end:
            yield (BlockType.PAGE_HEADER if which in _HEADERS else BlockType.PAGE_FOOTER), story + start, story + end


def _titled(streams: WordStreams) -> list[bool]:
    """By section whether its first page has texts of its own."""
    table = streams.part(SECTIONS)
    count = max(0, (len(table) - 4) // (4 + _SECTION_BYTES))
    found: list[bool] = []
    for at in range(count):
        place = struct.unpack_from("<i", table, 4 * (count + 1) + _SECTION_BYTES * at + 2)[0]
        size = struct.unpack_from("<H", streams.main, place)[0] if 0 < place <= len(streams.main) - 2 else 0
        changes = read_sprms(streams.main[place + 2 : place + 2 + size]) if size else iter(())
        found.append(any(code == _TITLE_PAGE and operand[:1] not in (b"", b"\0") for code, operand in changes))
    return found

"""Lists of a Word file: their levels in, the label of each item out, counted in document order."""

import struct
from dataclasses import dataclass, field
from typing import Final

from quire.models.extract.formats.flow.counting import alphabetic, roman
from quire.models.rare_formats.doc.fib import LISTS, USES, WordStreams

MAX_LISTS: Final = 20_000
"""List definitions; Word itself fails above about two thousand."""
_LEVELS: Final = 9
"""Levels of a list, by the format."""
_BULLET, _NONE = 23, 255
"""Number formats without a number, as the format numbers them."""
_LIST_BYTES, _LEVEL_BYTES, _USE_BYTES = 28, 28, 16
"""Bytes of the format's records."""
_BULLET_LABEL: Final = "•"


@dataclass(frozen=True, slots=True)
class WordListLevel:
    """A list level: `kind` is the number format; in `text` the character n stands for the number of level n."""

    start: int = 1
    kind: int = 0
    text: str = "\0."


@dataclass(slots=True)
class WordLists:
    """Levels by list, and lists by the number that paragraphs state."""

    levels: dict[int, list[WordListLevel]] = field(default_factory=dict)
    uses: list[int] = field(default_factory=list)
    _counts: dict[int, list[int]] = field(default_factory=dict)

    def label(self, use: int, level: int) -> str | None:
        """Return the label of the next item: a bullet for an unnumbered list, None for an unknown one."""
        if not 1 <= use <= len(self.uses):
            return None
        number = self.uses[use - 1]
        levels = self.levels.get(number)
        if not levels:
            return None
        level = min(level, len(levels) - 1)
        counts = self._counts.setdefault(number, [0] * _LEVELS)
        counts[level] = counts[level] + 1 if counts[level] else levels[level].start
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)
        list_level = levels[level]
        if list_level.kind == _BULLET:
            return _BULLET_LABEL
        if list_level.kind == _NONE:
            return list_level.text.strip() or None
        shown = (
            _format_number(counts[ord(char)] or levels[min(ord(char), len(levels) - 1)].start, levels, ord(char))
            if ord(char) < _LEVELS
            else char
            for char in list_level.text
        )
        return "".join(shown).strip() or None


def read_lists(streams: WordStreams) -> WordLists:
    """Return the lists of a file, without incomplete records."""
    lists = WordLists()
    try:
        _read_levels(streams, lists)
        table = streams.part(USES)
        count = min(struct.unpack_from("<I", table)[0], MAX_LISTS)
        lists.uses = [struct.unpack_from("<i", table, 4 + _USE_BYTES * i)[0] for i in range(count)]
    except (struct.error, IndexError):
        pass
    return lists


def _read_levels(streams: WordStreams, lists: WordLists) -> None:
    table, level_data = streams.part(LISTS), streams.after(LISTS)
    count = struct.unpack_from("<H", table)[0] if table else 0
    offset = 0
    for number in range(min(count, MAX_LISTS)):
        start = 2 + _LIST_BYTES * number
        key = struct.unpack_from("<i", table, start)[0]
        levels: list[WordListLevel] = []
        for _ in range(1 if table[start + 26] & 1 else _LEVELS):
            level, offset = _read_level(level_data, offset)
            levels.append(level)
        lists.levels[key] = levels


def _read_level(data: bytes, offset: int) -> tuple[WordListLevel, int]:
    first, kind = struct.unpack_from("<iB", data, offset)
    looks, paragraphs = data[offset + 24], data[offset + 25]
    offset += _LEVEL_BYTES + looks + paragraphs
    count = struct.unpack_from("<H", data, offset)[0]
    text = data[offset + 2 : offset + 2 + 2 * count].decode("utf-16-le", "replace")
    return WordListLevel(max(0, first), kind, text), offset + 2 + 2 * count


def _format_number(number: int, levels: list[WordListLevel], level: int) -> str:
    kind = levels[level].kind if level < len(levels) else 0
    match kind:
        case 1:
            return roman(number).upper()
        case 2:
            return roman(number)
        case 3:
            return alphabetic(number).upper()
        case 4:
            return alphabetic(number)
        case 22:
            return f"{number:02d}"
        case _:
            return str(number)

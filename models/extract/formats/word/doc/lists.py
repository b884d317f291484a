"""Lists of a Word file: their levels in, the label of each item out, counted as the text goes on."""

import struct
from dataclasses import dataclass, field
from typing import Final

from models.extract.formats.flow.counting import alphabetic, roman
from models.extract.formats.word.doc.fib import LISTS, USES, WordStreams

MAX_LISTS: Final = 20_000
"""Definitions of lists; Word itself fails above some two thousand."""
_LEVELS: Final = 9
"""Levels of a list, as the format says."""
_BULLET, _NONE = 23, 255
"""Kinds of numbers that are none, by the numbers of the format."""
_LIST_BYTES, _LEVEL_BYTES, _USE_BYTES = 28, 28, 16
"""Bytes of the records of the format."""
_BULLET_LABEL: Final = "•"


@dataclass(frozen=True, slots=True)
class WordListLevel:
    """`kind` says how numbers are written; `text` holds the number of level n as the character n."""

    start: int = 1
    kind: int = 0
    text: str = "\0."


@dataclass(slots=True)
class WordLists:
    """Levels by list, lists by the number that paragraphs state."""

    levels: dict[int, list[WordListLevel]] = field(default_factory=dict)
    uses: list[int] = field(default_factory=list)
    _counts: dict[int, list[int]] = field(default_factory=dict)

    def label(self, use: int, level: int) -> str | None:
        """The label of the next item; None for a list that is not known, a bullet for one without numbers."""
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
        here = levels[level]
        if here.kind == _BULLET:
            return _BULLET_LABEL
        if here.kind == _NONE:
            return here.text.strip() or None
        shown = (
            _write(counts[ord(char)] or levels[min(ord(char), len(levels) - 1)].start, levels, ord(char))
            if ord(char) < _LEVELS
            else char
            for char in here.text
        )
        return "".join(shown).strip() or None


def read_lists(streams: WordStreams) -> WordLists:
    """The lists of a file; what is cut off is left out."""
    lists = WordLists()
    try:
        _read_levels(streams, lists)
        table = streams.part(USES)
        count = min(struct.unpack_from("<I", table)[0], MAX_LISTS)
        lists.uses = [struct.unpack_from("<i", table, 4 + _USE_BYTES * at)[0] for at in range(count)]
    except (struct.error, IndexError):
        pass
    return lists


def _read_levels(streams: WordStreams, lists: WordLists) -> None:
    table, rest = streams.part(LISTS), streams.after(LISTS)
    count = struct.unpack_from("<H", table)[0] if table else 0
    at = 0
    for number in range(min(count, MAX_LISTS)):
        start = 2 + _LIST_BYTES * number
        key = struct.unpack_from("<i", table, start)[0]
        levels: list[WordListLevel] = []
        for _ in range(1 if table[start + 26] & 1 else _LEVELS):
            level, at = _read_level(rest, at)
            levels.append(level)
        lists.levels[key] = levels


def _read_level(data: bytes, at: int) -> tuple[WordListLevel, int]:
    first, kind = struct.unpack_from("<iB", data, at)
    looks, paragraphs = data[at + 24], data[at + 25]
    at += _LEVEL_BYTES + looks + paragraphs
    count = struct.unpack_from("<H", data, at)[0]
    text = data[at + 2 : at + 2 + 2 * count].decode("utf-16-le", "replace")
    return WordListLevel(max(0, first), kind, text), at + 2 + 2 * count


def _write(number: int, levels: list[WordListLevel], level: int) -> str:
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

"""What a file says, as the statement counts it: characters without blanks, by what must become of them."""

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from models.extract.readers.docx.package.xml import Element

REFORMATTED = "reformatted"
"""Characters that the tree says in another form: values by their number format, formulas as LaTeX, markup."""
REPEATED = "repeated"
"""Text that the file says several times of which the tree has it once: running heads, fallbacks, alternatives."""
NOT_SHOWN = "not_shown"
"""Text that stands beside what the file shows: heads switched off, notes, comments, prompts of empty places."""
_SHAPELESS = re.compile(r"[\s\x80-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Blanks and signs without a shape outside ASCII."""
_SHAPELESS_ASCII = bytes([*range(33), 127])
_LETTERS_OF_ASCII = bytes(point for point in range(256) if point > 127 or chr(point).isalnum() or chr(point).isspace())
_SIGNS_OF_ASCII = bytes(point for point in range(128) if not chr(point).isalnum())
_SIGN = re.compile(r"[\W_]")
_ASCII = 128
"""Code points of ASCII, most of what files say: counted in one short array."""


def visible_characters(text: str) -> str:
    """The text without blanks and without what has no shape."""
    if not text:
        return ""
    visible = text.encode("utf-8", "surrogatepass").translate(None, _SHAPELESS_ASCII).decode("utf-8", "surrogatepass")
    return visible if visible.isascii() or visible.isprintable() else _SHAPELESS.sub("", visible)


def part_signs(text: str) -> tuple[str, str]:
    """Letters and digits of a text, and its other signs, without blanks."""
    said = text.encode("utf-8", "surrogatepass")
    letters = said.translate(None, _SIGNS_OF_ASCII).decode("utf-8", "surrogatepass")
    signs = said.translate(None, _LETTERS_OF_ASCII).decode("ascii")
    if letters.isalnum() or not letters:
        return letters, signs
    return _SIGN.sub("", letters), signs + "".join(_SIGN.findall(letters))


def words_of(node: Element | None) -> str:
    """All text inside an element."""
    return etree.tostring(node, method="text", encoding="unicode", with_tail=False) if node is not None else ""


def part_common(one: str, other: str) -> tuple[str, str]:
    """Two texts without what both begin and end with."""
    if one == other:
        return "", ""
    start = _count_common(one, other)
    end = min(_count_common(one[::-1], other[::-1]), min(len(one), len(other)) - start)
    return one[start : len(one) - end], other[start : len(other) - end]


def _count_common(one: str, other: str) -> int:
    """Characters with which both begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


@dataclass(slots=True)
class StatedText:
    """`text` must be in the tree; `formed` may be there in another form; `other` may be missing, for that reason."""

    text: list[str] = field(default_factory=list)
    formed: list[str] = field(default_factory=list)
    other: dict[str, list[str]] = field(default_factory=dict)
    excluded: Counter[str] = field(default_factory=Counter)

    def exclude(self, reason: str, text: str) -> None:
        """Characters that are in no visible block, by their number."""
        self.excluded[reason] += len(visible_characters(text))

    def allow(self, reason: str, text: str) -> None:
        """Text that may be in the tree and, where it is not, is left out for that reason."""
        self.other.setdefault(reason, []).append(text)

    def add(self, other: "StatedText") -> None:
        """What another part of the file says."""
        self.text += other.text
        self.formed += other.formed
        for reason, texts in other.other.items():
            self.other.setdefault(reason, []).extend(texts)
        self.excluded += other.excluded


class CharacterTally:
    """How often each character of a visible text occurs: `ascii` by code point, `others` too."""

    __slots__ = ("ascii", "others")

    def __init__(self, text: str) -> None:
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        self.others: Counter[int] = Counter()
        if not text.isascii():
            outside = points >= _ASCII
            found, counts = np.unique(points[outside], return_counts=True)
            self.others.update(dict(zip(found.tolist(), counts.tolist(), strict=True)))
            points = points[~outside]
        self.ascii = np.bincount(points, minlength=_ASCII)

    def take(self, found: "CharacterTally") -> int:
        """Characters that are in `found` too, taken out of both; how many."""
        both = np.minimum(self.ascii, found.ascii)
        self.ascii -= both
        found.ascii -= both
        taken = int(both.sum())
        for char in self.others.keys() & found.others.keys():
            part = min(self.others[char], found.others[char])
            self.others[char] -= part
            found.others[char] -= part
            taken += part
        return taken

    def total(self) -> int:
        return int(self.ascii.sum()) + self.others.total()

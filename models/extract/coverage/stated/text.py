"""What a file says, as the statement counts it: characters without blanks, by what must become of them."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from models.extract.coverage.painted import strip_bytes
from models.extract.formats.common.xml import Element

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
"""Code points of ASCII, most of what files say."""
_ASCII_BYTES, _OTHER_BYTES = bytes(range(_ASCII)), bytes(range(_ASCII, 256))
_LONG = 1500
"""Characters from which on an array is worth its making."""
_FIRST_STEP = 64
"""Characters of two texts that are compared at once, four times as many each time that they are the same."""


def visible_characters(text: str) -> str:
    """The text without blanks and without what has no shape."""
    left, printable = strip_bytes(text, _SHAPELESS_ASCII)
    return left if printable else _SHAPELESS.sub("", left)


def part_signs(text: str) -> tuple[str, str]:
    """Letters and digits of a text, and its other signs, without blanks."""
    said = text.encode("utf-8", "surrogatepass")
    letters = said.translate(None, _SIGNS_OF_ASCII).decode("utf-8", "surrogatepass")
    signs = said.translate(None, _LETTERS_OF_ASCII).decode("ascii")
    if letters.isascii() or letters.isalnum():
        return letters, signs
    return _SIGN.sub("", letters), signs + "".join(_SIGN.findall(letters))


def words_of(node: Element | None) -> str:
    """All text inside an element."""
    return etree.tostring(node, method="text", encoding="unicode", with_tail=False) if node is not None else ""


def part_common(one: str, other: str) -> tuple[str, str]:
    """Two texts without what both begin and end with."""
    if one == other:
        return "", ""
    most = min(len(one), len(other))
    here, there = len(one), len(other)
    start = _count_common(lambda low, end: one[low:end] == other[low:end], most)
    end = _count_common(lambda low, end: one[here - end : here - low] == other[there - end : there - low], most - start)
    return one[start : here - end], other[start : there - end]


def _count_common(same: Callable[[int, int], bool], most: int) -> int:
    """Characters that two texts share from one of their ends on, at most so many; `same` compares from … to there."""
    low, step = 0, _FIRST_STEP
    while low < most:
        end = min(low + step, most)
        if same(low, end):
            low, step = end, step * 4
        elif end - low == 1:
            break
        else:
            most, step = end - 1, max(1, (end - low) // 4)
    return low


@dataclass(slots=True)
class StatedText:
    """`text` must be in the tree; `formed` may be there in another form; `other` may be missing, for that reason.

    `signs_apart`: the text is letters and digits only, its signs are among what is formed.
    """

    text: list[str] = field(default_factory=list)
    formed: list[str] = field(default_factory=list)
    other: dict[str, list[str]] = field(default_factory=dict)
    excluded: Counter[str] = field(default_factory=Counter)
    signs_apart: bool = False

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


def tally(text: str) -> Counter[str]:
    """How often each character occurs; long texts are counted as arrays."""
    if len(text) < _LONG:
        return Counter(text)
    said = text.encode("utf-8", "surrogatepass")
    found: Counter[str] = Counter()
    if not text.isascii():
        found.update(said.translate(None, _ASCII_BYTES).decode("utf-8", "surrogatepass"))
        said = said.translate(None, _OTHER_BYTES)
    counts: list[int] = np.bincount(np.frombuffer(said, np.uint8), minlength=_ASCII).tolist()
    found.update({chr(point): count for point, count in enumerate(counts) if count})
    return found


def take_common(part: Counter[str], found: Counter[str]) -> int:
    """Characters that are in both, taken out of both; how many."""
    taken = 0
    for char, count in part.items():
        there = found.get(char, 0)
        if there:
            both = min(count, there)
            part[char], found[char] = count - both, there - both
            taken += both
    return taken

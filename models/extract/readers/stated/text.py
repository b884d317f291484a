"""What a file says, as the statement counts it: characters without blanks, by what must become of them."""

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

REFORMATTED = "reformatted"
"""Characters that the tree says in another form: values by their number format, formulas as LaTeX, markup."""
REPEATED = "repeated"
"""Text that the file says several times of which the tree has it once: running heads, fallbacks, alternatives."""
NOT_SHOWN = "not_shown"
"""Text that stands beside what the file shows: heads switched off, notes, comments, prompts of empty places."""
_NO_CHARACTER = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
_SHAPELESS = re.compile(rf"\s|{_NO_CHARACTER.pattern}")
_ASCII = 128
"""Code points of ASCII, most of what files say: counted in one short array."""
_FEW = 300
"""Characters: so many are counted one by one before an array of them is sorted."""
_SHAPELESS_ASCII = np.array([point for point in range(_ASCII) if _SHAPELESS.match(chr(point))], np.intp)
_OUTSIDE_ASCII = re.compile("[^\x00-\x7f]+")


def visible_characters(text: str) -> str:
    """The text without blanks and without what has no shape."""
    joined = "".join(text.split())
    return joined if joined.isascii() and joined.isprintable() else _NO_CHARACTER.sub("", joined)


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
    """How often each character with a shape occurs: `ascii` by code point, `others` by character."""

    __slots__ = ("ascii", "others")

    def __init__(self, texts: list[str]) -> None:
        text = "".join(texts)
        self.others: Counter[str] = Counter()
        if not text.isascii():
            self.others = _count_others("".join(_OUTSIDE_ASCII.findall(text)))
            for char in [char for char in self.others if _SHAPELESS.match(char)]:
                del self.others[char]
        self.ascii = np.bincount(np.frombuffer(text.encode("ascii", "ignore"), np.uint8), minlength=_ASCII)
        self.ascii[_SHAPELESS_ASCII] = 0

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


def _count_others(text: str) -> Counter[str]:
    if len(text) <= _FEW:
        return Counter(text)
    found, counts = np.unique(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), return_counts=True)
    return Counter(dict(zip(map(chr, found.tolist()), counts.tolist(), strict=True)))

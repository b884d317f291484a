"""What a file says, as the statement counts it: characters without blanks, by what must become of them."""

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

REFORMATTED = "reformatted"
"""Characters that the tree says in another form: values by their number format, formulas as LaTeX, markup."""
REPEATED = "repeated"
"""Text that the file says several times of which the tree has it once: running heads, fallbacks, alternatives."""
NOT_SHOWN = "not_shown"
"""Text that stands beside what the file shows: heads switched off, notes, comments, prompts of empty places."""
_NO_CHARACTER = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
_FIRST_PLANE = "".join(map(chr, range(0x10000)))
_SHAPELESS = np.array([found.start() for found in re.finditer(rf"\s|{_NO_CHARACTER.pattern}", _FIRST_PLANE)], np.intp)
"""Code points without a shape, in order; all of them are in the first plane."""

CharacterTally = npt.NDArray[np.int64]
"""How often each code point occurs."""
NONE: CharacterTally = np.zeros(0, np.int64)


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


def count_characters(texts: list[str]) -> CharacterTally:
    """How often each character with a shape occurs."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    counts = np.bincount(points)
    counts[_SHAPELESS[: np.searchsorted(_SHAPELESS, len(counts))]] = 0
    return counts

"""Text of a file as the coverage statement counts it: characters without blanks, by their required form in the tree."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from quire.models.extract.coverage.account import strip_bytes
from quire.models.extract.formats.common.xml import Element

REFORMATTED = "reformatted"
"""Characters that the tree has in another form: values by their number format, formulas as LaTeX, markup."""
REPEATED = "repeated"
"""Text that the file has several times and the tree once: running heads, fallbacks, alternatives."""
NOT_SHOWN = "not_shown"
"""Text that the file does not show: disabled heads, notes, comments, prompts of empty fields."""
_SHAPELESS = re.compile(r"[\s\x80-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Blanks and invisible characters outside ASCII."""
_SHAPELESS_ASCII = bytes([*range(33), 127])
_LETTERS_OF_ASCII = bytes(point for point in range(256) if point > 127 or chr(point).isalnum() or chr(point).isspace())
_SIGNS_OF_ASCII = bytes(point for point in range(128) if not chr(point).isalnum())
_SIGN = re.compile(r"[\W_]")
_ASCII = 128
"""Number of ASCII code points, which are most characters of most files."""
_ASCII_BYTES, _OTHER_BYTES = bytes(range(_ASCII)), bytes(range(_ASCII, 256))
_LONG = 1500
"""Characters from which on counting with an array is faster."""
_FIRST_STEP = 64
"""Characters of two texts that are compared first; four times as many after each match."""


def visible_characters(text: str) -> str:
    """Return the text without blanks and invisible characters."""
    left, printable = strip_bytes(text, _SHAPELESS_ASCII)
    return left if printable else _SHAPELESS.sub("", left)


def part_signs(text: str) -> tuple[str, str]:
    """Return the letters and digits of a text, and its other signs, without blanks."""
    data = text.encode("utf-8", "surrogatepass")
    letters = data.translate(None, _SIGNS_OF_ASCII).decode("utf-8", "surrogatepass")
    signs = data.translate(None, _LETTERS_OF_ASCII).decode("ascii")
    if letters.isascii() or letters.isalnum():
        return letters, signs
    return _SIGN.sub("", letters), signs + "".join(_SIGN.findall(letters))


def words_of(node: Element | None) -> str:
    """Return all text inside an element."""
    return etree.tostring(node, method="text", encoding="unicode", with_tail=False) if node is not None else ""


def part_common(a: str, b: str) -> tuple[str, str]:
    """Return two texts without their common start and end."""
    if a == b:
        return "", ""
    most = min(len(a), len(b))
    size_a, size_b = len(a), len(b)
    start = _count_common(lambda low, end: a[low:end] == b[low:end], most)
    end = _count_common(lambda low, end: a[size_a - end : size_a - low] == b[size_b - end : size_b - low], most - start)
    return a[start : size_a - end], b[start : size_b - end]


def _count_common(same: Callable[[int, int], bool], most: int) -> int:
    """Return how many characters two texts share from one end on, at most `most`; `same` compares a range."""
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
    """Text that a file states.

    Attributes:
        text: Must be in the tree.
        formed: May be in the tree in another form.
        other: May be missing, by reason.
        excluded: Number of characters in no visible block, by reason.
        signs_apart: Whether `text` has letters and digits only and `formed` the signs.
    """

    text: list[str] = field(default_factory=list)
    formed: list[str] = field(default_factory=list)
    other: dict[str, list[str]] = field(default_factory=dict)
    excluded: Counter[str] = field(default_factory=Counter)
    signs_apart: bool = False

    def exclude(self, reason: str, text: str) -> None:
        """Count the characters of a text that is in no visible block."""
        self.excluded[reason] += len(visible_characters(text))

    def allow(self, reason: str, text: str) -> None:
        """Add text that may be in the tree or left out for that reason."""
        self.other.setdefault(reason, []).append(text)

    def add(self, part: "StatedText") -> None:
        """Add the text of another part of the file."""
        self.text += part.text
        self.formed += part.formed
        for reason, texts in part.other.items():
            self.other.setdefault(reason, []).extend(texts)
        self.excluded += part.excluded


def tally(text: str) -> Counter[str]:
    """Count each character; long texts are counted as arrays."""
    if len(text) < _LONG:
        return Counter(text)
    data = text.encode("utf-8", "surrogatepass")
    total: Counter[str] = Counter()
    if not text.isascii():
        total.update(data.translate(None, _ASCII_BYTES).decode("utf-8", "surrogatepass"))
        data = data.translate(None, _OTHER_BYTES)
    counts: list[int] = np.bincount(np.frombuffer(data, np.uint8), minlength=_ASCII).tolist()
    total.update({chr(point): count for point, count in enumerate(counts) if count})
    return total


def take_common(part: Counter[str], remaining: Counter[str]) -> int:
    """Remove the characters that both have from both and return their number."""
    taken = 0
    for char, count in part.items():
        available = remaining.get(char, 0)
        if available:
            both = min(count, available)
            part[char], remaining[char] = count - both, available - both
            taken += both
    return taken

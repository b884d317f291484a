"""A copy of a text on which patterns cannot be dodged, with a map back to the original offsets.

NFKC, format characters and stray combining marks dropped, look-alike letters and digits of other scripts folded,
dashes and spaces unified, percent- and entity-encoding decoded once, right-to-left overrides undone.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+|&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,10});")
_FOREIGN = re.compile(r"[^\x00-\x7e]+")
_EITHER = re.compile(f"{_ENCODED.pattern}|{_FOREIGN.pattern}")
_TURN, _TURNED = "\u202e", re.compile("\u202e([^\u202c]*)\u202c?")
_LOOKALIKES = str.maketrans(
    "АВЕКМНОРСТУХЅІЈаеорсухѕіјԁһӏԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρυıİ‐‑‒–—―−⁃։。",
    "ABEKMHOPCTYXSIJaeopcyxsijdhlqwABEZHIKMNOPTYXoavpuiI--------:.",
)
_CONTROLS = str.maketrans("\t\x0b\x0c\r\x1c\x1d\x1e\x1f", " " * 8)
"""A tab parts words as a blank does."""
_CONTROL = re.compile("[\t\x0b\x0c\r\x1c-\x1f]")
_ZERO_LENGTH = ("Cf", "Mn", "Me")

Edit = tuple[int, int, int, int]
"""`copy[a:b]` stands for `original[c:d]`; between edits every character stands for itself."""
Char = tuple[str, int, int]
"""A character of the copy and the half-open range of the original it stands for."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """A normalised text and its mapping to the original.

    `edits` are in order. `chars` replaces them when the characters are in another order than in the original.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    chars: tuple[tuple[int, int], ...] | None = None

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original covered by `text[start:end]` (start < end)."""
        if self.chars is not None:
            covered = self.chars[start:end]
            return min(char[0] for char in covered), max(char[1] for char in covered)
        if not self.edits:
            return start, end
        return self._original(start)[0], self._original(end - 1)[1]

    def _original(self, index: int) -> tuple[int, int]:
        """Return the range of the original that character `index` of the copy comes from."""
        number = bisect_right(self.edits, index, key=lambda edit: edit[0]) - 1
        if number < 0:
            return index, index + 1
        _, copy_end, first, last = self.edits[number]
        return (first, last) if index < copy_end else (index - copy_end + last, index - copy_end + last + 1)


def normalise(text: str) -> Normalised:
    """Return the detection copy of `text`."""
    if _CONTROL.search(text) is not None:
        text = text.translate(_CONTROLS)
    encoded = ("%" in text or "&" in text) and _ENCODED.search(text) is not None
    if text.isascii() and not encoded:
        return Normalised(text)
    if _TURN in text:
        return _normalise_turned(text)
    parts: list[str] = []
    edits: list[Edit] = []
    copied = length = 0
    for match in (_EITHER if encoded else _FOREIGN).finditer(text):
        start, end = match.span()
        length += start - copied
        parts.append(text[copied:start])
        copied = end
        run = match.group()
        if run[0] not in "%&":
            length = _add_folded(run, start, length, parts, edits)
            continue
        decoded = _decoded(run)
        if _TURN in decoded:
            return _normalise_turned(text)
        folded = "".join(map(_fold, decoded))
        parts.append(folded)
        edits.append((length, length + len(folded), start, end))
        length += len(folded)
    parts.append(text[copied:])
    return Normalised("".join(parts), tuple(edits))


def _add_folded(run: str, start: int, length: int, parts: list[str], edits: list[Edit]) -> int:
    """Append a run's folded characters, with an edit for each that changes length; return the copy's new length."""
    for number, char in enumerate(run, start):
        folded = _fold(char)
        parts.append(folded)
        if len(folded) != 1:
            edits.append((length, length + len(folded), number, number + 1))
        length += len(folded)
    return length


@lru_cache(8192)
def _fold(char: str) -> str:
    """Return the plain form of a character: nothing, the character itself, or several characters."""
    if char < "\x7f":
        return char.translate(_CONTROLS)
    if unicodedata.category(char) in _ZERO_LENGTH:
        return ""
    return "".join(map(_plain, unicodedata.normalize("NFKC", char).translate(_LOOKALIKES)))


def _plain(char: str) -> str:
    if char.isspace():
        return "\n" if char in "\u2028\u2029\x85" else " "
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)


def _decoded(run: str) -> str:
    if run.startswith("&"):
        return html.unescape(run)
    try:
        return bytes.fromhex(run.replace("%", "")).decode()
    except UnicodeDecodeError:
        return run


def _normalise_turned(text: str) -> Normalised:
    """Character by character, for a text in which some are displayed from right to left."""
    chars = [(folded, start, end) for char, start, end in _turn_back(_decode_chars(text)) for folded in _fold(char)]
    return Normalised("".join(c[0] for c in chars), chars=tuple((c[1], c[2]) for c in chars))


def _decode_chars(text: str) -> list[Char]:
    """Characters with their origin; an encoded run becomes its characters, each standing for the whole run."""
    chars: list[Char] = []
    copied = 0
    for match in _ENCODED.finditer(text):
        chars += [(text[i], i, i + 1) for i in range(copied, match.start())]
        chars += [(char, match.start(), match.end()) for char in _decoded(match.group())]
        copied = match.end()
    return chars + [(text[i], i, i + 1) for i in range(copied, len(text))]


def _turn_back(chars: list[Char]) -> list[Char]:
    text = "".join(char[0] for char in chars)
    for match in _TURNED.finditer(text):
        chars[match.start(1) : match.end(1)] = chars[match.start(1) : match.end(1)][::-1]
    return chars

"""Characters as small numbers: a letter by its place in the alphabet of its script, everything else by what it is.

Accents are taken off, so that one table serves all languages of a script.
"""

import unicodedata
from typing import Final

EDGE: Final = 0
"""Blanks, punctuation and signs: where a word begins or ends."""
LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґјљњћђџѓќѕў"
GREEK: Final = "αβγδεζηθικλμνξοπρστυφχψω"
FIRSTS: Final = {"latin": 1, "cyrillic": 32, "greek": 80}
"""The code of the first letter of each judged script; the others follow."""
ALPHABETS: Final = {"latin": LATIN, "cyrillic": CYRILLIC, "greek": GREEK}
DIGIT: Final = 108  # a code beyond those of all letters
OTHER: Final = 110
"""Letters of scripts without statistics."""
BAD: Final = 112
"""What is no character at all: replacement, private-use and control characters."""

_FOLDED: Final = {
    "ß": "s", "æ": "a", "ø": "o", "đ": "d", "ł": "l", "þ": "t", "ð": "d", "ı": "i", "œ": "o", "ŋ": "n", "ə": "e",
    "ς": "σ", "ё": "е",
}  # fmt: skip
_MOST_REMEMBERED: Final = 4096
"""Characters whose code is remembered: more than any page uses, few enough for a file of all of Unicode."""


def _code_of(char: str) -> int:
    for one in (char, char.lower()):
        low = _FOLDED.get(one, one)
        for script, alphabet in ALPHABETS.items():
            if low in alphabet:
                return FIRSTS[script] + alphabet.index(low)
    category = unicodedata.category(char)
    if char.isspace():
        return EDGE
    if category in {"Cn", "Co", "Cs", "Cc"} or char == "\ufffd":
        return BAD
    if category[0] == "L":
        base = unicodedata.normalize("NFKD", char.lower())[0]
        return OTHER if base == char or not base.isalpha() else _code_of(base)
    return DIGIT if category[0] == "N" else EDGE


class _Codes(dict[int, str]):
    """For `str.translate`: code points to characters whose numbers are the codes."""

    def __missing__(self, point: int) -> str:
        code = chr(_code_of(chr(point)))
        if len(self) < _MOST_REMEMBERED:
            self[point] = code
        return code


_CODES: Final = _Codes()


def encode_letters(text: str) -> bytes:
    """The codes of the text's characters, one byte each."""
    return text.translate(_CODES).encode("latin-1")

"""Classes of characters, and texts that are figures, by their code points."""

from typing import Final

_FIGURE: Final = frozenset("$€£%+-−.,()/~≈<>≤≥± ")
_EXPONENT: Final = frozenset("eE")
_UNIT: Final = frozenset("%*†")
_MOST_UNIT: Final = 3
"""Letters after a figure: its unit."""

DIGIT: Final = 1  # classes of a first character
LOWER: Final = 2  # another class
UPPER: Final = 3  # another class
OTHER: Final = 4
"""Classes of a first character."""


def is_figure(text: str) -> bool:
    """Return whether a text is a figure: digits, signs of numbers, and a unit of up to three letters."""
    count = len(text)
    start = 0
    while start < count and not text[start].isdecimal():
        if text[start] not in _FIGURE:
            return False
        start += 1
    if start == count:
        return False
    end = start + 1
    while end < count:
        sign = text[end]
        if not (sign.isdecimal() or sign in _FIGURE or sign in _EXPONENT):
            break
        end += 1
    if count - end > _MOST_UNIT:
        return False
    while end < count:
        sign = text[end]
        if not ("a" <= sign <= "z" or "A" <= sign <= "Z" or sign in _UNIT):
            return False
        end += 1
    return True


def kind_of(text: str) -> int:
    """Return the class of a text's first character."""
    first = text[:1]
    if first.isdigit():
        return DIGIT
    if first.islower():
        return LOWER
    return UPPER if first.isupper() else OTHER

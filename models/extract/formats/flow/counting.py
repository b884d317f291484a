"""Numbers that files state, and numbers of list items as letters and Roman numerals."""

from typing import Final

_ROMAN: Final = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
                 (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_MOST: Final = 3999
"""Greatest number written as a Roman numeral."""

MAX_DIGITS: Final = 9
"""Digits of a stated number that is used; longer ones exceed anything that a file can hold."""


def natural(text: str | None, otherwise: int) -> int:
    """Return the whole number that a file states in digits; `otherwise` for anything else.

    >>> natural("12", 1), natural("²", 1), natural("9" * 10, 1), natural(None, 1)
    (12, 1, 1, 1)
    """
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) <= MAX_DIGITS else otherwise


def roman(number: int) -> str:
    """Return a lower-case Roman numeral; plain digits outside 1..3999."""
    if not 1 <= number <= _MOST:
        return str(number)
    out = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        out += letters * times
    return out


def alphabetic(number: int) -> str:
    """Return the number as letters (a, b, … z, aa, bb, …); plain digits outside 1..780."""
    if not 1 <= number <= 780:
        return str(number)
    return chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)

"""Figures as tables print them: signs, brackets, currencies and grouped digits, parsed to exact numbers."""

import re
from decimal import Decimal

_FIGURE = re.compile(
    r"[\s$€£¥]*(?:(?P<open>\()[\s$€£¥]*)?(?:(?P<sign>[-−–+])[\s$€£¥]*)?"
    r"(?P<digits>\d[\d.,'  ]*+)\s*(?:[$€£¥%]\s*)?(?:\)\s*)?"
)

_NOTE_MARK = re.compile(r"(?<=[\d)%])[⁰¹²³⁴-⁹ᵃ-ᶻ]{1,2}(?:,[⁰¹²³⁴-⁹ᵃ-ᶻ]{1,2})*+\s*$")


def read_figure(text: str) -> Decimal | None:
    """Return the number that makes up the whole text, or None; a raised note mark after it does not count."""
    match = _FIGURE.fullmatch(_NOTE_MARK.sub("", text))
    if match is None:
        return None
    value = _read_digits(match["digits"].strip())
    if value is None:
        return None
    is_negative = bool(match["open"]) or match["sign"] in ("-", "−", "–")
    return -value if is_negative else value


def _read_digits(digits: str) -> Decimal | None:
    """Return the value of digits with separators between them, or None when they form no number."""
    plain = re.sub(r"[\s'  ]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+", plain):
        return Decimal(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+", plain):
        return Decimal(plain.replace(".", "").replace(",", "."))
    return None


def tolerance_of(values: list[Decimal]) -> Decimal:
    """Return half a unit of the last printed decimal for the sum of figures that were rounded separately.

    Whole numbers are counts and two decimals are money, which are not rounded.
    """
    exponent = min(0, *(int(value.as_tuple().exponent) for value in values))
    return Decimal(0) if exponent == 0 or exponent == -2 else Decimal(len(values)).sqrt() * Decimal(10) ** exponent / 2


def is_one_digit(gap: Decimal) -> bool:
    """Return whether one wrong digit explains the difference: a figure from 1 to 9, then zeros."""
    return gap != 0 and len(gap.normalize().as_tuple().digits) == 1

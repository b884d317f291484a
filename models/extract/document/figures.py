"""Figures as tables print them: signs, brackets, currencies and grouped digits read to exact numbers."""

import re
from decimal import Decimal

_FIGURE = re.compile(
    r"[\s$€£¥]*(?:(?P<open>\()[\s$€£¥]*)?(?:(?P<sign>[-−–+])[\s$€£¥]*)?"
    r"(?P<digits>\d[\d.,'  ]*+)\s*(?:[$€£¥%]\s*)?(?:\)\s*)?"
)


def read_figure(text: str) -> Decimal | None:
    """The number that is all of the text; null for anything else."""
    found = _FIGURE.fullmatch(text)
    if found is None:
        return None
    value = _read_digits(found["digits"].strip())
    if value is None:
        return None
    is_negative = bool(found["open"]) or found["sign"] in ("-", "−", "–")
    return -value if is_negative else value


def _read_digits(digits: str) -> Decimal | None:
    """The value of digits with signs between them; null for what is no number."""
    plain = re.sub(r"[\s'  ]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+", plain):
        return Decimal(plain.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+", plain):
        return Decimal(plain.replace(".", "").replace(",", "."))
    return None


def tolerance_of(values: list[Decimal]) -> Decimal:
    """Half a unit of the last printed place for the figures together: each was rounded alone.

    Whole numbers are counts and two places are money, which nobody rounds.
    """
    places = min(0, *(int(value.as_tuple().exponent) for value in values))
    return Decimal(0) if places == 0 or places == -2 else Decimal(len(values)).sqrt() * Decimal(10) ** places / 2


def is_one_digit(gap: Decimal) -> bool:
    """True for a difference that one wrong digit makes: one figure from 1 to 9, then zeros."""
    return gap != 0 and len(gap.normalize().as_tuple().digits) == 1

"""Printed numbers: separators, signs, currencies, percent, thousands and millions, powers of ten."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_FACTORS: Final = {
    **dict.fromkeys(("k", "K"), 3),
    **dict.fromkeys(("m", "M", "mn"), 6),
    **dict.fromkeys(("bn", "b", "B", "G"), 9),
    **dict.fromkeys(("T", "tn"), 12),
}
_NUMBER: Final = re.compile(
    r"[~≈<>]?\s*+([(\-−–+]?)\s*+[$€£¥]?\s*+([-−]?)(\d[\d,.'’ \u00a0\u2009\u202f]{0,30}+|\.\d{1,9})"
    r"\s*+(?:[eE]([+\-−]?\d{1,2}))?\s*+(%|k|K|mn|m|M|bn|B|b|G|T|tn|€|pp|°C)?\)?"
)
_FACTOR: Final = re.compile(r"[1×x]\s?(?:e|10\^?)([+−-]?\d{1,2})")
_BLANKS: Final = re.compile(r"['’ \u00a0\u2009\u202f]")
_THOUSANDS: Final = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_POINTS: Final = re.compile(r"\d{1,3}(\.\d{3}){2,}(,\d+)?")
FIRST_YEAR, LAST_YEAR = 1900, 2100
"""Years between which a whole number may be one."""


@dataclass(frozen=True, slots=True)
class Number:
    """A printed number; `step` is the value of one unit of its last digit, `unit` is `%` or empty."""

    value: float
    step: float
    unit: str = ""

    @property
    def is_year(self) -> bool:
        """Whether it may be a year."""
        return self.step == 1 and FIRST_YEAR < self.value < LAST_YEAR


@lru_cache(maxsize=4096)
def read_number(text: str) -> Number | None:
    """Return the number that is the whole text."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    digits = _BLANKS.sub("", match[3]).rstrip(".,")
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _POINTS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    if "," in digits or digits.count(".") > 1:
        return None
    power = read_sign(match[4]) + _FACTORS.get(match[5] or "", 0)
    value = float(digits) * math.pow(10, power)
    step = math.pow(10, power - len(digits.partition(".")[2]))
    is_negative = bool((match[1] and match[1] in "(-−–") or match[2])
    return Number(-value if is_negative else value, step, "%" if match[5] == "%" else "")


def read_sign(exponent: str | None) -> int:
    """Return the exponent of a power of ten, 0 without one."""
    return int(exponent.replace("−", "-")) if exponent else 0


def read_factor(text: str) -> float | None:
    """Return the factor that an axis prints at its end, such as `1e6` or `×10^6`."""
    match = _FACTOR.fullmatch(text)
    return math.pow(10, read_sign(match[1])) if match else None


def write_value(value: float, precision: float) -> str:
    """Return the value with the digits that the precision (in the value's unit) allows."""
    decimals = max(0, math.ceil(-math.log10(precision))) if 0 < precision < math.inf else 0
    text = f"{value:.{min(decimals, 9)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text

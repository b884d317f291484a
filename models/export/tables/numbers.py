"""Numbers in table cells, read by the decimal mark that the table itself uses."""

import re
from collections.abc import Iterable

_NUMBER = re.compile(
    r"(?P<open>\()?\s?(?P<sign>[-+−–])?\s?(?:[^\W\d_]{1,3}\.?|[$€£¥₹])?\s?(?P<sign2>[-−–])?\s?"
    r"(?P<digits>\d[\d.,'’\u00a0\u202f\u2009 ]{0,40}|[.,]\d{1,40})"
    r"\s?(?P<percent>%)?\s?(?:[^\W\d_]{1,3}\.?|[$€£¥₹])?\s?(?P<close>\))?(?P<after>[-−])?",
)
_GROUPED = re.compile(r"\d{1,3}(?P<mark>[.,'’\u00a0\u202f\u2009 ])\d{3}(?:(?P=mark)\d{3})*")
_DECIMALS = re.compile(r"(?P<mark>[.,])\d+$")


def find_decimal_mark(texts: Iterable[str]) -> str:
    """Return `,` if the numbers among the texts have decimal commas, otherwise `.`.

    Only unambiguous numbers count: `1,5` and `1.234,50` show a decimal comma, while `1,234` may be thousands.
    """
    votes = {".": 0, ",": 0}
    for text in texts:
        match = _NUMBER.fullmatch(text.strip())
        digits = match["digits"].strip() if match else ""
        if "." in digits and "," in digits:
            votes[max(".,", key=digits.rfind)] += 1
        elif (end := _DECIMALS.search(digits)) and len(digits) - end.start() != len(",000"):
            votes[end["mark"]] += 1
    return "," if votes[","] > votes["."] else "."


def read_number(text: str, decimal_mark: str) -> float | None:
    """Return the number that the whole text states, or None.

    Currency marks and units of up to three letters are ignored; parentheses and a minus on either side make the number
    negative; a percent sign divides it by 100.
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    whole, mark, fraction = match["digits"].strip().partition(decimal_mark)
    if not fraction.isdigit() and mark:
        return None
    if whole and not whole.isdigit():
        if not _GROUPED.fullmatch(whole):
            return None
        whole = re.sub(r"\D", "", whole)
    value = float(f"{whole or '0'}.{fraction or '0'}")
    if match["percent"]:
        value /= 100
    negative = match["open"] or match["after"] or "+" not in (match["sign"] or "+") or match["sign2"]
    return -value if negative else value

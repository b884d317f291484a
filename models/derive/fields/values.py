"""Finds and normalises values in text: dates to ISO, amounts to decimal strings, identifiers without spaces.

Results carry their offsets in the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class ValueType(StrEnum):
    """Type of a field's value."""

    TEXT = "text"
    DATE = "date"
    AMOUNT = "amount"
    NUMBER = "number"
    IDENTIFIER = "identifier"
    EMAIL = "email"
    PHONE = "phone"
    URL = "url"
    CURRENCY = "currency"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value inside a text: `raw` at [start, end); `normal` its comparable form; `confidence` 0..1."""

    raw: str
    start: int
    end: int
    normal: str
    confidence: float = 1.0


DIGIT = re.compile(r"\d")

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january janvier januar enero gennaio januari janeiro ene gen janv",
            "feb february fevrier février februar febrero febbraio februari fevereiro fev fevr",
            "mar march mars märz marz maerz marzo maart março marco mrt mär",
            "apr april avril abril aprile avr abr",
            "may mai mayo maggio mei maio mag",
            "jun june juin juni junio giugno junho giu",
            "jul july juillet juli julio luglio julho juil lug",
            "aug august août aout agosto augustus ago",
            "sep sept september septembre septiembre settembre setembro set",
            "oct october octobre oktober octubre ottobre outubro okt ott out",
            "nov november novembre noviembre novembro",
            "dec december décembre decembre dezember diciembre dicembre dezembro dez dic déc",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
DATE = re.compile(
    r"(?<![\w.,/-])(?:"
    r"(?P<iso>(?:19|20)\d\d\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,2})"
    r"|(?P<num>\d{1,2}\s?[-/.,']\s?\d{1,2}\s?[-/.,']\s?(?:(?:19|20)\d\d|\d\d))"
    rf"|(?P<dmy>\d{{1,2}}(?:st|nd|rd|th|er|º|\.)?[\s./-]*(?:de\s|of\s)?(?:{_MONTH})\b[.,]?[\s/'-]*(?:de\s)?(?:(?:19|20)\d\d|\d\d))"
    rf"|(?P<mdy>(?:{_MONTH})\b\.?\s*\d{{1,2}}(?:st|nd|rd|th)?(?:,\s*|\s+)(?:(?:19|20)\d\d|\d\d(?=\s|$|,)))"
    r"|(?P<cjk>(?:19|20)\d\d年\d{1,2}月\d{1,2}日)"
    r"|(?P<packed>(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))"
    r")(?:(?<=\b\d{8})(?!\d)|(?!/|\d(?!\d?:\d\d)))",
    re.IGNORECASE,
)


def find_dates(text: str) -> Iterator[FoundValue]:
    """Yield calendar dates; an ambiguous 03/04/2018 is read day first, with less confidence."""
    for match in DATE.finditer(text) if DIGIT.search(text) else ():
        day, confidence = _read_date(match.lastgroup or "", match.group())
        if day is not None:
            yield FoundValue(match.group().strip(), match.start(), match.end(), day.isoformat(), confidence)


def _read_date(kind: str, raw: str) -> tuple[date | None, float]:
    numbers = [int(part) for part in re.findall(r"\d+", raw)]
    if kind == "packed":
        return _day(int(raw[:4]), int(raw[4:6]), int(raw[6:])), 0.7
    if kind in ("iso", "cjk"):
        return _day(*numbers[:3]), 1.0
    if kind in ("dmy", "mdy"):
        name = re.search(rf"{_MONTH}", raw, re.IGNORECASE)
        month = MONTHS[name.group().lower()] if name else 0
        return _day(numbers[1], month, numbers[0]), 1.0
    first, second, year = numbers
    day = _day(year, second, first)
    if day is None:
        return _day(year, first, second), 0.9
    return day, 0.95 if first > 12 or first == second else 0.8


def _day(year: int, month: int, day: int) -> date | None:
    if year < 100:
        year += 2000 if year < 70 else 1900
    try:
        return date(year, month, day)
    except ValueError:
        return None


CURRENCIES = {
    mark: code
    for code, marks in {
        "EUR": "€ eur euro euros", "USD": "$ us$ usd", "GBP": "£ gbp", "MYR": "rm myr", "CHF": "chf fr.",
        "JPY": "¥ jpy",
        "INR": "₹ inr rs rs.", "SGD": "s$ sgd", "AUD": "a$ aud", "CAD": "c$ cad", "BRL": "r$ brl", "CNY": "cny",
        "SEK": "kr sek", "NOK": "nok", "DKK": "dkk", "PLN": "pln zł", "HKD": "hk$ hkd", "IDR": "idr",
    }.items()
    for mark in marks.split()
}  # fmt: skip
_CURRENCY = "|".join(re.escape(mark) for mark in sorted(CURRENCIES, key=len, reverse=True))
CURRENCY = re.compile(rf"(?<![^\W\d_])(?:{_CURRENCY})(?![^\W\d_])", re.IGNORECASE)
AMOUNT = re.compile(
    r"(?<![\w.,/:-])(?P<sign>[-−(]\s?)?(?P<before>(?:" + _CURRENCY + r")\s?\.?\s?)?(?P<sign2>[-−]\s?)?"
    r"(?P<number>\d{1,3}(?:[.,'\u2019\u00a0\u202f ]\d{3})+(?:[.,]\s?\d{1,2})?"
    r"|\d+(?:[.,]\s?\d{1,2})?|\.\d\d)"
    r"(?![\w/:%]|[.,-]\d)(?P<after>\s?(?:" + _CURRENCY + r")(?!\w))?",
    re.IGNORECASE,
)


def find_amounts(text: str, *, decimals: bool = True) -> Iterator[FoundValue]:
    """Yield amounts of money as decimal strings with `.`; with `decimals`, bare whole numbers are not money."""
    for match in AMOUNT.finditer(text) if DIGIT.search(text) else ():
        number = (
            match["number"].replace(" ", "") if "," in match["number"] or "." in match["number"] else match["number"]
        )
        marked = match["before"] or match["after"]
        if decimals and not marked and not re.search(r"[.,]\d\d$", number):
            continue
        sign = "-" if match["sign"] or match["sign2"] else ""
        yield FoundValue(match.group().strip(), match.start(), match.end(), sign + decimal_string(number))


def decimal_string(number: str) -> str:
    """Return `1234.50` for `1.234,5` and `1,234.50`; a last group of three digits is thousands."""
    digits = re.sub(r"[^\d.,]", "", number)
    match = re.search(r"[.,](\d{1,2})$", digits)
    whole = re.sub(r"\D", "", digits[: match.start()] if match else digits).lstrip("0") or "0"
    return f"{whole}.{match.group(1).ljust(2, '0')}" if match else whole


def find_currency(text: str) -> str | None:
    """Return the ISO code of the first currency named in `text`."""
    match = CURRENCY.search(text)
    return CURRENCIES[match.group().lower()] if match else None


EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", re.ASCII)
URL = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]{3,}", re.IGNORECASE)
PHONE = re.compile(r"(?<![\w.+/-])(?:\+\d{1,3}[\s.-]?)?(?:\(\d{1,4}\)[\s.-]?)?\d{1,4}(?:[\s.-]?\d{2,4}){2,4}(?![\w/-])")
IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){2,7}(?:\s?[A-Z0-9]{1,3})?(?!\w)")
VAT_ID = re.compile(
    r"(?<!\w)(?:ATU|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK)\s?"
    r"(?=(?:\s?\w){8,12}(?!\w))(?:[\dA-Z]{2}\s?)?\d(?:\s?\d){6,10}(?:B\d\d)?(?!\w)"
)


def find_ibans(text: str) -> Iterator[FoundValue]:
    """Yield IBANs with correct check digits."""
    for match in IBAN.finditer(text) if DIGIT.search(text) else ():
        compact = re.sub(r"\s", "", match.group())
        if 15 <= len(compact) <= 34 and _mod97(compact) == 1:
            yield FoundValue(match.group(), match.start(), match.end(), compact)


def _mod97(iban: str) -> int:
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97


NUMBERED = re.compile(r"#?\s?(?:[A-Z]{1,6}[ -])?[A-Z]{0,4}[\w/#.-]{0,80}\d[\w/#.-]*(?:\s\d[\d/-]*)*", re.IGNORECASE)


def trim_identifier(value: str) -> str:
    """Return the leading number of `562044387 du 02 Juillet 2015` or `7 Page 1/1`; other values stay unchanged."""
    match = NUMBERED.match(value)
    return match.group().strip() if match and re.match(r"\s+[^\w\s]*\s*[^\W\d]", value[match.end() :]) else value


CONTACTS = {ValueType.EMAIL: EMAIL, ValueType.PHONE: PHONE}
TRAILING = 20
"""Characters behind a date or amount up to which they belong to the value (a time, a mark)."""


def trim_value(value: str, kind: ValueType) -> str:
    """Return the value without further words."""
    if kind is ValueType.IDENTIFIER:
        return trim_identifier(value)
    if kind in CONTACTS:
        match = CONTACTS[kind].search(value)
        return match.group().strip() if match and any(map(str.isalpha, value[match.end() :])) else value
    finder = {ValueType.DATE: find_dates, ValueType.AMOUNT: find_amounts}.get(kind)
    first = next(finder(value), None) if finder else None
    if first is None:
        return value
    return first.raw if len(value) > len(first.raw) + TRAILING or value[first.end :][:1] == "/" else value


def normalise(value: str, kind: ValueType) -> str | None:
    """Return the comparable form of a value of that type, or None for another type."""
    match kind:
        case ValueType.DATE:
            return next((parsed.normal for parsed in find_dates(value)), None)
        case ValueType.AMOUNT:
            return next((parsed.normal for parsed in find_amounts(value, decimals=False)), None)
        case ValueType.CURRENCY:
            return find_currency(value)
        case ValueType.EMAIL:
            email = EMAIL.search(value)
            return email.group().lower() if email else None
        case ValueType.PHONE:
            phone = PHONE.search(value)
            return re.sub(r"[^\d+]", "", phone.group()) if phone else None
        case ValueType.IDENTIFIER:
            return re.sub(r"\s+", "", value).strip("#:.,;-–").upper() or None
        case ValueType.NUMBER:
            number = re.search(r"-?\d[\d.,' ]*", value)
            return decimal_string(number.group()) if number else None
        case ValueType.URL | ValueType.TEXT | ValueType.BOOLEAN:
            return " ".join(value.split()) or None

"""Finds and normalises values in text: dates to ISO, amounts to decimal strings, identifiers without spaces.

Results carry their offsets in the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache


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
MAX_KNOWN = 120
"""Characters of a text whose dates and amounts are kept, because several rules read the lines of a page."""

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


_TO = r"\s*(?:[-–—]|to|until|through|thru|bis|au|al|tot|a|à)\s*"
_TURN = r"(?:st|nd|rd|th|er|º|\.)?"
RANGE = re.compile(
    r"(?<![\w.,/-])(?:"
    rf"(?P<mdy>(?P<m1>{_MONTH})\b\.?\s*(?P<d1>\d{{1,2}}){_TURN}{_TO}"
    rf"(?P<mend>(?:(?:{_MONTH})\b\.?\s*)?\d{{1,2}}{_TURN}(?:,\s*|\s+)(?:19|20)\d\d))"
    rf"|(?P<dmy>(?P<d2>\d{{1,2}}){_TURN}(?:\s*(?P<m2>{_MONTH})\b\.?)?{_TO}"
    rf"(?P<dend>\d{{1,2}}{_TURN}\s*(?:de\s|of\s)?(?:{_MONTH})\b[.,]?\s*(?:de\s)?(?:19|20)\d\d))"
    r"|(?P<num>(?P<d3>\d{1,2})(?P<sign>[./])(?P<m3>\d{1,2})(?:(?P=sign))?\s*[-–—]\s*"
    r"(?P<nend>\d{1,2}(?P=sign)\d{1,2}(?P=sign)(?:19|20)\d\d))"
    r")(?![\d/])",
    re.IGNORECASE,
)
"""Two dates of which the first leaves its year, or its month and year, to the second: `July 1 - July 31, 2014`."""


def find_dates(text: str) -> Iterator[FoundValue]:
    """Return calendar dates in reading order, both of a range.

    An ambiguous 03/04/2018 is read day first, with less confidence.
    """
    if not DIGIT.search(text):
        return iter(())
    return iter(_known_dates(text)) if len(text) <= MAX_KNOWN else _find_dates(text)


@lru_cache(maxsize=4_096)
def _known_dates(text: str) -> tuple[FoundValue, ...]:
    return tuple(_find_dates(text))


def _find_dates(text: str) -> Iterator[FoundValue]:
    end = 0
    for match in RANGE.finditer(text):
        dates = list(_read_range(match))
        if dates:
            yield from _single_dates(text, end, match.start())
            yield from dates
            end = match.end()
    yield from _single_dates(text, end, len(text))


def _single_dates(text: str, start: int, end: int) -> Iterator[FoundValue]:
    for match in DATE.finditer(text, start, end):
        day, confidence = _read_date(match.lastgroup or "", match.group())
        if day is not None:
            raw = match.group().strip()
            yield FoundValue(raw, match.start(), match.start() + len(raw), day.isoformat(), confidence)


def _read_range(match: re.Match[str]) -> Iterator[FoundValue]:
    """Yield the two dates of a range, or none if either is no calendar date or they are in the wrong order."""
    named = match["mdy"] is not None or match["dmy"] is not None
    name = next(group for group in ("mend", "dend", "nend") if match[group] is not None)
    day = int(match["d1"] or match["d2"] or match["d3"])
    year = int(match[name][-4:])
    numbers = [int(number) for number in re.findall(r"\d+", match[name])]
    if named:
        last_name = re.search(_MONTH, match[name], re.IGNORECASE)
        first_name = match["m1"] or match["m2"] or (last_name.group() if last_name else "")
        first_month = MONTHS[first_name.lower()]
        last_month = MONTHS[last_name.group().lower()] if last_name else first_month
        last_day = numbers[0]
    else:
        first_month, (last_day, last_month) = int(match["m3"]), numbers[:2]
    first, last = _day(year, first_month, day), _day(year, last_month, last_day)
    if (first is None or last is None) and not named:
        first, last = _day(year, day, first_month), _day(year, last_day, last_month)
    if first is not None and last is not None and first > last and first_month > last_month:
        first = _day(year - 1, first.month, first.day)
    if first is None or last is None or first > last:
        return
    stop = match.end("m1") if match["m1"] else 0
    end = max(match.end("d1"), match.end("d2"), match.end("m2"), match.end("m3"), stop)
    confidence = 1.0 if named else 0.8
    yield FoundValue(match.string[match.start() : end], match.start(), end, first.isoformat(), confidence)
    start = match.start(name)
    yield FoundValue(match[name], start, match.end(name), last.isoformat(), confidence)


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
    r"(?<![\w.,/:-])(?P<sign>[-−(]\s?)?(?P<before>(?:"
    + _CURRENCY
    + r")\s?(?:\.(?!\d\d(?!\d)))?\s?)?(?P<sign2>[-−]\s?)?"
    r"(?P<number>\d{1,3}(?:[.,'\u2019\u00a0\u202f ]\d{3})+(?:[.,]\s?\d{1,2})?"
    r"|\d+(?:[.,]\s?\d{1,2})?|\.\d\d)"
    r"(?![\w/:%]|[.,-]\d)(?P<after>\s?(?:" + _CURRENCY + r")(?!\w))?",
    re.IGNORECASE,
)


def find_amounts(text: str, *, decimals: bool = True) -> Iterator[FoundValue]:
    """Return amounts of money as decimal strings with `.`; with `decimals`, bare whole numbers are not money."""
    if not DIGIT.search(text):
        return iter(())
    return iter(_known_amounts(text, decimals)) if len(text) <= MAX_KNOWN else _find_amounts(text, decimals)


@lru_cache(maxsize=4_096)
def _known_amounts(text: str, decimals: bool) -> tuple[FoundValue, ...]:
    return tuple(_find_amounts(text, decimals))


def _find_amounts(text: str, decimals: bool) -> Iterator[FoundValue]:
    for match in AMOUNT.finditer(text):
        number = (
            match["number"].replace(" ", "") if "," in match["number"] or "." in match["number"] else match["number"]
        )
        marked = match["before"] or match["after"]
        if decimals and not marked and not re.search(r"[.,]\d\d$", number):
            continue
        sign = "-" if match["sign"] or match["sign2"] else ""
        end = match.end("number") if match["before"] and match["after"] else match.end()
        yield FoundValue(text[match.start() : end].strip(), match.start(), end, sign + decimal_string(number))


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

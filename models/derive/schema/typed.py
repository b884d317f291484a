"""Reads a leaf's value from a text: the JSON value of the leaf's type and the part of the text that states it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from math import inf
from typing import Any

from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.values import (
    CURRENCIES,
    CURRENCY,
    EMAIL,
    PHONE,
    URL,
    find_amounts,
    find_dates,
    find_ibans,
    trim_identifier,
)
from quire.models.derive.schema.nodes import Leaf
from quire.models.derive.schema.phrases import leaf_key, plain_words, split_name

MAX_TEXT = 2_000  # characters of a value
_MARK = "|".join(re.escape(mark) for mark in sorted(CURRENCIES, key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−–(]\s?)?(?P<before>(?:{_MARK})\s?(?:\.(?!\d\d(?!\d)))?\s?)?(?P<sign2>[-−]\s?)?"
    r"(?P<number>\d(?:[\d.,'’]|[ \u00a0\u202f](?=\d{3}(?!\d)))*|\.\d+)(?!\d|[/:-]\d)(?P<after>\s?(?:[-−](?!\w)|\)))?",
    re.IGNORECASE,
)
_NO_DIGIT = re.compile(r"\D")
_THOUSANDS = re.compile(r"\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\1\d{3})*")
_TIME = re.compile(
    r"(?<!\d)(?P<hour>[01]?\d|2[0-3])[:.h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?\s?(?P<half>[AaPp]\.?[Mm])?"
)
_TRUE = re.compile(r"(?:yes|true|oui|ja|s[ií]|sim|y|x|☑|☒|✓|✔|\[[xX]\])\W*", re.IGNORECASE)
_FALSE = re.compile(r"(?:no|false|non|nein|nee|n[ãa]o|n|☐|\[ ?\])\W*", re.IGNORECASE)
_NUMBERED = frozenset(
    {
        Key.INVOICE_NUMBER, Key.PO_NUMBER, Key.ORDER_NUMBER, Key.RECEIPT_NUMBER, Key.CUSTOMER_NUMBER,
        Key.VAT_ID, Key.REGISTRATION_NUMBER, Key.BIC,
    }
)  # fmt: skip
_MONEY = frozenset({Key.TOTAL, Key.SUBTOTAL, Key.TAX, Key.PAID, Key.CHANGE, Key.ROUNDING})
_MONEY_WORDS = frozenset({"amount", "price", "total", "tax", "vat", "cost", "net", "gross", "balance", "fee", "sum"})
_SHARE_WORDS = frozenset({"rate", "percent", "percentage", "pct", "share", "ratio", "margin"})
_PARTED = re.compile(r"\d[.,]\s\d\d(?!\d)")
"""A blank that a recogniser saw behind a decimal mark."""
_PERCENT = re.compile(r"\s?%")
_CONTACTS = {Key.EMAIL: EMAIL, Key.PHONE: PHONE, Key.FAX: PHONE, Key.WEBSITE: URL}


@dataclass(frozen=True, slots=True)
class TypedReading:
    """A value and the range of the text that states it; `share` of the text's characters that the range takes."""

    value: Any
    start: int
    end: int
    share: float


@lru_cache(maxsize=4_096)  # a cell is read to find its row, for its value, and to verify that value
def read_typed(text: str, leaf: Leaf) -> TypedReading | None:
    """Return the first reading of the text that the leaf accepts, or None."""
    if not text.strip() or len(text) > MAX_TEXT:
        return None
    if leaf.members:
        return _accepted(_find_members(text, leaf), text, leaf)
    for kind in leaf.kinds:
        found = _accepted(_READERS[kind](text, leaf), text, leaf)
        if found is not None:
            return found
    return None


def _accepted(spans: Iterator[tuple[Any, int, int]], text: str, leaf: Leaf) -> TypedReading | None:
    for value, start, end in spans:
        if leaf.accepts(value):
            return TypedReading(value, start, end, (end - start) / len(text.strip()))
    return None


def _find_members(text: str, leaf: Leaf) -> Iterator[tuple[Any, int, int]]:
    """Yield the members of an enumeration that the text names, the longest first; currencies also by their sign."""
    plain = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    for member, words in _named_members(leaf):
        if not all(word in plain for word in words):  # enumerations may have thousands of members
            continue
        spelled = r"[\W_]*".join(map(re.escape, words))
        match = re.search(rf"(?<!\w){spelled}(?!\w)", plain)
        if match is not None:
            yield member, match.start(), match.end()
    for match in CURRENCY.finditer(text):
        code = CURRENCIES[match.group().lower()]
        if code in leaf.members:
            yield code, match.start(), match.end()
    if any(isinstance(member, bool) for member in leaf.members):
        yield from (found for found in _find_boolean(text, leaf) if found[0] in leaf.members)


@lru_cache(maxsize=100)
def _named_members(leaf: Leaf) -> list[tuple[Any, list[str]]]:
    """Return the members of an enumeration with their words, the longest name first."""
    names = [(str(member), member) for member in leaf.members if not isinstance(member, bool)]
    ordered = sorted(names, key=lambda entry: (-len(entry[0]), entry[0]))
    split = [(member, re.findall(r"[^\W_]+", name.casefold())) for name, member in ordered]
    return [(member, words) for member, words in split if words]


def _find_number(text: str, leaf: Leaf) -> Iterator[tuple[float | int, int, int]]:
    is_money = _is_money(leaf)
    if is_money and _PARTED.search(text):
        for amount in find_amounts(text):
            yield float(amount.normal), amount.start, amount.end
    for match in _NUMBER.finditer(text):
        if is_money and _PERCENT.match(text, match.end()):
            continue
        number = _to_decimal(match["number"].rstrip(".,'’ "))
        if number is None:
            continue
        start, end = match.start(), match.end("number")
        stripped = match["number"].rstrip(".,'’ ")
        end -= len(match["number"]) - len(stripped)
        negative = match["sign2"] or (match["sign"] or "").strip() in ("-", "−", "–")
        if (match["after"] or "").strip() in ("-", "−"):
            negative, end = True, match.end()
        if (match["sign"] or "").strip() == "(":
            negative = negative or (match["after"] or "").strip() == ")"
            end = match.end() if negative else end
            start = start if negative else start + len(match["sign"])
        signed = -number if negative else number
        yield (
            (int(signed) if signed == signed.to_integral_value() and "." not in str(number) else float(signed)),
            start,
            end,
        )


def _is_money(leaf: Leaf) -> bool:
    """Return True for a leaf that names an amount of money, of which a percentage is never the value."""
    return _names_money(leaf.name, leaf_key(leaf))


@lru_cache(maxsize=10_000)
def _names_money(name: str, key: Key | None) -> bool:
    words = set(plain_words(split_name(name)))
    return not words & _SHARE_WORDS and (key in _MONEY or bool(words & _MONEY_WORDS))


def _find_integer(text: str, leaf: Leaf) -> Iterator[tuple[int, int, int]]:
    least, most = _YEARS if _is_year(leaf.name) else (-inf, inf)
    for value, start, end in _find_number(text, leaf):
        if value == int(value) and least <= value <= most:
            yield int(value), start, end


_YEARS = (1_000, 2_999)  # first and last value of an integer whose name ends in `year`


@lru_cache(maxsize=2_000)
def _is_year(name: str) -> bool:
    words = split_name(name).casefold().split()
    return words[-1:] == ["year"] and not {"per", "in", "a", "each"}.intersection(words)


def _to_decimal(number: str) -> Decimal | None:
    """Return the value of figures with any marks: the last mark of two kinds is the decimal one.

    A single mark before three figures parts thousands, unless only a zero is in front of it.
    """
    if _THOUSANDS.fullmatch(number) and not number.startswith("0"):
        digits = _NO_DIGIT.sub("", number)
    else:
        last = max(number.rfind("."), number.rfind(","))
        whole, decimals = (number[:last], number[last + 1 :]) if last >= 0 else (number, "")
        digits = _NO_DIGIT.sub("", whole) + (f".{decimals}" if decimals else "")
        digits = digits if whole else "0" + digits
    try:
        return Decimal(digits)
    except InvalidOperation:
        return None


@lru_cache(maxsize=8_192)
def plain_number(text: str) -> float | None:
    """Return the number that is most of a short text, or None."""
    match = _NUMBER.search(text) if 0 < len(text) <= 30 else None
    number = _to_decimal(match["number"].rstrip(".,'’ ")) if match else None
    if match is None or number is None or 2 * len(match.group().strip()) < len(text.strip()):
        return None
    negative = match["sign2"] or match["sign"] or (match["after"] or "").strip() in ("-", "−")
    return -float(number) if negative else float(number)


def _find_boolean(text: str, leaf: Leaf) -> Iterator[tuple[bool, int, int]]:
    stripped = text.strip()
    start = text.index(stripped)
    for value, words in ((True, _TRUE), (False, _FALSE)):
        if words.fullmatch(stripped):
            yield value, start, start + len(stripped)


def _find_string(text: str, leaf: Leaf) -> Iterator[tuple[str, int, int]]:
    finder = _FORMATS.get(leaf.format or "")
    if finder is not None:
        yield from finder(text)
        return
    if leaf_key(leaf) in _NUMBERED and _is_sentence(text):
        return
    yield from _find_by_name(text, leaf)
    stripped = text.strip()
    start = text.index(stripped)
    yield " ".join(stripped.split()), start, start + len(stripped)
    if leaf.validator is not None:  # a part of the text may fulfil what the whole does not
        for match in re.finditer(r"\S+", text):
            yield match.group(), match.start(), match.end()
            bare = match.group().strip(".,;:()[]")
            if bare and bare != match.group():
                begin = match.start() + match.group().index(bare)
                yield bare, begin, begin + len(bare)


MAX_NUMBER_WORDS = 7  # words of a number with blanks


def _is_sentence(text: str) -> bool:
    """Return True for words that go on after the name of a number, and for many that do not begin with a number."""
    words, stripped = text.split(), text.strip()
    if "@" in text or (len(words) > 1 and not any(map(str.isdigit, text))):
        return True
    return len(words) > MAX_NUMBER_WORDS and trim_identifier(stripped) == stripped


def _find_by_name(text: str, leaf: Leaf) -> Iterator[tuple[str, int, int]]:
    """Yield what the lexicon expects of a property with this name: a currency, a contact, a number, a date."""
    key = leaf_key(leaf)
    if key is Key.CURRENCY:
        yield from ((CURRENCIES[mark.group().lower()], mark.start(), mark.end()) for mark in CURRENCY.finditer(text))
    elif key in _CONTACTS:
        yield from _of_pattern(_CONTACTS[key])(text)
    elif key is Key.IBAN:
        yield from ((found.normal, found.start, found.end) for found in find_ibans(text))
    elif key in _NUMBERED or (key is None and plain_words(split_name(leaf.name))[-1:] == ("number",)):
        start = len(text) - len(text.lstrip())
        number = trim_identifier(text.strip())
        yield number, start, start + len(number)
    elif key is not None and key.value.endswith("date"):
        yield from ((found.raw, found.start, found.end) for found in find_dates(text))


def _find_days(text: str) -> Iterator[tuple[str, int, int]]:
    yield from ((found.normal, found.start, found.end) for found in find_dates(text))


def _find_moments(text: str) -> Iterator[tuple[str, int, int]]:
    for found in find_dates(text):
        time = _TIME.search(text, found.end)
        if time is not None:
            yield f"{found.normal}T{_clock(time)}", found.start, time.end()


def _find_times(text: str) -> Iterator[tuple[str, int, int]]:
    yield from ((_clock(match), match.start(), match.end()) for match in _TIME.finditer(text))


def _clock(match: re.Match[str]) -> str:
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return f"{hour:02}:{match['minute']}:{match['second'] or '00'}"


def _of_pattern(pattern: re.Pattern[str]) -> Callable[[str], Iterator[tuple[str, int, int]]]:
    def find(text: str) -> Iterator[tuple[str, int, int]]:
        for match in pattern.finditer(text):
            found = match.group().rstrip()
            yield found, match.start(), match.start() + len(found)

    return find


_FORMATS: dict[str, Callable[[str], Iterator[tuple[str, int, int]]]] = {
    "date": _find_days,
    "date-time": _find_moments,
    "time": _find_times,
    "email": _of_pattern(EMAIL),
    "idn-email": _of_pattern(EMAIL),
    "uri": _of_pattern(URL),
}
_READERS: dict[str, Callable[[str, Leaf], Iterator[tuple[Any, int, int]]]] = {
    "string": _find_string,
    "number": _find_number,
    "integer": _find_integer,
    "boolean": _find_boolean,
}

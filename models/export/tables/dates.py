"""Dates in table columns, read in the order of day and month that the column itself shows."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import pairwise

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>(?:{'|'.join(_MONTHS)})[a-z]{{0,6}})\.?"
_NUMERIC = re.compile(r"(?P<first>\d{1,2})(?P<sign>[./-])(?P<second>\d{1,2})(?P=sign)(?P<year>\d{4}|\d{2})")
_OTHERS = (
    re.compile(r"(?P<year>\d{4})[-/.](?P<number>\d{1,2})[-/.](?P<day>\d{1,2})"),
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s./-]+{_MONTH}[\s,./-]+(?P<year>\d{{4}}|\d{{2}})", re.IGNORECASE),
    re.compile(rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})", re.IGNORECASE),
)
_CENTURY_FROM = 70
"""Two-digit years from here are of the last century, as spreadsheet programs read them."""
Read = Callable[[str], date | None]


def read_dates(texts: Sequence[str]) -> list[date | None]:
    """Return the date that each text of a column states; all None unless most texts that are not empty are dates.

    `03/04/2024` is read in the order that other dates of the column prove, by a number above 12 or because only this
    order is chronological. If neither is proven it stays None. With dots the day comes first.
    """
    stated = [text.strip() for text in texts]
    read = _choose(stated)
    dates = [read(text) for text in stated]
    like = sum(_is_like_date(text) for text in stated)
    return dates if 2 * like > sum(map(bool, stated)) else [None] * len(dates)


def read_iso(text: str | None) -> date | None:
    """Return the date of an ISO date or time, or None for other texts."""
    try:
        return date.fromisoformat((text or "")[:10])
    except ValueError:
        return None


def _choose(texts: Sequence[str]) -> Read:
    """Return the reader whose order of day and month the texts prove; without proof one that reads no numeric dates."""
    day_first, month_first = ([read(text) for text in texts] for read in (_day_first, _month_first))
    likes = sum(_is_like_date(text) for text in texts)
    whole = [sum(day is not None for day in days) == likes for days in (day_first, month_first)]
    if whole[0] != whole[1]:
        return _day_first if whole[0] else _month_first
    if all("." in text or not _NUMERIC.fullmatch(text) for text in texts) or day_first == month_first:
        return _day_first
    ordered = [_is_chronological(days) for days in (day_first, month_first)]
    if ordered[0] != ordered[1]:
        return _day_first if ordered[0] else _month_first
    return lambda text: None if _NUMERIC.fullmatch(text) else _day_first(text)


def _is_chronological(days: Sequence[date | None]) -> bool:
    known = [day for day in days if day is not None]
    steps = list(pairwise(known))
    return all(first <= second for first, second in steps) or all(first >= second for first, second in steps)


def _is_like_date(text: str) -> bool:
    return _NUMERIC.fullmatch(text) is not None or any(form.fullmatch(text) for form in _OTHERS)


def _day_first(text: str) -> date | None:
    return _read(text, month_first=False)


def _month_first(text: str) -> date | None:
    return _read(text, month_first=True)


def _read(text: str, *, month_first: bool) -> date | None:
    match = _NUMERIC.fullmatch(text)
    if match is not None:
        numbers = int(match["first"]), int(match["second"])
        day, month = numbers[::-1] if month_first and match["sign"] != "." else numbers
        return _make(match["year"], month, day)
    for form in _OTHERS:
        match = form.fullmatch(text)
        if match is not None:
            named = match.groupdict().get("month")
            month = int(match["number"]) if named is None else _MONTHS.index(named[:3].lower()) + 1
            return _make(match["year"], month, int(match["day"]))
    return None


def _make(year: str, month: int, day: int) -> date | None:
    number = int(year) if len(year) == len("2024") else int(year) + (1900 if int(year) >= _CENTURY_FROM else 2000)
    try:
        return date(number, month, day)
    except ValueError:
        return None

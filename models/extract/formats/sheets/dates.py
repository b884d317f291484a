"""Dates and times of spreadsheets: a serial number and a date format in, the displayed text out."""

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Final

_ERAS: Final = (
    (date(2019, 5, 1), "R", "令和"), (date(1989, 1, 8), "H", "平成"), (date(1926, 12, 25), "S", "昭和"),
    (date(1912, 7, 30), "T", "大正"), (date(1868, 1, 25), "M", "明治"),
)  # fmt: skip
"""First day, letter and name of the eras of Japan, newest first."""


@dataclass(frozen=True, slots=True)
class CalendarNames:
    """Names of months (with a day, alone, short) and of days from Monday (long, short) in one language."""

    months: tuple[str, ...]
    months_alone: tuple[str, ...]
    months_short: tuple[str, ...]
    days: tuple[str, ...]
    days_short: tuple[str, ...]


def _read_names() -> dict[str, CalendarNames]:
    """Read the names of the Unicode CLDR 46 by language tag and by Windows' language number in hexadecimal."""
    lines = Path(__file__).with_name("calendar_names.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return {key: CalendarNames(*(tuple(cell.split("|")) for cell in row[2:])) for row in rows for key in row[:2]}


_NAMES: Final = _read_names()
"""Read at once: a sandboxed reader has no files later."""
ENGLISH: Final = _NAMES["en"]
_LANGUAGE: Final = re.compile(
    r"\[\$[^\]-]*-(?:(?P<number>[0-9A-F]{3,8})|(?P<tag>[a-z]{2,3})(?:-[a-z0-9]+)*)[^\]]*\]", re.I
)
_CALENDAR: Final = frozenset("ymdebg")
HASHES: Final = "#" * 255
"""Excel's display of a value that its format cannot show."""
_LAST_SERIAL: Final = 2_958_465.999_999_999
"""31 December 9999: Excel displays hashes beyond it."""
_DATE_1904: Final = 1462
"""Days between the two epochs."""
_LEAP_DAY: Final = 60
"""29 February 1900, which Excel counts although it does not exist."""
_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<blank>.)|\*(?P<fill>.)|\[(?P<elapsed>h+|m+|s+)\]'
    r"|(?P<ampm>am/pm|a/p|上午/下午)|(?P<fraction>\.0+)|(?P<part>y+|m+|d+|h+|s+|e+|b+|g+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)


ELAPSED: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
"""Elapsed hours, minutes or seconds, which may be negative, unlike times of day."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time: `days` whole days, and `ticks` since midnight, of which a second has `scale`."""

    day: date | None
    days: int
    ticks: int
    scale: int
    leap_day: bool = False

    @property
    def seconds(self) -> int:
        """Whole seconds since midnight."""
        return self.ticks // self.scale

    @property
    def fraction(self) -> int:
        """Ticks beyond the whole second."""
        return self.ticks % self.scale


def names_of(code: str) -> CalendarNames:
    """Return the names in the language that a format code states, such as `[$-410]` or `[$-it-IT]`; else English."""
    match = _LANGUAGE.search(code)
    if match is None:
        return ENGLISH
    key = f"{int(match['number'], 16) & 0x3FF:02x}" if match["number"] else match["tag"].lower()
    return _NAMES.get(key, ENGLISH)


def has_date_parts(plain: str) -> bool:
    """Return whether a section, without its quoted and escaped parts, has any date or time part."""
    lowered = plain.lower()
    if re.search(r"[0#?]", plain) and not re.search(r"[ymdhs]", lowered):
        return False
    return re.search(r"[ymdhs]|am/pm|a/p|(?<![0#?.])e(?![+-])|b2?$|g{1,3}", lowered) is not None


def show_date(value: float, code: str, *, epoch_1904: bool = False, names: CalendarNames = ENGLISH) -> str:
    """Return a serial number formatted by one section of a date format, with names of one language."""
    serial = value + (_DATE_1904 if epoch_1904 else 0)
    if -_LAST_SERIAL <= value < 0 and ELAPSED.search(code):
        return "-" + show_date(-value, code, names=names)
    if not 0 <= serial <= _LAST_SERIAL:
        return HASHES
    tokens = [_classify(match) for match in _TOKEN.finditer(code)]
    digits = max((len(text) - 1 for kind, text in tokens if kind == "fraction"), default=0)
    moment = _split_serial(serial, digits)
    _find_minutes(tokens)
    kinds = {kind for kind, _ in tokens}
    if not any(kind == "d" and len(text) < 3 for kind, text in tokens):
        names = replace(names, months=names.months_alone)
    return "".join(
        _show_calendar(kind, text, moment, names, in_eras="g" in kinds)
        if kind in _CALENDAR
        else _show_part(kind, text, moment, digits, twelve="ampm" in kinds)
        for kind, text in tokens
    )


def iso_date(serial: float, *, epoch_1904: bool = False) -> str:
    """Return a serial number as an ISO date (with the time, when it has one)."""
    is_whole_day = serial % 1 == 0
    return show_date(serial, "yyyy-mm-dd" if is_whole_day else 'yyyy-mm-dd"T"hh:mm:ss', epoch_1904=epoch_1904)


def iso_time(serial: float) -> str:
    """Return a part of a day as an ISO time."""
    return show_date(serial, "hh:mm:ss")


def _classify(match: re.Match[str]) -> tuple[str, str]:
    kind = match.lastgroup or "other"
    text = match.group(kind)
    if kind == "part":
        return text[0].lower(), text.lower()
    if kind == "elapsed":
        return "elapsed", text.lower()
    return kind, text


def _find_minutes(tokens: list[tuple[str, str]]) -> None:
    """Reinterpret `m` next to hours or seconds as minutes."""
    times = [i for i, (kind, _) in enumerate(tokens) if kind in "hsm" or kind in ("elapsed", "y", "d")]
    for number, index in enumerate(times):
        kind, text = tokens[index]
        if kind != "m" or len(text) > 2:
            continue
        before = tokens[times[number - 1]] if number else ("", "")
        after = tokens[times[number + 1]] if number + 1 < len(times) else ("", "")
        if before[0] == "h" or after[0] == "s" or (before[0] == "elapsed" and before[1][0] == "h"):
            tokens[index] = ("minute", text)


def _split_serial(serial: float, digits: int) -> Moment:
    scale = 10 ** min(digits, 3)
    days = int(serial)
    ticks = round((serial - days) * 86400 * scale)
    if ticks >= 86400 * scale:
        days, ticks = days + 1, 0
    if days == _LEAP_DAY:
        return Moment(date(1900, 2, 28), days, ticks, scale, leap_day=True)
    day = date(1899, 12, 31) + timedelta(days=days - (days > _LEAP_DAY)) if 0 <= days < 2_958_466 else None
    return Moment(day, days, ticks, scale)


def _show_part(kind: str, text: str, moment: Moment, digits: int, *, twelve: bool) -> str:
    hours, minutes, seconds = moment.seconds // 3600, moment.seconds // 60 % 60, moment.seconds % 60
    match kind:
        case "h":
            return _pad((hours % 12 or 12) if twelve else hours, text)
        case "minute":
            return _pad(minutes, text)
        case "s":
            return _pad(seconds, text)
        case "fraction":
            return "." + str(moment.fraction).rjust(min(digits, 3), "0")
        case "elapsed":
            whole = {"h": hours, "m": moment.seconds // 60, "s": moment.seconds}[text[0]]
            unit = {"h": 24, "m": 1440, "s": 86400}[text[0]]
            return str(whole + moment.days * unit).rjust(len(text), "0")
        case "ampm":
            mark = "AM" if hours < 12 else "PM"
            return mark[0] if len(text) == 3 else mark
        case "blank":
            return " "
        case "fill":
            return ""
        case _:
            return text


def _show_calendar(kind: str, text: str, moment: Moment, names: CalendarNames, *, in_eras: bool) -> str:
    day = moment.day
    if day is None:
        return ""
    if moment.days == 0:
        return _show_day_zero(kind, text, names)
    era = next((era for era in _ERAS if era[0] <= day), _ERAS[-1])
    match kind:
        case "g":
            return era[1] if len(text) == 1 else era[2][: 1 if len(text) == 2 else None]
        case "e" if in_eras:
            return _pad(day.year - era[0].year + 1, text)
        case "y" | "e":
            return str(day.year) if len(text) > 2 or kind == "e" else f"{day.year % 100:02d}"
        case "b":
            return str(day.year + 543)
        case "m":
            return _show_month(day.month, text, names)
        case "d":
            number = 29 if moment.leap_day else day.day
            weekday = (moment.days + 5) % 7
            return _pad(number, text) if len(text) < 3 else _name_day(weekday, text, names)
        case _:
            return ""


def _show_day_zero(kind: str, text: str, names: CalendarNames) -> str:
    """Format serial 0, which is 0 January 1900, a Saturday."""
    if kind == "d":
        return _pad(0, text) if len(text) < 3 else _name_day(5, text, names)
    if kind == "m":
        return _show_month(1, text, names)
    return "1900" if len(text) > 2 or kind == "e" else "00"


def _show_month(month: int, text: str, names: CalendarNames) -> str:
    if len(text) < 3:
        return _pad(month, text)
    if len(text) == 3:
        return names.months_short[month - 1]
    name = names.months[month - 1]
    return name[0] if len(text) == 5 else name


def _name_day(weekday: int, text: str, names: CalendarNames) -> str:
    return names.days_short[weekday] if len(text) == 3 else names.days[weekday]


def _pad(number: int, text: str) -> str:
    return str(number).rjust(2, "0") if len(text) > 1 else str(number)

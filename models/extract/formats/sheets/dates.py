"""Dates and times of spreadsheets: a serial number and a date format in, the displayed text out."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
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


def has_date_parts(plain: str) -> bool:
    """Return whether a section, without its quoted and escaped parts, has any date or time part."""
    lowered = plain.lower()
    if re.search(r"[0#?]", plain) and not re.search(r"[ymdhs]", lowered):
        return False
    return re.search(r"[ymdhs]|am/pm|a/p|(?<![0#?.])e(?![+-])|b2?$|g{1,3}", lowered) is not None


def show_date(value: float, code: str, *, epoch_1904: bool = False) -> str:
    """Return a serial number formatted by one section of a date format."""
    serial = value + (_DATE_1904 if epoch_1904 else 0)
    if -_LAST_SERIAL <= value < 0 and ELAPSED.search(code):
        return "-" + show_date(-value, code)
    if not 0 <= serial <= _LAST_SERIAL:
        return HASHES
    tokens = [_classify(match) for match in _TOKEN.finditer(code)]
    digits = max((len(text) - 1 for kind, text in tokens if kind == "fraction"), default=0)
    moment = _split_serial(serial, digits)
    _find_minutes(tokens)
    is_twelve_hour = any(kind == "ampm" for kind, _ in tokens)
    return "".join(_show_part(kind, text, moment, digits, twelve=is_twelve_hour) for kind, text in tokens)


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
        case "y" | "m" | "d" | "e" | "b" | "g":
            return _show_calendar(kind, text, moment)
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


def _show_calendar(kind: str, text: str, moment: Moment) -> str:
    day = moment.day
    if day is None:
        return ""
    if moment.days == 0:
        return _show_day_zero(kind, text)
    match kind:
        case "y" | "e":
            return str(day.year) if len(text) > 2 or kind == "e" else f"{day.year % 100:02d}"
        case "b":
            return str(day.year + 543)
        case "m":
            return _format_named(_MONTHS[day.month - 1], day.month, text)
        case "d":
            number = 29 if moment.leap_day else day.day
            weekday = (moment.days + 5) % 7
            return _pad(number, text) if len(text) < 3 else _DAYS[weekday][: 3 if len(text) == 3 else None]
        case _:
            return ""


def _show_day_zero(kind: str, text: str) -> str:
    """Format serial 0, which is 0 January 1900, a Saturday."""
    if kind == "d":
        return _pad(0, text) if len(text) < 3 else "Saturday"[: 3 if len(text) == 3 else None]
    if kind == "m":
        return _format_named("January", 1, text)
    return "1900" if len(text) > 2 or kind == "e" else "00"


def _format_named(name: str, number: int, text: str) -> str:
    if len(text) < 3:
        return _pad(number, text)
    return {3: name[:3], 5: name[0]}.get(len(text), name)


def _pad(number: int, text: str) -> str:
    return str(number).rjust(2, "0") if len(text) > 1 else str(number)

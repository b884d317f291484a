"""Number formats of spreadsheets (ECMA-376 18.8.31): a value and a format code in, the displayed text out."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from functools import lru_cache
from typing import Final

from quire.models.extract.formats.sheets.dates import (
    ELAPSED,
    ENGLISH,
    HASHES,
    CalendarNames,
    has_date_parts,
    iso_date,
    iso_time,
    names_of,
    show_date,
)  # fmt: skip
from quire.models.extract.formats.sheets.numbers import show_general, show_number

MAX_CODE_CHARS: Final = 1000
"""Characters of a format code; Excel allows 255."""

BUILT_IN: Final[dict[int, str]] = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)', 42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)',
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 48: "##0.0E+0", 49: "@",
    5: '"$"#,##0_);\\("$"#,##0\\)', 6: '"$"#,##0_);[Red]\\("$"#,##0\\)', 7: '"$"#,##0.00_);\\("$"#,##0.00\\)',
    8: '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)',
    **dict.fromkeys((*range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd"), **dict.fromkeys((32, 34), "hh:mm"),
    **dict.fromkeys((33, 35), "hh:mm:ss"),
}  # fmt: skip
"""Codes that files identify only by number, as an English Excel shows them.

Those of East Asian programs from 27 on differ by region and are ISO dates and times.
"""

_CONDITION: Final = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_GENERAL: Final = re.compile("general", re.IGNORECASE)
_BRACKET: Final = re.compile(r"\[([^\]]{0,255})\]")  # a whole code has 255 characters at most
_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "=": lambda a, b: a == b, "<>": lambda a, b: a != b,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FormatSection:
    """One section of a code: `kind` is general, text, date or number; `condition` is set when the code states one."""

    code: str
    kind: str
    condition: tuple[str, float] | None = None
    names: CalendarNames = ENGLISH

    def holds(self, value: float) -> bool:
        """Return whether the value meets the section's condition."""
        return self.condition is not None and _COMPARE[self.condition[0]](value, self.condition[1])

    def holds_negatives_only(self) -> bool:
        """Return whether the condition implies the sign, which is then not displayed."""
        return self.condition is not None and self.condition[0] in ("<", "<=") and self.condition[1] <= 0


def show(value: float, code: str, *, epoch_1904: bool = False) -> str:
    """Return a number as a cell with that format code displays it."""
    if not code or code.lower() == "general":
        return show_general(value)
    sections = parse_code(code)
    section, use_sign = _choose_section(sections, value)
    if section is None:
        return HASHES
    shown = value if use_sign else abs(value)
    match section.kind:
        case "general":
            return _literal_general(section.code, shown)
        case "date":
            return show_date(value, section.code, epoch_1904=epoch_1904, names=section.names)
        case "text":
            return _fill_text(section.code, show_general(shown))
        case _:
            return show_number(shown, section.code)


def show_text(text: str, code: str) -> str:
    """Return a text as a cell with that format code displays it."""
    if code in ("@", "") or code.lower() == "general":
        return text
    sections = parse_code(code)
    if len(sections) > 3:
        code = sections[3].code
        return _fill_text(_GENERAL.sub("@", code) if sections[3].kind == "general" else code, text)
    last = sections[-1]
    return _fill_text(last.code, text) if last.kind == "text" and "@" in last.code else text


def moment_of(value: float, code: str, *, epoch_1904: bool = False) -> str:
    """Return a number with a date format as an ISO date or time; empty for other formats and elapsed times."""
    if not is_date(code) or ELAPSED.search(code):
        return ""
    text = iso_time(value) if 0 <= value < 1 else iso_date(value, epoch_1904=epoch_1904)
    return "" if text == HASHES else text


def as_iso(stated: str) -> str:
    """Return a date that a file states in ISO form, without a time of midnight; empty for other texts."""
    try:
        moment = datetime.fromisoformat(stated.strip().replace("Z", ""))
    except ValueError:
        return ""
    return moment.date().isoformat() if moment.time() == time() else moment.replace(microsecond=0).isoformat()


@lru_cache(maxsize=4096)
def is_date(code: str) -> bool:
    """Return whether a code formats dates or times."""
    return any(section.kind == "date" for section in parse_code(code))


@lru_cache(maxsize=4096)
def parse_code(code: str) -> tuple[FormatSection, ...]:
    """Return the sections of a format code, at most four."""
    return tuple(_parse_section(part) for part in _split(code[:MAX_CODE_CHARS])[:4])


def _split(code: str) -> list[str]:
    """Split the code at semicolons outside quotes, brackets and escapes."""
    parts, start, index, in_quotes = [], 0, 0, False
    while index < len(code):
        char = code[index]
        if char == '"':
            in_quotes = not in_quotes
        elif not in_quotes and char in "\\_*":
            index += 1
        elif not in_quotes and char == "[":
            index = code.find("]", index) if "]" in code[index:] else index
        elif not in_quotes and char == ";":
            parts.append(code[start:index])
            start = index + 1
        index += 1
    return [*parts, code[start:]]


def _parse_section(part: str) -> FormatSection:
    match = _CONDITION.search(part)
    condition = (match.group(1), float(match.group(2))) if match else None
    code = _BRACKET.sub(_keep_bracket, part)
    plain = re.sub(r'"[^"]*"|\\.|_.|\*.', "", code)
    if "general" in plain.lower():
        kind = "general"
    elif has_date_parts(plain):
        kind = "date"
    elif "@" in plain:
        kind = "text"
    else:
        kind = "number"
    return FormatSection(code, kind, condition, names_of(part) if kind == "date" else ENGLISH)


def _keep_bracket(match: re.Match[str]) -> str:
    """Keep elapsed time, replace a currency by its sign, and drop colours, conditions and locales."""
    inside = match.group(1)
    if inside and set(inside.lower()) in ({"h"}, {"m"}, {"s"}):
        return match.group()
    if inside.startswith("$"):
        sign = inside[1:].partition("-")[0]
        return f'"{sign}"' if sign else ""
    return ""


def _choose_section(sections: tuple[FormatSection, ...], value: float) -> tuple[FormatSection | None, bool]:
    """Return the section for a value, and whether it displays the value's sign."""
    stated = [section for section in sections[:3] if section.condition is not None]
    if stated:
        for section in sections[:2]:
            if section.holds(value):
                return section, not (value < 0 and (section is not sections[0] or section.holds_negatives_only()))
        unconditional = [section for section in sections[:3] if section.condition is None]
        return (unconditional[-1] if unconditional else None), True
    numeric = sections[: 3 if len(sections) > 3 else len(sections)]
    if len(numeric) == 1 or (len(numeric) == 2 and numeric[1].kind == "text" and "@" in numeric[1].code):
        return numeric[0], True
    if value > 0 or (value == 0 and len(numeric) < 3):
        return numeric[0], False
    return (numeric[1], False) if value < 0 else (numeric[2], False)


def _literal_general(code: str, value: float) -> str:
    start = code.lower().index("general")
    head, tail = code[:start], code[start + len("General") :]
    return _literals(head) + show_general(value) + _literals(tail)


def _fill_text(code: str, text: str) -> str:
    head, placeholder, tail = code.partition("@")
    return (
        _literals(head) + (text if placeholder else "") + (_fill_text(tail, text) if "@" in tail else _literals(tail))
    )


def _literals(code: str) -> str:
    """Return the characters that a piece of code prints literally."""
    out, index = [], 0
    while index < len(code):
        char = code[index]
        if char == '"':
            end = code.find('"', index + 1)
            end = end if end > 0 else len(code)
            out.append(code[index + 1 : end])
            index = end
        elif char == "\\":
            out.append(code[index + 1 : index + 2])
            index += 1
        elif char == "_":
            out.append(" ")
            index += 1
        elif char == "*":
            index += 1
        else:
            out.append(char)
        index += 1
    return "".join(out)

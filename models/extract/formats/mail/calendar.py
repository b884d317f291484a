"""Events of calendar parts (iCalendar, RFC 5545): decoded text in, names and values of fields out."""

import re
from typing import Final

MAX_EVENTS: Final = 100
"""Events of one part that are read; an invitation has one, or one per exception of a series."""
MAX_FIELDS: Final = 500
"""Fields of one part that are read: enough for the attendees of a large meeting."""
_FOLD: Final = re.compile(r"\r?\n[ \t]")
_LINE: Final = re.compile(r"([A-Za-z-]{1,40})((?:;(?:\"[^\"]*\"|[^\":])*)?):(.*)")
_PARAMETER: Final = re.compile(r";([A-Za-z-]{1,40})=(\"[^\"]*\"|[^;\"]*)")
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z?))?")
_ESCAPED: Final = re.compile(r"\\(.)")
_LABELS: Final = {
    "SUMMARY": "Summary", "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration",
    "LOCATION": "Location", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee", "RRULE": "Repeats", "STATUS": "Status",
    "DESCRIPTION": "Description",
}  # fmt: skip
_ORDER: Final = {label: index for index, label in enumerate(_LABELS.values())}
_TIMES: Final = frozenset(("DTSTART", "DTEND", "DUE"))
_PEOPLE: Final = frozenset(("ORGANIZER", "ATTENDEE"))


def read_events(text: str, events: int = MAX_EVENTS, fields: int = MAX_FIELDS) -> list[tuple[str, str]]:
    """Return label and value of the fields of so many events and tasks, each event in a fixed order."""
    listed: list[tuple[str, str]] = []
    own: list[tuple[str, str]] = []
    inside: list[str] = []
    for line in _FOLD.sub("", text).splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        name, parameters, value = match.group(1).upper(), dict(_PARAMETER.findall(match.group(2))), match.group(3)
        if name == "BEGIN":
            inside.append(value.strip().upper())
            own = [] if len(inside) == 2 else own
        elif name == "END":
            if inside[-1:] in (["VEVENT"], ["VTODO"]) and events:
                listed += sorted(own, key=lambda field: _ORDER[field[0]])
                events -= 1
            del inside[-1:]
        elif inside[-1:] in (["VEVENT"], ["VTODO"]) and name in _LABELS and len(listed) + len(own) < fields:
            own.append((_LABELS[name], _show(name, parameters, value)))
    return [(label, value) for label, value in listed if value]


def _show(name: str, parameters: dict[str, str], value: str) -> str:
    stated = {key.upper(): text.strip('"') for key, text in parameters.items()}
    if name in _TIMES:
        return _show_time(value, stated.get("TZID", ""))
    if name in _PEOPLE:
        address = re.sub(r"(?i)^mailto:", "", value).strip()
        person = stated.get("CN", "")
        return f"{person} <{address}>" if person and person != address else address
    return _ESCAPED.sub(lambda match: "\n" if match.group(1) in "nN" else match.group(1), value).strip()


def _show_time(value: str, zone: str) -> str:
    """Return a time as `2026-01-05 09:00 UTC` and a day as `2026-01-05`; return anything else unchanged."""
    match = _TIME.fullmatch(value.strip())
    if match is None:
        return value.strip()
    day = "-".join(match.group(1, 2, 3))
    if match.group(4) is None:
        return day
    return f"{day} {match.group(4)}:{match.group(5)} {'UTC' if match.group(7) else zone}".strip()

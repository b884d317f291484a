"""Machine-readable zones of passports, identity cards and visas (ICAO Doc 9303): two or three lines with check digits."""

import re
from collections.abc import Iterator

from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.patterns.clues import Clues

_LINE = re.compile(r"(?<![A-Z0-9<])[A-Z0-9<]{28,46}(?![A-Z0-9<])")
_NEXT = re.compile(r"[ \n]{1,3}")
_TITLE = re.compile(r"[ACIPV][A-Z0-9<][A-Z<]{3}[A-Z0-9<]+")
_NAMES = re.compile(r"[A-Z]{1,40}(?:<[A-Z]{1,40}){0,6}<<[A-Z<]{0,60}")
_CHECKED = (
    (0, 6, 6), (8, 14, 14), (13, 19, 19), (21, 27, 27), (0, 9, 9), (5, 14, 14),
)  # fmt: skip
"""Begin and end of a checked field and the place of its digit, in any of the lines: dates and document numbers."""
_LEAST_FILLERS = 2
"""Minimum fillers of a line of the zone that is recognised by its form."""


def find_mrz(clues: Clues) -> Iterator[Hit]:
    """Yield the lines of machine-readable zones, one finding per run of lines."""
    if "<<" not in clues.text:
        return
    start = end = -1
    for match in _LINE.finditer(clues.text):
        if not _is_zone_line(match.group()):
            continue
        if end >= 0 and _NEXT.fullmatch(clues.text, end, match.start()):
            end = match.end()
            continue
        if end >= 0:
            yield Hit(Kind.PASSPORT, start, end)
        start, end = match.span()
    if end >= 0:
        yield Hit(Kind.PASSPORT, start, end)


def _is_zone_line(line: str) -> bool:
    if line.count("<") < _LEAST_FILLERS:
        return _valid_fields(line) > 1
    return bool((_TITLE.fullmatch(line) and "<<" in line) or _NAMES.fullmatch(line) or _valid_fields(line))


def _valid_fields(line: str) -> int:
    """Return how many of the fields that have a digit at their end pass its check."""
    return sum(
        line[place].isdigit() and line[start:end].strip("<") != "" and check_digit(line[start:end]) == int(line[place])
        for start, end, place in _CHECKED
        if place < len(line)
    )


def check_digit(field: str) -> int:
    """Return the check digit of a field: weights 7, 3 and 1, letters from 10, fillers 0."""
    values = (0 if char == "<" else int(char, 36) for char in field)
    return sum(value * (7, 3, 1)[index % 3] for index, value in enumerate(values)) % 10

"""A pattern: its possible starts, its expression, the check of a match, and the words required before it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.patterns.clues import Clues, Starts
from quire.models.pii.patterns.labels import Labels

Check = Callable[[str], bool]
AND = re.compile(r"[ \n]{0,2}(?:[,;/|&+•·-]|\b(?:and|or|und|oder|et|ou|y|o|e|en|of)\b|[ \n])[ \n]{0,2}")
"""Separator between the values of a list."""

_SEPARATORS = re.compile(r"[\s./_|·•,:-]+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """`regex`'s group 1 is the value; `check` judges it; a word of `context` must stand before or behind it.

    `starts` names the places at which the regex can match at all. With `is_close` the word must stand next to the value.
    With `is_whole` the pattern is not searched where two texts meet without a break.
    """

    kind: Kind
    regex: re.Pattern[str]
    starts: Starts
    check: Check | None = None
    context: Labels | None = None
    is_close: bool = False
    is_whole: bool = False

    def find(self, clues: Clues) -> Iterator[Hit]:
        """Yield values in text order. A rejected candidate hides no value: the search continues at the next start."""
        behind = 0
        for place in clues.starts(self.starts):
            hit = self._find_at(clues, place, self.context) if place >= behind else None
            while hit is not None:
                yield hit
                behind = hit.end
                hit = self._find_next(clues, behind) if self.context is not None else None

    def _find_at(self, clues: Clues, place: int, context: Labels | None) -> Hit | None:
        match = self.regex.match(clues.text, place)
        if match is None:
            return None
        start, end = match.span(1)
        if context is not None and not self._is_named(clues, context, start, end):
            return None
        if self.check is not None:
            end = start + len(longest_valid(clues.text[start:end], self.check))
        return Hit(self.kind, start, end) if end > start else None

    def _is_named(self, clues: Clues, context: Labels, start: int, end: int) -> bool:
        return (context.is_close if self.is_close else context.is_named)(clues, start, end)

    def _find_next(self, clues: Clues, end: int) -> Hit | None:
        """Return the next value of a list; the word before its first value counts for all of them."""
        gap = AND.match(clues.text, end)
        return self._find_at(clues, gap.end(), None) if gap is not None else None


def longest_valid(value: str, check: Check) -> str:
    """Return the longest start of `value` up to a group end that passes `check`, or an empty string.

    A pattern of groups may run on into the next word or number; the checksum identifies the end.
    """
    if check(value):
        return value
    ends = [match.start() for match in _SEPARATORS.finditer(value)]
    return next((value[:end] for end in reversed(ends) if check(value[:end])), "")

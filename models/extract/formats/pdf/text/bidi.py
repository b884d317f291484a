"""Inverse of the Unicode bidirectional algorithm (UAX #9): the glyphs of a printed line in logical order.

The inverse is not unique. If several texts print alike, a number next to a Latin word belongs to it.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum


class BidiDirection(Enum):
    """Effect of a unit on the direction of a line."""

    RIGHT = "R"
    LEFT = "L"
    NUMBER = "N"
    BLANK = "W"
    NEUTRAL = "O"


@dataclass(frozen=True, slots=True)
class BidiUnit:
    """The characters of one glyph in logical order, or a number, with their extent. `style` is the caller's."""

    text: str
    x0: float
    x1: float
    style: tuple[bool, bool, bool] = (False, False, False)


_DIRECTIONS = {
    "R": BidiDirection.RIGHT,
    "AL": BidiDirection.RIGHT,
    "L": BidiDirection.LEFT,
    "EN": BidiDirection.NUMBER,
    "AN": BidiDirection.NUMBER,
    "WS": BidiDirection.BLANK,
    "S": BidiDirection.BLANK,
    "B": BidiDirection.BLANK,
}
_ARABIC_SEPARATORS = ("\u066b", "\u066c")
_COMMON_SEPARATOR, _SIGN, _TERMINATOR = "CS", "ES", "ET"
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_OPENING, _CLOSING = "([{«‹", ")]}»›"
_ODD_STOP = re.compile(r"\s[,.;:!?،؛؟)\]}]+(?!\s)")
"""A blank before a stop and none after it: the stop belongs to a word on its right."""
_TIES = re.compile(r"\s?|[-/._:&'’@#+·=?–\\]+")
"""Characters that may be between a Latin word and a number of one run."""
_EDGE_STOPS = (".", ",", ":", ";", "!", "?", ")", "]", "،", "؛", "؟")


def direction_of(text: str) -> BidiDirection:
    """Return the direction of a glyph's text by its first character that has one."""
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind not in ("NSM", "BN", ""):
            return _DIRECTIONS.get(kind, BidiDirection.NEUTRAL)
    return BidiDirection.NEUTRAL


def runs_from_right(units: Sequence[BidiUnit], *, page_runs_from_right: bool) -> bool:
    """Return whether the line's base direction is from right to left.

    On a page of such a script a line of Latin words has that direction only if it is printed with a stop at its left.
    """
    strong = [
        direction
        for unit in units
        if (direction := direction_of(unit.text)) in (BidiDirection.RIGHT, BidiDirection.LEFT)
    ]
    right = strong.count(BidiDirection.RIGHT)
    left = len(strong) - right
    if not right:
        return page_runs_from_right and (not left or units[0].text in _EDGE_STOPS)
    return page_runs_from_right or right > left


def order_logically(units: Sequence[BidiUnit], *, from_right: bool) -> list[BidiUnit]:
    """Return the units of a line, given from left to right as printed, in logical order."""
    items = _join_numbers(list(units))
    kinds = [direction_of(item.text) for item in items]
    runs = dict(_find_forward_runs(items, kinds) if from_right else _find_backward_runs(kinds))
    spans: list[tuple[int, int]] = []
    while not spans or spans[-1][1] < len(items):
        start = spans[-1][1] if spans else 0
        spans.append((start, runs.get(start, start + 1)))
    ordered: list[tuple[BidiUnit, bool]] = []
    for start, end in reversed(spans) if from_right else spans:
        own = items[start:end]
        is_turned = start in runs
        ordered += [(item, from_right != is_turned) for item in (own[::-1] if is_turned and not from_right else own)]
    return _settle_brackets(ordered)


def _join_numbers(items: list[BidiUnit]) -> list[BidiUnit]:
    """Return the units with each number, its separators and signs joined (rules W2, W4 and W5)."""
    kinds = ["CS" if item.text in _ARABIC_SEPARATORS else unicodedata.bidirectional(item.text[0]) for item in items]
    out: list[BidiUnit] = []
    index = 0
    while index < len(items):
        start = index
        arabic = _follows_arabic(kinds, index)
        if _is_leading_sign(items, kinds, index):
            index += 1
        elif not arabic:
            while index < len(items) and kinds[index] == _TERMINATOR:
                index += 1
        if index == len(items) or kinds[index] not in ("EN", "AN"):
            out.append(items[start])
            index = start + 1
            continue
        index = _find_number_end(kinds, index, arabic=arabic)
        while not arabic and index < len(items) and kinds[index] == _TERMINATOR:
            index += 1
        number = items[start:index]
        text = "".join(item.text for item in number)
        out.append(replace(number[0], text=text, x1=number[-1].x1))
    return out


def _follows_arabic(kinds: list[str], index: int) -> bool:
    """Return True for a number whose nearest strong character on the right is an Arabic letter."""
    return next((kind for kind in kinds[index:] if kind in ("L", "R", "AL")), "") == "AL"


def _is_leading_sign(items: list[BidiUnit], kinds: list[str], index: int) -> bool:
    """Return True for a sign at the left of a number, after a blank: such a number was kept in its order."""
    if kinds[index] != _SIGN or index + 1 == len(items) or kinds[index + 1] != "EN":
        return False
    return index == 0 or items[index - 1].text.isspace()


def _find_number_end(kinds: list[str], index: int, *, arabic: bool) -> int:
    digits = kinds[index]
    while index < len(kinds):
        if kinds[index] == digits:
            index += 1
            continue
        joins = kinds[index] == _COMMON_SEPARATOR or (kinds[index] == _SIGN and digits == "EN" and not arabic)
        if not joins or index + 1 == len(kinds) or kinds[index + 1] != digits:
            break
        index += 2
    return index


def _find_forward_runs(items: list[BidiUnit], kinds: list[BidiDirection]) -> list[tuple[int, int]]:
    """Return the runs (start, end) that read from left to right in a line that runs from right to left."""
    runs: list[tuple[int, int]] = []
    for index, kind in enumerate(kinds):
        if kind not in (BidiDirection.LEFT, BidiDirection.NUMBER):
            continue
        if runs and _are_one_run(items, kinds, runs[-1][1], index):
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return [_take_bracket(items, start, end) for start, end in runs]


def _are_one_run(items: list[BidiUnit], kinds: list[BidiDirection], last_end: int, index: int) -> bool:
    between = kinds[last_end:index]
    ends = (kinds[last_end - 1], kinds[index])
    if BidiDirection.RIGHT in between or BidiDirection.LEFT not in ends:
        return False
    text = "".join(item.text for item in items[last_end:index])
    if _ODD_STOP.search(text):
        return False
    return BidiDirection.NUMBER not in ends or _TIES.fullmatch(text) is not None


def _take_bracket(items: list[BidiUnit], start: int, end: int) -> tuple[int, int]:
    """Return the run with the adjacent bracket that closes or opens one inside it."""
    text = "".join(item.text for item in items[start:end])
    for opening, closing in zip(_OPENING, _CLOSING, strict=True):
        excess = text.count(opening) - text.count(closing)
        if excess == 1 and end < len(items) and items[end].text == closing:
            return (start, end + 1)
        if excess == -1 and start and items[start - 1].text == opening:
            return (start - 1, end)
    return (start, end)


def _find_backward_runs(kinds: list[BidiDirection]) -> list[tuple[int, int]]:
    """Return the runs (start, end) that read from right to left in a line that runs from left to right."""
    runs: list[tuple[int, int]] = []
    for index, kind in enumerate(kinds):
        if kind is not BidiDirection.RIGHT:
            continue
        if runs and BidiDirection.LEFT not in kinds[runs[-1][1] : index]:
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def _settle_brackets(ordered: list[tuple[BidiUnit, bool]]) -> list[BidiUnit]:
    """Return the units, with right-to-left brackets mirrored if the file names them by their shape.

    Some producers name a mirrored bracket by the character, others by the glyph. In logical order it opens first.
    """
    turned = [unit.text for unit, from_right in ordered if from_right and unit.text in _OPENING + _CLOSING]
    if _count_unpaired(turned) <= _count_unpaired([text.translate(_MIRRORED) for text in turned]):
        return [unit for unit, _ in ordered]
    return [replace(unit, text=unit.text.translate(_MIRRORED)) if from_right else unit for unit, from_right in ordered]


def _count_unpaired(brackets: list[str]) -> int:
    open_brackets: list[str] = []
    unpaired = 0
    for bracket in brackets:
        if bracket in _OPENING:
            open_brackets.append(bracket)
        elif open_brackets and open_brackets[-1] == bracket.translate(_MIRRORED):
            open_brackets.pop()
        else:
            unpaired += 1
    return unpaired + len(open_brackets)

"""Drop caps: the large first letter of a paragraph, set over several of its lines, joined to the word it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.models.extract.layout.lines.marks import Line


@dataclass(frozen=True, slots=True)
class DropCapLimits:
    """Thresholds for a large letter that begins a paragraph. Distances in sizes of the paragraph's type."""

    larger: float = 1.8
    """Minimum size relative to running text; smaller letters share the first baseline and need no joining."""
    near: float = 1.2
    """Maximum blank between the letter and its word."""
    rise: float = 0.9
    """Maximum difference between the tops of the letter and of its first line."""
    edge: float = 0.6
    """Maximum difference between the left edges of the lines next to the letter."""
    beside: int = 2
    """Minimum number of lines next to the letter."""
    word_gap: float = 0.45
    """Minimum blank after a letter that is a separate word ("A", "I")."""


LIMITS = DropCapLimits()
_WORDS = frozenset("AIOÀÉEYАВИКОСУЯ")
"""Letters that are words in some language."""
_OPENING = "\"'“‘«„"


def join_drop_caps(lines: list[Line], body: float) -> list[Line]:
    """Return the lines with each drop cap at the start of its word; the lines next to it start at its left edge.

    `body` is the size of running text.
    """
    caps = [line for line in lines if _is_cap(line, body)]
    for cap in caps:
        beside = _find_indented_lines(cap, lines)
        if len(beside) >= LIMITS.beside:
            lines = _join(cap, beside, lines)
    return lines


def _is_cap(line: Line, body: float) -> bool:
    text = line.text.lstrip(_OPENING)
    return len(text) == 1 and text.isupper() and line.upright and line.size >= LIMITS.larger * body > 0


def _find_indented_lines(cap: Line, lines: Sequence[Line]) -> list[Line]:
    """Return the lines right of the letter down to its baseline, if the first begins at its top and all at one edge."""
    right = sorted(
        (
            line
            for line in lines
            if line is not cap
            and line.upright
            and line.size < cap.size / 1.5
            and -0.3 * line.size <= line.x0 - cap.x1 <= LIMITS.near * line.size
            and cap.base - cap.size < line.base < cap.base + 0.5 * line.size
        ),
        key=lambda line: line.base,
    )
    if not right or not right[0].text[:1].isalpha():
        return []
    first = right[0]
    cap_top, first_top = cap.base - 0.7 * cap.size, first.base - 0.7 * first.size
    if abs(cap_top - first_top) > LIMITS.rise * first.size:
        return []
    return [line for line in right if abs(line.x0 - first.x0) <= LIMITS.edge * first.size]


def _join(cap: Line, beside: list[Line], lines: list[Line]) -> list[Line]:
    first = beside[0]
    gap = " " if _is_word(cap, first) else ""
    by = len(cap.text) + len(gap)
    whole = replace(
        first,
        x0=cap.x0,
        text=cap.text + gap + first.text,
        runs=[replace(r, start=r.start + by, end=r.end + by) for r in first.runs],
        parts=(cap, *(first.parts or (first,))),
    )
    known = {id(line) for line in beside[1:]}
    out: list[Line] = []
    for line in lines:
        if line is first:
            out.append(whole)
        elif id(line) in known:
            out.append(replace(line, x0=cap.x0, parts=line.parts or (line,)))
        elif line is not cap:
            out.append(line)
    return out


def _is_word(cap: Line, first: Line) -> bool:
    """Return True when the letter is a word by itself: the next word is a blank away or begins with a capital."""
    if cap.text[-1] not in _WORDS:
        return False
    return (
        first.blank_before
        or (first.text[:1].isupper() and not first.text[1:2].isupper())
        or (first.x0 - cap.x1 > LIMITS.word_gap * first.size)
    )

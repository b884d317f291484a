"""Fractions inside running text: small figures above and below a short bar are written with a stroke, "1/2"."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from quire.models.extract.core.marks import Rule
from quire.models.extract.layout.lines.marks import PageMarks


@dataclass(frozen=True, slots=True)
class FractionLimits:
    """Conditions under which two stacked pieces of text are a fraction."""

    small: float = 0.85
    """Greatest size of its parts, relative to the size of the text around."""
    most_chars: int = 6
    """Greatest number of characters in each part."""
    longest_bar: float = 40.0
    """Points: a longer rule does not belong to a fraction in running text."""
    overlap: float = 0.6
    """Share of the narrower part that must be over or under the other."""


LIMITS = FractionLimits()
Span = dict[str, Any]


def write_fractions(marks: PageMarks, blocks: list[dict[str, Any]]) -> None:
    """Add a slash to numerators, in place; the engine starts a new line at each denominator."""
    bars = [rule for rule in (*marks.dashes, *marks.horizontals) if rule.x1 - rule.x0 <= LIMITS.longest_bar]
    if not bars:
        return
    by_key = {line.key: line for line in marks.lines}
    for key, above, below in _find_stacked(blocks):
        line = by_key.get(key)
        if line is not None and line.text.endswith(above["text"].strip()) and _has_bar(above, below, bars):
            line.text += "/"


def _find_stacked(blocks: list[dict[str, Any]]) -> Iterator[tuple[tuple[int, int], Span, Span]]:
    """Yield the last span of a line and the first of the next where they are stacked, with the line's key."""
    texts = [block["lines"] for block in blocks if block["type"] == 0]
    keyed = [((number, index), line) for number, block in enumerate(texts) for index, line in enumerate(block)]
    for (key, upper), (_, lower) in pairwise(keyed):
        first, second = _visible_spans(upper), _visible_spans(lower)
        if not first or not second or len(first) + len(second) < 3:
            continue
        above, below = first[-1], second[0]
        size = max(span["size"] for span in (*first, *second))
        if _is_part(above, size) and _is_part(below, size) and _are_stacked(above, below):
            yield key, above, below


def _visible_spans(line: dict[str, Any]) -> list[Span]:
    return [span for span in line["spans"] if span["text"].strip()]


def _is_part(span: Span, size: float) -> bool:
    text = span["text"].strip()
    return span["size"] <= LIMITS.small * size and len(text) <= LIMITS.most_chars and text.isalnum()


def _are_stacked(above: Span, below: Span) -> bool:
    left, right = max(above["bbox"][0], below["bbox"][0]), min(above["bbox"][2], below["bbox"][2])
    narrow = min(span["bbox"][2] - span["bbox"][0] for span in (above, below))
    is_above: bool = above["origin"][1] < below["origin"][1]
    return is_above and bool(right - left >= LIMITS.overlap * narrow > 0)


def _has_bar(above: Span, below: Span, bars: list[Rule]) -> bool:
    middle = (above["bbox"][0] + above["bbox"][2]) / 2
    return any(bar.x0 <= middle <= bar.x1 and above["origin"][1] - 1 <= bar.y0 <= below["origin"][1] for bar in bars)

"""Words divided at line ends, settled by their other occurrences in the document."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from quire.models.cdom.tree import FlagSpan, Span
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.draft import Draft

_WORD = re.compile(r"[\w’'-]+")
_BEFORE = re.compile(r"[\w’'-]+$")
_HYPHEN = "-"


@dataclass(frozen=True, slots=True)
class DividedWordLimits:
    """Limits for words divided at line ends."""

    longest: int = 60
    """Characters of a word on either side of a line end that are compared."""


LIMITS = DividedWordLimits()


def settle_hyphens(drafts: list[Draft]) -> Counter[int]:
    """Add or remove line-end hyphens as the same words have them elsewhere; return characters gained by page."""
    gained: Counter[int] = Counter()
    if not any(draft.block.breaks for draft in drafts):
        return gained
    words = _count_words(drafts)
    for draft in drafts:
        for offset in sorted(draft.block.breaks, reverse=True):
            step = _find_step(draft.block.text, offset, words)
            if step:
                draft.block = _shift_hyphen(draft.block, offset, step)
                gained[draft.page.number] += step
    return gained


def _count_words(drafts: list[Draft]) -> Counter[str]:
    """Count each word of the document, without those at line ends."""
    words: Counter[str] = Counter()
    for draft in drafts:
        block = draft.block
        words.update(_whole_words_of(block) if block.breaks else map(str.lower, _WORD.findall(block.text)))
    return words


def _whole_words_of(block: PageBlock) -> Iterator[str]:
    """Yield the words that no line end divides."""
    breaks = sorted(block.breaks)
    for match in _WORD.finditer(block.text):
        next_break = bisect_left(breaks, match.start())
        if next_break == len(breaks) or breaks[next_break] >= match.end():
            yield match.group().lower()


def _find_step(text: str, offset: int, words: Counter[str]) -> int:
    """Return 1 where a hyphen is missing at `offset`, -1 where one is superfluous, 0 where nothing decides."""
    head, tail = (
        _BEFORE.search(text[max(0, offset - LIMITS.longest) : offset]),
        _WORD.match(text[offset : offset + LIMITS.longest]),
    )
    if head is None or tail is None:
        return 0
    before, after = head.group().lower(), tail.group().lower()
    has_hyphen = after.startswith(_HYPHEN)
    joined, linked = before + after.removeprefix(_HYPHEN), before + _HYPHEN + after.removeprefix(_HYPHEN)
    if bool(words[joined]) == bool(words[linked]):
        return 0
    if has_hyphen:
        return -1 if words[joined] else 0
    return 1 if words[linked] else 0


def _shift_hyphen(block: PageBlock, position: int, step: int) -> PageBlock:
    """Insert (`step` 1) or remove (-1) a hyphen at `position` and adjust all offsets after it."""
    text = block.text
    text = text[:position] + _HYPHEN + text[position:] if step > 0 else text[:position] + text[position + 1 :]

    def moved(offset: int, *, is_end: bool = False) -> int:
        return offset + step if offset > position or (is_end and step > 0 and offset == len(block.text)) else offset

    def span(old: Span) -> Span:
        return replace(old, start=moved(old.start), end=moved(old.end, is_end=True))

    def flagged(old: FlagSpan) -> FlagSpan:
        return replace(old, start=moved(old.start), end=moved(old.end, is_end=True))

    return replace(
        block,
        text=text,
        spans=tuple(map(span, block.spans)),
        flag_spans=tuple(map(flagged, block.flag_spans)),
        breaks=tuple(map(moved, block.breaks)),
    )

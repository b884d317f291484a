"""Words at line ends, once more: the document may have them elsewhere, with or without the hyphen."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from models.cdom.tree import FlagSpan, Span
from models.extract.contract import PageBlock
from models.extract.document.draft import Draft

_WORD = re.compile(r"[\w’'-]+")
_BEFORE = re.compile(r"[\w’'-]+$")
_HYPHEN = "-"
_LONGEST = 60  # characters of a word on either side of a line end that are looked at


def settle_hyphens(drafts: list[Draft]) -> Counter[int]:
    """Give words at line ends the hyphen that the document has elsewhere, or take it; characters gained, by page."""
    gained: Counter[int] = Counter()
    if not any(draft.block.breaks for draft in drafts):
        return gained
    words = _count_words(drafts)
    for draft in drafts:
        for place in sorted(draft.block.breaks, reverse=True):
            step = _find_step(draft.block.text, place, words)
            if step:
                draft.block = _shift(draft.block, place, step)
                gained[draft.page.number] += step
    return gained


def _count_words(drafts: list[Draft]) -> Counter[str]:
    """How often each word stands in the document, those at line ends left out."""
    words: Counter[str] = Counter()
    for draft in drafts:
        block = draft.block
        words.update(_whole_words_of(block) if block.breaks else map(str.lower, _WORD.findall(block.text)))
    return words


def _whole_words_of(block: PageBlock) -> Iterator[str]:
    """The words but for those that a line end cut."""
    breaks = sorted(block.breaks)
    for found in _WORD.finditer(block.text):
        at = bisect_left(breaks, found.start())
        if at == len(breaks) or breaks[at] >= found.end():
            yield found.group().lower()


def _find_step(text: str, place: int, words: Counter[str]) -> int:
    """1 where a hyphen is missing at `place`, -1 where one is too many, 0 where nothing else says so."""
    found, rest = _BEFORE.search(text[max(0, place - _LONGEST) : place]), _WORD.match(text[place : place + _LONGEST])
    if found is None or rest is None:
        return 0
    before, after = found.group().lower(), rest.group().lower()
    has_hyphen = after.startswith(_HYPHEN)
    joined, linked = before + after.removeprefix(_HYPHEN), before + _HYPHEN + after.removeprefix(_HYPHEN)
    if bool(words[joined]) == bool(words[linked]):
        return 0
    if has_hyphen:
        return -1 if words[joined] else 0
    return 1 if words[linked] else 0


def _shift(block: PageBlock, place: int, step: int) -> PageBlock:
    """The block with a hyphen put in (`step` 1) or taken out (-1) at `place`; what points behind it goes along."""
    text = block.text
    text = text[:place] + _HYPHEN + text[place:] if step > 0 else text[:place] + text[place + 1 :]

    def moved(offset: int, *, is_end: bool = False) -> int:
        return offset + step if offset > place or (is_end and step > 0 and offset == len(block.text)) else offset

    def span(one: Span) -> Span:
        return replace(one, start=moved(one.start), end=moved(one.end, is_end=True))

    def flagged(one: FlagSpan) -> FlagSpan:
        return replace(one, start=moved(one.start), end=moved(one.end, is_end=True))

    return replace(
        block,
        text=text,
        spans=tuple(map(span, block.spans)),
        flag_spans=tuple(map(flagged, block.flag_spans)),
        breaks=tuple(map(moved, block.breaks)),
    )

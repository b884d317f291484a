"""Document-wide text: words divided at line ends, settled by their other occurrences, and running heads."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from quire.models.cdom.tree import FURNITURE, BlockType, FlagSpan, Span
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.draft import Draft

_WORD = re.compile(r"[\w’'-]+")
_BEFORE = re.compile(r"[\w’'-]+$")
_HYPHEN = "-"
_LONGEST = 60  # characters of a word on either side of a line end that are compared


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
    head, tail = _BEFORE.search(text[max(0, offset - _LONGEST) : offset]), _WORD.match(text[offset : offset + _LONGEST])
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


_EDGE = 0.13
"""Share of the page's height that running heads and feet occupy at each edge."""
_LEAST_PAGES = 3  # pages on which a line must repeat: two are a coincidence
_LEAST_BODIES = 2
"""Pages with the line that must hold other text: a line that fills all its pages is their text."""
_MOST_CHARS = 160  # characters of a running head; longer is text
_MOVABLE = frozenset(
    {
        BlockType.PARAGRAPH,
        BlockType.HEADING,
        BlockType.LIST_ITEM,
        BlockType.FOOTNOTE,
        BlockType.FORMULA,
    }
)
_NUMBER = re.compile(r"(?<!\W)(?:page|seite|p\.)?[^\w#]*#\W*(?:(?:of|von)[^\w#]*#\W*)?")

Key = tuple[BlockType, str]


def mark_running(drafts: list[Draft]) -> None:
    """Retype blocks at page edges whose text (numbers aside) repeats on three pages or more.

    A block that is all of its page is not retyped, unless other pages show the same line above or below a body. Neither
    are all the blocks of a document.
    """
    seen: dict[Key, dict[int, Draft]] = defaultdict(dict)
    for draft in drafts:
        kind = _find_edge(draft)
        if kind is not None:
            seen[kind, _normalise(draft.block.text)].setdefault(draft.page.number, draft)
    repeated = {key: by_page for key, by_page in seen.items() if len(by_page) >= _LEAST_PAGES}
    running = {id(draft) for by_page in repeated.values() for draft in by_page.values()}
    bodies = {draft.page.number for draft in drafts if draft.type not in FURNITURE and id(draft) not in running}
    for (kind, _), by_page in repeated.items():
        if len(bodies & by_page.keys()) >= _LEAST_BODIES:
            for draft in by_page.values():
                draft.type, draft.level = kind, None
    _restore_text(drafts)


def _restore_text(drafts: list[Draft]) -> None:
    """Make furniture text again when it is all that its page or its document has."""
    bodies = {draft.page.number for draft in drafts if draft.type not in FURNITURE}
    proven = {_normalise(draft.block.text) for draft in drafts if _is_furniture(draft) and draft.page.number in bodies}
    for draft in drafts:
        if not _is_furniture(draft) or draft.page.number in bodies:
            continue
        text = _normalise(draft.block.text)
        if not bodies or (text not in proven and not _NUMBER.fullmatch(text)):
            draft.type = BlockType.PARAGRAPH


def _is_furniture(draft: Draft) -> bool:
    """Return whether the position made the block furniture; furniture stated by a format (without a box) is trusted."""
    return draft.type in FURNITURE and draft.block.bbox is not None


def _find_edge(draft: Draft) -> BlockType | None:
    """Return the furniture type for the block's edge, or None when it cannot be a running head."""
    height = draft.page.height
    if draft.type not in _MOVABLE or not height or draft.block.bbox is None or len(draft.block.text) > _MOST_CHARS:
        return None
    if draft.bottom <= _EDGE * height:
        return BlockType.PAGE_HEADER
    return BlockType.PAGE_FOOTER if draft.top >= (1 - _EDGE) * height else None


def _normalise(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\d+|\b[ivxlc]+\b", "#", text.lower())).strip()

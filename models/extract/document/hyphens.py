"""Words at line ends, once more: the document may have them elsewhere, with or without the hyphen."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from models.cdom.tree import FURNITURE, BlockType, FlagSpan, Span
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


_EDGE = 0.13
"""Share of the page's height in which running heads and feet stand."""
_LEAST_PAGES = 3  # pages on which a line must repeat: two are a coincidence
_LEAST_BODIES = 2
"""So many pages with the line must hold something else: a line that is all of its pages is their text."""
_MOST_CHARS = 160  # characters of a running head; longer is text
_MOVABLE = frozenset(
    {BlockType.PARAGRAPH, BlockType.HEADING, BlockType.LIST_ITEM, BlockType.FOOTNOTE, BlockType.FORMULA}
)
_NUMBER = re.compile(r"(?<!\W)(?:page|seite|p\.)?[^\w#]*#\W*(?:(?:of|von)[^\w#]*#\W*)?")

Key = tuple[BlockType, str]


def mark_running(drafts: list[Draft]) -> None:
    """Retype blocks at the edges of pages whose text (numbers aside) stands on three pages or more.

    Never all of a page, unless other pages show the same line above or below a body; never all of a document.
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
    """Make text again of furniture that is all its page has, and of that of a document that has nothing else."""
    bodies = {draft.page.number for draft in drafts if draft.type not in FURNITURE}
    proven = {_normalise(draft.block.text) for draft in drafts if _is_furniture(draft) and draft.page.number in bodies}
    for draft in drafts:
        if not _is_furniture(draft) or draft.page.number in bodies:
            continue
        text = _normalise(draft.block.text)
        if not bodies or (text not in proven and not _NUMBER.fullmatch(text)):
            draft.type = BlockType.PARAGRAPH


def _is_furniture(draft: Draft) -> bool:
    """True for what its place made furniture; what a format states (it has no box) is not doubted."""
    return draft.type in FURNITURE and draft.block.bbox is not None


def _find_edge(draft: Draft) -> BlockType | None:
    """Which edge the block stands at, null for one that cannot be a running head."""
    height = draft.page.height
    if draft.type not in _MOVABLE or not height or draft.block.bbox is None or len(draft.block.text) > _MOST_CHARS:
        return None
    if draft.bottom <= _EDGE * height:
        return BlockType.PAGE_HEADER
    return BlockType.PAGE_FOOTER if draft.top >= (1 - _EDGE) * height else None


def _normalise(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\d+|\b[ivxlc]+\b", "#", text.lower())).strip()

"""Heading levels over a document: its outline first, then numbering, then the ranking of type sizes; and its title."""

import re
from collections import Counter

from models.cdom.tree import BlockType
from models.extract.document.draft import Draft
from models.extract.readers.contract import OutlineEntry, PageContent

_NUMBERED = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})*)\.?\s+\D")
_DEEPEST = 6  # heading levels, as HTML has
_SIZE_STEP = 0.6
"""Sizes closer than this (points) are one size."""

Look = tuple[float, bool]


def set_levels(drafts: list[Draft], pages: list[PageContent], outline: tuple[OutlineEntry, ...]) -> None:
    """Give every heading without a stated level one of 1..6, and make the first page's largest heading the title."""
    _drop_small(drafts, _find_body(pages))
    headings = [draft for draft in drafts if draft.type is BlockType.HEADING and draft.level is None]
    if not headings:
        return
    ranks = _rank_looks(headings)
    stated = {(_normalise(entry.title), entry.page): min(entry.level, _DEEPEST) for entry in outline}
    depth_ranks = _find_depths(headings, ranks)
    for draft in headings:
        from_outline = stated.get((_normalise(draft.block.text), draft.page.number))
        depth = _find_depth(draft.block.text)
        if from_outline is not None:
            draft.level = from_outline
        elif depth is not None and depth_ranks:
            draft.level = min(depth, _DEEPEST)
        else:
            draft.level = _level_of(ranks[_look(draft)], depth_ranks)
    _find_title(drafts, headings, ranks)


def _find_body(pages: list[PageContent]) -> float:
    """The body size that most pages have, weighted by their text."""
    weights: Counter[float] = Counter()
    for page in pages:
        weights[page.body_size] += sum(len(block.text) for block in page.blocks)
    return max(weights.items(), key=lambda item: (item[1], item[0]))[0] if weights else 0.0


def _drop_small(drafts: list[Draft], body: float) -> None:
    """Light headings no larger than the document's body (on a page of small type) are text."""
    for draft in drafts:
        look = draft.block.look
        is_open = draft.type is BlockType.HEADING and draft.level is None and draft.page.body_size < 0.95 * body
        if is_open and look.size and look.size < 1.05 * body and not look.bold and not _find_depth(draft.block.text):
            draft.type = BlockType.PARAGRAPH


def _look(draft: Draft) -> Look:
    return (draft.block.look.size, draft.block.look.bold)


def _rank_looks(headings: list[Draft]) -> dict[Look, int]:
    """Rank (1 = highest) of every look: larger first, bold before light; nearly equal sizes share a rank."""
    looks = sorted({_look(draft) for draft in headings}, key=lambda look: (-look[0], not look[1]))
    ranks: dict[Look, int] = {}
    rank, last = 0, None
    for look in looks:
        if last is None or last[0] - look[0] > _SIZE_STEP or last[1] != look[1]:
            rank, last = rank + 1, look
        ranks[look] = rank
    return ranks


def _find_depth(text: str) -> int | None:
    """Depth of a decimal section number at the start of a heading, null without one."""
    found = _NUMBERED.match(text)
    return found.group(1).count(".") + 1 if found else None


def _find_depths(headings: list[Draft], ranks: dict[Look, int]) -> dict[int, int]:
    """Rank of a look → depth of the numbers in it, where numbers of several depths show that they count."""
    votes: dict[int, Counter[int]] = {}
    for draft in headings:
        depth = _find_depth(draft.block.text)
        if depth is not None:
            votes.setdefault(ranks[_look(draft)], Counter())[depth] += 1
    depths = {rank: min(counts, key=lambda depth: (-counts[depth], depth)) for rank, counts in votes.items()}
    several = sum(len(counts) for counts in votes.values()) > 1 and len({d for c in votes.values() for d in c}) > 1
    return depths if several else {}


def _level_of(rank: int, depths: dict[int, int]) -> int:
    """Level of an unnumbered heading: that of numbered ones of its look, else by rank."""
    if rank in depths:
        return min(depths[rank], _DEEPEST)
    above = [depth for other, depth in depths.items() if other < rank]
    if above:
        return min(max(above) + 1, _DEEPEST)
    return min(rank, _DEEPEST)


def _find_title(drafts: list[Draft], headings: list[Draft], ranks: dict[Look, int]) -> None:
    """The only heading of the highest rank, on the first page and before any other heading, is the title."""
    top = [draft for draft in headings if ranks[_look(draft)] == 1]
    if len(top) != 1 or len(headings) < 3 or top[0] is not headings[0]:
        return
    title = top[0]
    if title.page.number != drafts[0].page.number or _find_depth(title.block.text) is not None:
        return
    title.type, title.level = BlockType.TITLE, None
    others = [draft for draft in headings if draft is not title]
    if others and min(draft.level or 1 for draft in others) > 1 and not any(_find_depth(d.block.text) for d in others):
        for draft in others:
            draft.level = (draft.level or 2) - 1


def _normalise(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()

"""Framed rows at the ends of pages: rows of a table that other pages have in the same frame, otherwise texts."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.draft import Draft, drop_joined
from quire.models.extract.document.joins import LIMITS, have_same_frame

_BESIDE = frozenset({BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER, BlockType.FOOTNOTE})
_REACH = 3.0
"""Points by which a text may extend beyond the frame of its row."""


@dataclass(slots=True)
class _End:
    """The first or last table of a page: a draft, or framed rows with the drafts of their texts."""

    block: PageBlock
    page: int
    drafts: list[int]
    is_part: bool


def take_rows(drafts: list[Draft]) -> list[Draft]:
    """Return the drafts, with framed rows as tables where the page before or after has the same frame at its end."""
    pages = {draft.page.number: draft.page for draft in drafts}
    if not any(page.parts for page in pages.values()):
        return drafts
    by_page: defaultdict[int, list[int]] = defaultdict(list)
    for index, draft in enumerate(drafts):
        if draft.block.bbox is not None and draft.block.unseen is None:
            by_page[draft.page.number].append(index)
    joined: dict[int, int] = {}
    for upper, lower in pairwise(sorted(by_page)):
        if lower != upper + 1 or not (pages[upper].parts or pages[lower].parts):
            continue
        above = _find_end(drafts, by_page[upper], at_top=False)
        below = _find_end(drafts, by_page[lower], at_top=True)
        if above is None or below is None or not (above.is_part or below.is_part) or not _go_on(above, below, drafts):
            continue
        for end in (above, below):
            if end.is_part and end.drafts[0] not in joined:
                first = end.drafts[0]
                drafts[first].block, drafts[first].type = end.block, BlockType.TABLE
                drafts[first].level = drafts[first].parent = drafts[first].continues = None
                joined |= dict.fromkeys(end.drafts[1:], first)
                by_page[end.page] = [index for index in by_page[end.page] if index not in joined]
    return drop_joined(drafts, joined) if joined else drafts


def _go_on(above: _End, below: _End, drafts: list[Draft]) -> bool:
    upper, lower = above.block, below.block
    is_low = upper.bbox is not None and upper.bbox[3] > LIMITS.least_bottom * drafts[above.drafts[0]].page.height
    return is_low and have_same_frame(upper.edges, lower.edges)


def _find_end(drafts: list[Draft], indices: list[int], *, at_top: bool) -> _End | None:
    """Return the table, or the framed rows, with which a page begins or ends, apart from running heads and feet."""
    page = drafts[indices[0]].page
    body = [index for index in indices if drafts[index].type not in _BESIDE]
    for part in page.parts[:1] if at_top else page.parts[-1:]:
        inside = _find_texts(drafts, indices, part)
        others = [drafts[index] for index in body if index not in inside]
        _, y0, _, y1 = part.bbox or (0.0, 0.0, 0.0, 0.0)
        if inside and all(other.top > y0 if at_top else other.bottom < y1 for other in others):
            return _End(part, page.number, inside, is_part=True)
    if not body:
        return None
    end = (min if at_top else max)(body, key=lambda index: drafts[index].top if at_top else drafts[index].bottom)
    if drafts[end].type is BlockType.TABLE and drafts[end].block.edges:
        return _End(drafts[end].block, page.number, [end], is_part=False)
    return None


def _find_texts(drafts: list[Draft], indices: list[int], part: PageBlock) -> list[int]:
    """Return the drafts in a part's frame, if they stand together and have all of its text and no other."""
    if part.bbox is None or part.table is None:
        return []
    x0, y0, x1, y1 = part.bbox
    inside: list[int] = []
    for index in indices:
        box = drafts[index].block.bbox or part.bbox
        if x0 <= (box[0] + box[2]) / 2 <= x1 and y0 <= (box[1] + box[3]) / 2 <= y1:
            if box[1] < y0 - _REACH or box[3] > y1 + _REACH:
                return []
            inside.append(index)
    text = "".join([_text_of(drafts[index].block) for index in inside])
    return inside if Counter(text) == Counter(_text_of(part)) else []


def _text_of(block: PageBlock) -> str:
    table = block.table
    text = block.text if table is None else "".join([cell.text for cell in table.cells])
    return "".join(text.split())

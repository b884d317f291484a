"""Running heads and feet: what comes back at the same edge of several pages."""

import re
from collections import defaultdict

from models.cdom.tree import BlockType
from models.extract.document.draft import Draft

_EDGE = 0.13
"""Share of the page's height in which running heads and feet stand."""
_LEAST_PAGES = 3
_MOST_CHARS = 160
_MOVABLE = frozenset(
    {BlockType.PARAGRAPH, BlockType.HEADING, BlockType.LIST_ITEM, BlockType.FOOTNOTE, BlockType.FORMULA}
)


def mark_running(drafts: list[Draft]) -> None:
    """Retype blocks at the edges of pages whose text (numbers aside) stands on three pages or more."""
    seen: dict[tuple[BlockType, str], dict[int, Draft]] = defaultdict(dict)
    for draft in drafts:
        kind = _find_edge(draft)
        if kind is not None:
            seen[kind, _normalise(draft.block.text)].setdefault(draft.page.number, draft)
    for (kind, _), by_page in seen.items():
        if len(by_page) >= _LEAST_PAGES:
            for draft in by_page.values():
                draft.type, draft.level = kind, None


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

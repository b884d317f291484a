"""Running heads and feet: what comes back at the same edge of several pages, with a body between them."""

import re
from collections import defaultdict

from models.cdom.tree import FURNITURE, BlockType
from models.extract.document.draft import Draft

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

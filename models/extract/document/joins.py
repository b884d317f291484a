"""Continuations after a break: paragraphs over columns and pages, tables over pages."""

import re

from models.cdom.table import Table
from models.cdom.tree import BlockType
from models.extract.document.draft import Draft

_BETWEEN = frozenset(
    {
        BlockType.PAGE_HEADER,
        BlockType.PAGE_FOOTER,
        BlockType.FOOTNOTE,
        BlockType.TABLE,
        BlockType.PICTURE,
        BlockType.CAPTION,
    }
)
"""Blocks that may be between the two parts of a paragraph."""
_AFTER_TABLE = frozenset({BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER, BlockType.FOOTNOTE})
_SAYS_CONTINUED = re.compile(
    r"\b(?:continued|contd|cont['’]d|cont\.|fortsetzung|suite|continuación|continuação|continua|vervolg)(?!\w)", re.I
)
"""Words in captions over later parts of a table, and in lines at the foot of earlier ones."""
_MOST_CONTINUED = 250  # characters of such a caption or line
_TEXT = frozenset({BlockType.PARAGRAPH, BlockType.LIST_ITEM})
_MOST_BETWEEN = 8  # blocks between the halves of a paragraph: notes, captions, furniture
_EDGE_SHARE = 0.03  # share of the page's width by which two parts of a table may differ
_OVERLAP = 0.5  # share of the narrower column that overlaps the other one


def link_joins(drafts: list[Draft]) -> None:
    """Set `continues` where a paragraph or table continues an earlier one."""
    for index, draft in enumerate(drafts):
        if draft.continues is not None:
            continue
        if draft.type is BlockType.PARAGRAPH:
            draft.continues = _find_open_paragraph(drafts, index)
        elif draft.type is BlockType.TABLE and draft.block.table is not None:
            draft.continues = _find_open_table(drafts, index)


def _find_open_paragraph(drafts: list[Draft], index: int) -> int | None:
    """Return the paragraph before if it stops in mid-sentence and this one starts with a small letter."""
    draft = drafts[index]
    start = draft.block.text[:1]
    if not (start.islower() or start.isdigit()):
        return None
    for back in range(index - 1, max(-1, index - 1 - _MOST_BETWEEN), -1):
        before = drafts[back]
        if before.type in _BETWEEN:
            continue
        look = before.block.look
        if before.type not in _TEXT or not look.ends_open or abs(look.size - draft.block.look.size) > 0.6:
            return None
        if not _is_after_break(before, draft) or (not start.islower() and not look.hyphen):
            return None
        return back
    return None


def _is_after_break(first: Draft, second: Draft) -> bool:
    """Return whether a page or column break divides them (the second part is not below the first)."""
    if first.page.number != second.page.number:
        return second.page.number == first.page.number + 1
    if first.block.bbox is None or second.block.bbox is None:
        return False
    return second.top < first.bottom or second.top - first.bottom > 3 * max(first.block.look.size, 8.0)


def _find_open_table(drafts: list[Draft], index: int) -> int | None:
    """Return the table that ended the page before if this one opens its page with the same columns."""
    draft = drafts[index]
    for back in range(index - 1, max(-1, index - 1 - _MOST_BETWEEN), -1):
        before = drafts[back]
        if before.page.number < draft.page.number - 1:
            return None
        if before.type is BlockType.TABLE and before.page.number == draft.page.number - 1:
            return back if _same_columns(before, draft) else None
        if before.type not in _AFTER_TABLE and not _is_continuation_note(before):
            return None
    return None


def _is_continuation_note(draft: Draft) -> bool:
    text = draft.block.text
    return len(text) <= _MOST_CONTINUED and _SAYS_CONTINUED.search(text) is not None


def _same_columns(first: Draft, second: Draft) -> bool:
    """Return whether both have the same number of columns above each other; without cell boxes, the same width.

    Return False without printed pages: there a table ends where its format says so.
    """
    first_table, second_table = first.block.table, second.block.table
    if (
        first_table is None
        or second_table is None
        or first_table.cols != second_table.cols
        or first.block.bbox is None
        or second.block.bbox is None
    ):
        return False
    width = max(first.page.width, 1.0)
    first_extents, second_extents = _column_extents(first_table), _column_extents(second_table)
    if first_extents and second_extents:
        moved = 0.0 if _are_aligned(first_extents, second_extents, 0.0) else second.block.bbox[0] - first.block.bbox[0]
        return _are_aligned(first_extents, second_extents, moved)
    first_width = first.block.bbox[2] - first.block.bbox[0]
    return abs(first_width - (second.block.bbox[2] - second.block.bbox[0])) < _EDGE_SHARE * width


def _column_extents(table: Table) -> list[tuple[float, float]]:
    """Return each column's extent across the text direction, from single-column cells; empty if a column has none."""
    side = 1 if _runs_upwards(table) else 0
    extents: dict[int, tuple[float, float]] = {}
    for cell in table.cells:
        if cell.bbox is not None and cell.col_span == 1 and cell.text:
            first, last = extents.get(cell.col, (cell.bbox[side], cell.bbox[side + 2]))
            extents[cell.col] = (min(first, cell.bbox[side]), max(last, cell.bbox[side + 2]))
    return [extents[col] for col in range(table.cols)] if len(extents) == table.cols else []


def _runs_upwards(table: Table) -> bool:
    """Return whether the rows of the table run up or down the page, with its text."""
    boxes = [cell.bbox for cell in table.cells if cell.row == table.cells[0].row and cell.bbox is not None]
    if not boxes:
        return False
    across, down = (abs(boxes[-1][side] - boxes[0][side]) for side in (0, 1))
    return down > across


def _are_aligned(above: list[tuple[float, float]], below: list[tuple[float, float]], moved: float) -> bool:
    """Return whether each column overlaps, by half of the narrower one, its counterpart moved back by `moved`."""
    return all(
        min(right, other_right - moved) - max(left, other_left - moved)
        > _OVERLAP * min(right - left, other_right - other_left)
        for (left, right), (other_left, other_right) in zip(above, below, strict=True)
    )

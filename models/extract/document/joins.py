"""What goes on after a break: paragraphs over columns and pages, tables over pages."""

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
"""What may stand between the two parts of a paragraph."""
_AFTER_TABLE = frozenset({BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER, BlockType.FOOTNOTE})
_SAYS_CONTINUED = re.compile(
    r"\b(?:continued|contd|cont['’]d|cont\.|fortsetzung|suite|continuación|continuação|continua|vervolg)(?!\w)", re.I
)
"""What captions over later parts of a table say, and lines at the foot of earlier ones."""
_MOST_CONTINUED = 250  # characters of such a caption or line
_TEXT = frozenset({BlockType.PARAGRAPH, BlockType.LIST_ITEM})
_MOST_BETWEEN = 8  # blocks that may stand between the halves of a paragraph: notes, captions, furniture
_EDGE_SHARE = 0.03  # share of the page's width by which two parts of a table may differ
_OVERLAP = 0.5  # share of the narrower column that lies over the other one


def link_joins(drafts: list[Draft]) -> None:
    """Set `continues` where a paragraph or table is the rest of an earlier one."""
    for index, draft in enumerate(drafts):
        if draft.continues is not None:
            continue
        if draft.type is BlockType.PARAGRAPH:
            draft.continues = _find_open_paragraph(drafts, index)
        elif draft.type is BlockType.TABLE and draft.block.table is not None:
            draft.continues = _find_open_table(drafts, index)


def _find_open_paragraph(drafts: list[Draft], index: int) -> int | None:
    """The paragraph before, when it stops in mid-sentence and this one starts in small letters."""
    draft = drafts[index]
    start = draft.block.text[:1]
    if not (start.islower() or start.isdigit()):
        return None
    for back in range(index - 1, max(-1, index - 1 - _MOST_BETWEEN), -1):
        other = drafts[back]
        if other.type in _BETWEEN:
            continue
        look = other.block.look
        if other.type not in _TEXT or not look.ends_open or abs(look.size - draft.block.look.size) > 0.6:
            return None
        if not _is_after_break(other, draft) or (not start.islower() and not look.hyphen):
            return None
        return back
    return None


def _is_after_break(first: Draft, second: Draft) -> bool:
    """True over a page break, and over a column break (the second part does not stand below the first)."""
    if first.page.number != second.page.number:
        return second.page.number == first.page.number + 1
    if first.block.bbox is None or second.block.bbox is None:
        return False
    return second.top < first.bottom or second.top - first.bottom > 3 * max(first.block.look.size, 8.0)


def _find_open_table(drafts: list[Draft], index: int) -> int | None:
    """The table that ended the page before, when this one opens its page with the same columns."""
    draft = drafts[index]
    for back in range(index - 1, max(-1, index - 1 - _MOST_BETWEEN), -1):
        other = drafts[back]
        if other.page.number < draft.page.number - 1:
            return None
        if other.type is BlockType.TABLE and other.page.number == draft.page.number - 1:
            return back if _same_columns(other, draft) else None
        if other.type not in _AFTER_TABLE and not _says_continued(other):
            return None
    return None


def _says_continued(draft: Draft) -> bool:
    text = draft.block.text
    return len(text) <= _MOST_CONTINUED and _SAYS_CONTINUED.search(text) is not None


def _same_columns(first: Draft, second: Draft) -> bool:
    """Equal number of columns, above each other; where cells have no places, tables of one width.

    False without pages that are printed: there a table ends where its format says so.
    """
    one, two = first.block.table, second.block.table
    if one is None or two is None or one.cols != two.cols or first.block.bbox is None or second.block.bbox is None:
        return False
    width = max(first.page.width, 1.0)
    here, there = _column_extents(one), _column_extents(two)
    if here and there:
        moved = 0.0 if _stand_above(here, there, 0.0) else second.block.bbox[0] - first.block.bbox[0]
        return _stand_above(here, there, moved)
    first_width = first.block.bbox[2] - first.block.bbox[0]
    return abs(first_width - (second.block.bbox[2] - second.block.bbox[0])) < _EDGE_SHARE * width


def _column_extents(table: Table) -> list[tuple[float, float]]:
    """First and last place, along its rows, of what stands in each column alone; empty where a column has none."""
    side = 1 if _runs_upwards(table) else 0
    extents: dict[int, tuple[float, float]] = {}
    for cell in table.cells:
        if cell.bbox is not None and cell.col_span == 1 and cell.text:
            first, last = extents.get(cell.col, (cell.bbox[side], cell.bbox[side + 2]))
            extents[cell.col] = (min(first, cell.bbox[side]), max(last, cell.bbox[side + 2]))
    return [extents[col] for col in range(table.cols)] if len(extents) == table.cols else []


def _runs_upwards(table: Table) -> bool:
    """True when the rows of the table run up or down the page, with its text."""
    boxes = [cell.bbox for cell in table.cells if cell.row == table.cells[0].row and cell.bbox is not None]
    if not boxes:
        return False
    across, down = (abs(boxes[-1][side] - boxes[0][side]) for side in (0, 1))
    return down > across


def _stand_above(above: list[tuple[float, float]], below: list[tuple[float, float]], moved: float) -> bool:
    """True when each column overlaps, by half of the narrower one, that of its number once `below` is moved back."""
    return all(
        min(right, other_right - moved) - max(left, other_left - moved)
        > _OVERLAP * min(right - left, other_right - other_left)
        for (left, right), (other_left, other_right) in zip(above, below, strict=True)
    )

"""Continuations after a break: paragraphs over columns and pages, tables over pages.

Framed rows at the ends of pages are rows of a table that other pages have in the same frame, otherwise texts.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType
from quire.models.cdom.visible import is_wide
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.draft import Draft, drop_joined

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


@dataclass(frozen=True, slots=True)
class JoinLimits:
    """Limits for paragraphs and tables to continue after a break."""

    most_continued: int = 250
    """Characters of a caption or line that says that a table is continued."""
    most_between: int = 8
    """Blocks between the halves of a paragraph: notes, captions, furniture."""
    edge_share: float = 0.03
    """Share of the page's width by which two parts of a table may differ."""
    most_page_text: int = 160
    """Characters of a text that pages print above and below the part of their table."""
    least_columns: int = 3
    """Columns of a table that is recognised by their places alone."""
    same_edge: float = 2.0
    """Points by which the edges of the same column may differ."""
    least_bottom: float = 0.5
    """Share of the page above the lower end of a drawn table that continues; a higher one leaves space for a row."""
    overlap: float = 0.5
    """Share of the narrower column that overlaps the other one."""
    margin: float = 0.12
    """Share of the page's height in which short lines above or below a drawn table are running heads and feet."""
    logo: float = 0.2
    """Share of the page's height in which pictures without words above a table are logos."""
    reach: float = 3.0
    """Points by which a text may extend beyond the frame of its row."""
    most_back: int = 40
    """Blocks between the parts of a table, those of margins with the others."""


LIMITS = JoinLimits()
_TEXT = frozenset({BlockType.PARAGRAPH, BlockType.LIST_ITEM})
_PAGE_TEXT = frozenset({BlockType.PARAGRAPH, BlockType.HEADING, BlockType.TITLE, BlockType.KEY_VALUE})
"""Types of text that pages of a statement may print above and below the part of its table."""
_DIGITS = re.compile(r"\d+")
_TITLED = re.compile(r"(?:table|tab\.|tabelle|tableau|tabla|tabella|tabela)\s*\d+\s*\W", re.I)
"""A caption at the foot of a page, of the table of the next one."""
Repeated = tuple[str, int]
"""A text without its numbers, and its height on the page in steps of 4 points."""


def link_joins(drafts: list[Draft]) -> None:
    """Set `continues` where a paragraph or table continues an earlier one."""
    tables = sum(draft.type is BlockType.TABLE for draft in drafts)
    repeated = _find_repeated(drafts) if tables > 1 else frozenset()
    for index, draft in enumerate(drafts):
        if draft.continues is not None:
            continue
        if draft.type is BlockType.PARAGRAPH:
            draft.continues = _find_open_paragraph(drafts, index)
        elif draft.type is BlockType.TABLE and draft.block.table is not None:
            draft.continues = _find_open_table(drafts, index, repeated)


def _find_open_paragraph(drafts: list[Draft], index: int) -> int | None:
    """Return the paragraph before if it stops in mid-sentence and this one does not start a sentence."""
    draft = drafts[index]
    start = draft.block.text[:1]
    if not (start.islower() or start.isdigit() or is_wide(start)):
        return None
    for back in range(index - 1, max(-1, index - 1 - LIMITS.most_between), -1):
        before = drafts[back]
        if before.type in _BETWEEN:
            continue
        look = before.block.look
        if before.type not in _TEXT or not look.ends_open or abs(look.size - draft.block.look.size) > 0.6:
            return None
        if not _is_after_break(before, draft) or (start.isdigit() and not look.hyphen):
            return None
        if is_wide(start) and (look.lines == 1 or not is_wide(before.block.text[-1:])):
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


def _find_open_table(drafts: list[Draft], index: int, repeated: frozenset[Repeated]) -> int | None:
    """Return the table that ended the page before if this one starts its page and has the same columns.

    Texts that pages repeat at one place may stand between them, and other short ones only before a part without a head.
    Logos and lines in the margins may always if both parts are drawn alike, and so may pictures in cells.
    """
    draft = drafts[index]
    others = 0
    aside: list[Draft] = []
    for back in range(index - 1, max(-1, index - 1 - LIMITS.most_back), -1):
        before = drafts[back]
        if before.page.number < draft.page.number - 1 or others > LIMITS.most_between:
            return None
        if before.type is BlockType.TABLE and before.page.number == draft.page.number - 1:
            others += sum(not _stands_aside(item, before, draft) for item in aside)
            if others and (_has_head(draft) or not _have_same_edges(before, draft)):
                return None
            return back if _same_columns(before, draft) else None
        if before.type is BlockType.PAGE_FOOTER and _TITLED.match(before.block.text):
            return None
        if before.type in _AFTER_TABLE or _is_continuation_note(before) or _repeated_key(before) in repeated:
            continue
        if before.type is BlockType.PICTURE and not before.block.text:
            aside.append(before)
        elif before.type not in _PAGE_TEXT or len(before.block.text) > LIMITS.most_page_text:
            return None
        elif before.type is BlockType.HEADING:
            others += 1
        else:
            aside.append(before)
    return None


def _stands_aside(item: Draft, upper: Draft, lower: Draft) -> bool:
    """Return whether a block does not part two tables: a logo or line in a margin, or a picture in a cell."""
    table = lower if item.page.number == lower.page.number else upper
    if item.type is BlockType.PICTURE:
        if table.top <= (item.top + item.bottom) / 2 <= table.bottom:
            return True
    elif not (upper.block.edges and lower.block.edges):
        return False
    if table is lower:
        most = LIMITS.logo if item.type is BlockType.PICTURE else LIMITS.margin
        return item.bottom <= min(table.top + 2, most * item.page.height)
    return item.top >= max(table.bottom - 2, (1 - LIMITS.margin) * item.page.height)


def _find_repeated(drafts: list[Draft]) -> frozenset[Repeated]:
    """Return the short texts at the same place of several pages, independent of their numbers."""
    pages: dict[Repeated, set[int]] = {}
    for draft in drafts:
        is_short = draft.type in _PAGE_TEXT and len(draft.block.text) <= LIMITS.most_page_text
        if draft.block.bbox is not None and (is_short or draft.type is BlockType.PICTURE):
            pages.setdefault(_repeated_key(draft), set()).add(draft.page.number)
    return frozenset(key for key, numbers in pages.items() if len(numbers) > 1)


def _repeated_key(draft: Draft) -> Repeated:
    box = draft.block.bbox
    if draft.type is BlockType.PICTURE and box is not None:
        return "-".join([str(round(value)) for value in box]), 0
    return _DIGITS.sub("#", draft.block.text), 0 if box is None else round(box[1] / 4)


def _has_head(draft: Draft) -> bool:
    table = draft.block.table
    return table is not None and any(cell.header for cell in table.cells)


def _have_same_edges(first: Draft, second: Draft) -> bool:
    """Return whether all but one of the columns of both tables begin or end at the same places."""
    upper, lower = first.block.table, second.block.table
    if upper is None or lower is None or upper.cols != lower.cols or upper.cols < LIMITS.least_columns:
        return False
    pairs = list(zip(_column_extents(upper), _column_extents(lower), strict=False))
    same = sum(abs(a[0] - b[0]) < LIMITS.same_edge or abs(a[1] - b[1]) < LIMITS.same_edge for a, b in pairs)
    return len(pairs) == upper.cols and same >= upper.cols - 1


def _is_continuation_note(draft: Draft) -> bool:
    text = draft.block.text
    return len(text) <= LIMITS.most_continued and _SAYS_CONTINUED.search(text) is not None


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
    upper, lower = first.block.edges, second.block.edges
    if upper and lower:
        return is_low(first) and have_same_frame(upper, lower)
    width = max(first.page.width, 1.0)
    first_extents, second_extents = _column_extents(first_table), _column_extents(second_table)
    if first_extents and second_extents:
        moved = 0.0 if _are_aligned(first_extents, second_extents, 0.0) else second.block.bbox[0] - first.block.bbox[0]
        return _are_aligned(first_extents, second_extents, moved)
    first_width = first.block.bbox[2] - first.block.bbox[0]
    return abs(first_width - (second.block.bbox[2] - second.block.bbox[0])) < LIMITS.edge_share * width


def is_low(draft: Draft) -> bool:
    """Return whether a table ends so low on its page that it may continue."""
    return draft.bottom > LIMITS.least_bottom * draft.page.height


def have_same_frame(upper: Sequence[float], lower: Sequence[float]) -> bool:
    """Return whether both tables are drawn with columns of the same width; the margins of their pages may differ."""
    return len(upper) == len(lower) > 0 and all(
        abs(b - a - lower[0] + upper[0]) < LIMITS.same_edge for a, b in zip(upper, lower, strict=True)
    )


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
        > LIMITS.overlap * min(right - left, other_right - other_left)
        for (left, right), (other_left, other_right) in zip(above, below, strict=True)
    )


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
    body = [index for index in indices if drafts[index].type not in _AFTER_TABLE]
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
            if box[1] < y0 - LIMITS.reach or box[3] > y1 + LIMITS.reach:
                return []
            inside.append(index)
    text = "".join([_text_of(drafts[index].block) for index in inside])
    return inside if Counter(text) == Counter(_text_of(part)) else []


def _text_of(block: PageBlock) -> str:
    table = block.table
    text = block.text if table is None else "".join([cell.text for cell in table.cells])
    return "".join(text.split())

"""Running heads and feet: lines and small tables that pages repeat in margins, and rows with the page's number."""

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from quire.models.cdom.geometry import union_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import FURNITURE, BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.draft import Draft
from quire.models.extract.document.joins import have_same_frame, is_low


@dataclass(frozen=True, slots=True)
class RunningHeadLimits:
    """When a repeated line, table or row is a running head or foot."""

    most_rows: int = 5
    """Rows of such a table."""
    top: float = 0.25
    """Share of the page's height above the lower end of a head."""
    foot: float = 0.85
    """Share of the page's height above the upper end of a foot."""
    moved: float = 2.0
    """Points by which the table's upper edge may move between pages."""
    most_changes: int = 1
    """Cells whose numbers differ between the pages: the one with the page number."""
    most_chars: int = 400
    """Characters of all cells together."""
    least_rows: int = 3
    """Rows of a table of which the first or last can be a running head or foot."""
    edge: float = 0.13
    """Share of the page's height in which such a row or a line is, at the top or at the bottom."""
    least_pages: int = 3
    """Pages on which a line must repeat: two are a coincidence."""
    least_bodies: int = 2
    """Pages with the line that must hold other text: a line that fills all its pages is their text."""
    most_line_chars: int = 160
    """Characters of a line that repeats; longer is text."""


LIMITS = RunningHeadLimits()
_DIGITS = re.compile(r"\d+")
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
_bottom = attrgetter("bottom")


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
    repeated = {key: by_page for key, by_page in seen.items() if len(by_page) >= LIMITS.least_pages}
    running = {id(draft) for by_page in repeated.values() for draft in by_page.values()}
    bodies = {draft.page.number for draft in drafts if draft.type not in FURNITURE and id(draft) not in running}
    for (kind, _), by_page in repeated.items():
        if len(bodies & by_page.keys()) >= LIMITS.least_bodies:
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
    if (
        draft.type not in _MOVABLE
        or not height
        or draft.block.bbox is None
        or len(draft.block.text) > LIMITS.most_line_chars
    ):
        return None
    if draft.bottom <= LIMITS.edge * height:
        return BlockType.PAGE_HEADER
    return BlockType.PAGE_FOOTER if draft.top >= (1 - LIMITS.edge) * height else None


def _normalise(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\d+|\b[ivxlc]+\b", "#", text.lower())).strip()


def free_running_tables(drafts: list[Draft]) -> None:
    """Turn tables that pages repeat in their margins, numbers apart, into running heads and feet."""
    bodies = {draft.page.number for draft in drafts if draft.type not in FURNITURE and _find_margin(draft) is None}
    alike: dict[tuple[BlockType, str, int], list[tuple[Draft, Table]]] = {}
    lowest = {draft.page.number: draft for draft in sorted(drafts, key=_bottom) if draft.type is BlockType.TABLE}
    for draft in drafts:
        table, kind = draft.block.table, _find_margin(draft)
        if table is not None and kind is not None and not _goes_on(lowest.get(draft.page.number - 1), draft):
            text = _DIGITS.sub("#", _write_rows(table))
            alike.setdefault((kind, text, len(table.cells)), []).append((draft, table))
    for (kind, *_), repeated in alike.items():
        numbers = {draft.page.number for draft, _ in repeated}
        tops = [draft.top for draft, _ in repeated]
        if len(numbers & bodies) < 2 or len(numbers) < len(repeated) or max(tops) - min(tops) > LIMITS.moved:
            continue
        if _count_changes([table for _, table in repeated]) > LIMITS.most_changes:
            continue
        for draft, table in repeated:
            draft.type = kind
            draft.block = replace(
                draft.block, type=kind, text=_write_rows(table), table=None, spans=(), flag_spans=(), edges=()
            )


def _goes_on(above: Draft | None, draft: Draft) -> bool:
    """Return whether the table on the page before ends low and has the same frame."""
    return above is not None and is_low(above) and have_same_frame(above.block.edges, draft.block.edges)


def _find_margin(draft: Draft) -> BlockType | None:
    """Return the type of a small table's margin, or None for any other block."""
    table, height = draft.block.table, draft.page.height
    if draft.type is not BlockType.TABLE or table is None or draft.block.bbox is None or not height:
        return None
    if table.rows > LIMITS.most_rows or sum(len(cell.text) for cell in table.cells) > LIMITS.most_chars:
        return None
    if draft.bottom < LIMITS.top * height:
        return BlockType.PAGE_HEADER
    return BlockType.PAGE_FOOTER if draft.top > LIMITS.foot * height else None


@dataclass(frozen=True, slots=True)
class _EdgeRow:
    """The first or last row of a table, in the margin of its page."""

    index: int
    draft: Draft
    table: Table
    cells: list[Cell]
    kind: BlockType


def free_running_rows(drafts: list[Draft]) -> list[Draft]:
    """Return the drafts with rows that are running heads or feet as separate drafts.

    Such a row is in the margin of several pages, numbers apart the same, and one number grows with the pages' numbers.
    """
    alike: dict[tuple[BlockType, str], list[_EdgeRow]] = {}
    for index, draft in enumerate(drafts):
        for row in _find_edge_rows(index, draft):
            text = "|".join(_DIGITS.sub("#", cell.text) for cell in row.cells if cell.text)
            alike.setdefault((row.kind, text), []).append(row)
    freed = [rows for rows in alike.values() if _counts_pages(rows)]
    drafts = _insert_rows(drafts, [row for rows in freed for row in rows]) if freed else drafts
    for rows in freed:
        _mark_header([row.draft for row in rows if row.kind is BlockType.PAGE_HEADER])
    return drafts


def _mark_header(drafts: list[Draft]) -> None:
    """Mark the first row of the tables as their header if it is the same in all of them."""
    tables = [table for draft in drafts if (table := draft.block.table) is not None]
    if len({tuple(cell.text for cell in table.cells if cell.row == 0) for table in tables}) != 1:
        return
    for draft, table in zip(drafts, tables, strict=True):
        cells = tuple(replace(cell, header=cell.header or cell.row == 0) for cell in table.cells)
        draft.block = replace(draft.block, table=replace(table, cells=cells))


def _find_edge_rows(index: int, draft: Draft) -> list[_EdgeRow]:
    table, height = draft.block.table, draft.page.height
    if draft.type is not BlockType.TABLE or table is None or table.rows < LIMITS.least_rows or not height:
        return []
    found: list[_EdgeRow] = []
    for number, kind in ((0, BlockType.PAGE_HEADER), (table.rows - 1, BlockType.PAGE_FOOTER)):
        cells = [cell for cell in table.cells if cell.row <= number < cell.row + cell.row_span]
        boxes = [cell.bbox for cell in cells if cell.bbox is not None]
        if not boxes or any(cell.row_span > 1 for cell in cells):
            continue
        at_top = kind is BlockType.PAGE_HEADER
        top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
        if bottom <= LIMITS.edge * height if at_top else top >= (1 - LIMITS.edge) * height:
            found.append(_EdgeRow(index, draft, table, cells, kind))
    return found


def _counts_pages(rows: list[_EdgeRow]) -> bool:
    """Return True when exactly one number of the rows differs between pages, by as much as the pages' numbers."""
    pages = [row.draft.page.number for row in rows]
    if len(set(pages)) < 2 or len(set(pages)) < len(pages):
        return False
    numbers = [[int(number) for cell in row.cells for number in _DIGITS.findall(cell.text)] for row in rows]
    changing = [values for values in zip(*numbers, strict=True) if len(set(values)) > 1]
    return len(changing) == 1 and len({value - page for value, page in zip(changing[0], pages, strict=True)}) == 1


def _insert_rows(drafts: list[Draft], rows: list[_EdgeRow]) -> list[Draft]:
    """Return the drafts with the rows before or after their tables, and all references moved accordingly."""
    by_table = {(row.index, row.kind): row for row in rows}
    out: list[Draft] = []
    moved: list[int] = []
    for index, draft in enumerate(drafts):
        head, foot = by_table.get((index, BlockType.PAGE_HEADER)), by_table.get((index, BlockType.PAGE_FOOTER))
        out += [_take_row(row) for row in (head,) if row is not None]
        moved.append(len(out))
        out.append(draft)
        out += [_take_row(row) for row in (foot,) if row is not None]
    for draft in drafts:
        draft.parent = None if draft.parent is None else moved[draft.parent]
        draft.continues = None if draft.continues is None else moved[draft.continues]
    return out


def _take_row(row: _EdgeRow) -> Draft:
    """Take the row out of its table and return it as a draft."""
    draft, number = row.draft, row.cells[0].row
    old = draft.block.table or row.table
    number -= row.table.rows - old.rows
    kept = [cell for cell in old.cells if cell.row != number]
    needs_header = number == 0 and not any(cell.header for cell in kept) and any(cell.header for cell in row.cells)
    cells = tuple(
        replace(cell, row=cell.row - (cell.row > number), header=cell.header or (needs_header and cell.row == 1))
        for cell in kept
    )
    table = replace(old, rows=old.rows - 1, cells=cells)
    box = union_bbox(cell.bbox for cell in cells if cell.bbox is not None)
    places = {id(cell): place for place, cell in enumerate(kept)}
    moved = {index: places[id(cell)] for index, cell in enumerate(old.cells) if id(cell) in places}
    flags = [
        flag if flag.cell is None else replace(flag, cell=moved[flag.cell])
        for flag in draft.block.flag_spans
        if flag.cell is None or flag.cell in moved
    ]
    draft.block = replace(draft.block, table=table, bbox=box, flag_spans=tuple(flags))
    own = union_bbox(cell.bbox for cell in row.cells if cell.bbox is not None)
    text = " ".join(cell.text for cell in row.cells if cell.text)
    return Draft(draft.page, PageBlock(type=row.kind, text=text, bbox=own), row.kind, None)


def _count_changes(tables: list[Table]) -> int:
    """Count the cells whose text is not the same in all tables."""
    return sum(
        len(set(texts)) > 1 for texts in zip(*([cell.text for cell in table.cells] for table in tables), strict=True)
    )


def _write_rows(table: Table) -> str:
    """Return the texts of the cells, a line for each row."""
    rows = (list(row) for _, row in groupby(table.cells, key=lambda cell: cell.row))
    lines = (" ".join(text for cell in row if (text := " ".join(cell.text.split()))) for row in rows)
    return "\n".join(line for line in lines if line)

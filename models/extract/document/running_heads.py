"""Running heads and feet that pages print as a table: the same small table at the same place of several pages."""

import re
from dataclasses import dataclass, replace
from itertools import groupby

from models.cdom.table import Table
from models.cdom.tree import FURNITURE, BlockType
from models.extract.document.draft import Draft


@dataclass(frozen=True, slots=True)
class RunningHeadLimits:
    """When a repeated table is a running head or foot."""

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


LIMITS = RunningHeadLimits()
_DIGITS = re.compile(r"\d+")


def free_running_tables(drafts: list[Draft]) -> None:
    """Turn tables that pages repeat in their margins, numbers apart, into running heads and feet."""
    bodies = {draft.page.number for draft in drafts if draft.type not in FURNITURE and _find_margin(draft) is None}
    alike: dict[tuple[BlockType, str, int], list[tuple[Draft, Table]]] = {}
    for draft in drafts:
        table, kind = draft.block.table, _find_margin(draft)
        if table is not None and kind is not None:
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
                draft.block, type=kind, text=_write_rows(table), table=None, spans=(), flag_spans=(), frame=None
            )


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

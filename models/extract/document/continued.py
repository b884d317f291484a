"""Tables that continue over pages, joined into one without repeated headers; the place of every part is kept.

Pure, on drafts whose links (`continues`) are set. The order of the other blocks stays.
"""

import re
from dataclasses import dataclass, replace
from itertools import groupby

from quire.models.cdom.coverage import REPEATED_HEADER, ExcludedPlace
from quire.models.cdom.geometry import union_bbox
from quire.models.cdom.table import Cell, Table, TablePart
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.document.draft import Draft, drop_joined
from quire.models.extract.document.series_checks import read_figure


@dataclass(frozen=True, slots=True)
class ContinuedLimits:
    """Thresholds that identify a repeated header, and a row of data that was taken for one."""

    most_header_rows: int = 8
    """Rows of a header; more equal rows are equal data."""
    label: int = 80
    """Characters of a header cell: a longer text is data."""
    name: int = 30
    """Characters of the name of a column in a table without styles."""
    full: float = 0.8
    """Share of the page above the lower end of a part that fills its page."""


LIMITS = ContinuedLimits()
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


LeftOut = dict[int, list[ExcludedPlace]]
"""Page → its text that is not in the tree."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A draft that continues the one before; its first `dropped` rows repeat, `unmark`: its header row is data."""

    draft: Draft
    dropped: int = 0
    unmark: bool = False


def join_tables(drafts: list[Draft]) -> tuple[list[Draft], LeftOut]:
    """Join continued tables at the place of their first part; also return the repeated headers by page."""
    roots: dict[int, int] = {}
    pieces: dict[int, list[_Piece]] = {}
    for index, draft in enumerate(drafts):
        before = draft.continues
        if draft.type is not BlockType.TABLE or before is None or drafts[before].block.table is None:
            continue
        root = roots.get(before, before)
        piece = _find_piece(
            drafts[root], draft, is_full=drafts[before].bottom > LIMITS.full * drafts[before].page.height
        )
        if piece is not None:
            roots[index] = root
            pieces.setdefault(root, [_Piece(drafts[root])]).append(piece)
    for root, parts in pieces.items():
        drafts[root].block = _join(parts)
    repeated: dict[int, list[ExcludedPlace]] = {}
    for piece in (piece for parts in pieces.values() for piece in parts if piece.dropped):
        if (place := _state_repeated(piece)).characters:
            repeated.setdefault(piece.draft.page.number, []).append(place)
    return drop_joined(drafts, roots), repeated


def _find_piece(first: Draft, second: Draft, *, is_full: bool) -> _Piece | None:
    """Return how the second table continues the first, or None when it has its own header.

    `is_full`: the part before ends low on its page.
    """
    first_table, second_table = first.block.table, second.block.table
    if first_table is None or second_table is None or second.block.bbox is None or second_table.rows < 1:
        return None
    dropped = _count_repeated(first_table, second_table)
    if dropped == second_table.rows:
        return None
    blank = _count_blank(first_table, second_table, dropped)
    if dropped:
        return _Piece(second, dropped + blank)
    header_rows = _header_rows(second_table)
    if not header_rows or blank:
        return _Piece(second, blank, unmark=bool(header_rows))
    if _lost_its_head(first, second, is_full=is_full) or _is_data(second_table, first_table):
        return _Piece(second, unmark=True)
    return None


def _count_blank(first: Table, second: Table, start: int) -> int:
    """Return 1 if row `start` of the second table is the empty end of the row that ended the first one, otherwise 0."""
    rows = _first_rows(second)[start:]
    last = [cell for cell in first.cells if cell.row + cell.row_span == first.rows]
    is_blank = len(rows) > 1 and all(not cell.text and cell.row_span == 1 for cell in rows[0])
    return int(is_blank and any(cell.text for cell in rows[1]) and any(cell.text for cell in last))


def _count_repeated(first: Table, second: Table) -> int:
    """Count equal rows at the top of both tables; the first one must be a header in one of them."""
    first_rows, second_rows = _first_rows(first), _first_rows(second)
    if (
        not first_rows
        or not second_rows
        or not (any(cell.header for cell in first_rows[0]) or any(cell.header for cell in second_rows[0]))
    ):
        return 0
    count = 0
    for row, other_row in zip(first_rows, second_rows, strict=False):
        texts = [" ".join(cell.text.split()) for cell in row if cell.text.strip()]
        if not texts or texts != [" ".join(cell.text.split()) for cell in other_row if cell.text.strip()]:
            break
        if count and not any(cell.header for cell in (*row, *other_row)) and any(map(_is_figure, texts)):
            break
        count += 1
    return count


def _first_rows(table: Table) -> list[list[Cell]]:
    cells = (cell for cell in table.cells if cell.row < LIMITS.most_header_rows)
    return [list(row) for _, row in groupby(cells, key=lambda cell: cell.row)]


def _lost_its_head(first: Draft, second: Draft, *, is_full: bool) -> bool:
    """Return whether two drawn tables show that the second has no header: the first's is styled, or a cell is empty.

    The row that a page break cuts in two leaves empty cells. Below a full page no style is needed if the row cannot
    be one of names; the next copy of a form repeats the first label.
    """
    upper, lower = first.block, second.block
    if first.block.table is None or second.block.table is None:
        return False
    head, row = (_first_rows(table)[0] for table in (first.block.table, second.block.table))
    if all(cell.text for cell in head) and any(cell.col and not cell.text for cell in row):
        return True
    if lower.is_headed or upper.is_headed:
        return not lower.is_headed
    if not (upper.edges and lower.edges) or any(not cell.text for cell in row):
        return bool(upper.edges and lower.edges)
    return is_full and head[0].text.strip() != row[0].text.strip() and not all(_is_name(cell.text) for cell in row)


def _is_name(text: str) -> bool:
    return len(text) <= LIMITS.name and not any(character.isdigit() for character in text)


def _header_rows(table: Table) -> int:
    """Count the rows at the top in which every cell is a header."""
    rows = _first_rows(table)
    return next((index for index, row in enumerate(rows) if not all(cell.header for cell in row)), len(rows))


def _is_data(table: Table, before: Table) -> bool:
    """Return whether the header resembles the rows before it: figures below figures, or too long for a label."""
    head = _first_rows(table)[0]
    figures = {cell.col for cell in before.cells if not cell.header and _is_figure(cell.text)}
    if any(cell.col in figures and _is_figure(cell.text) for cell in head):
        return True
    known = {(cell.col, cell.text) for cell in before.cells if cell.text and not cell.header}
    return any(len(cell.text) > LIMITS.label or (cell.col, cell.text) in known for cell in head)


def _is_figure(text: str) -> bool:
    """Return whether the text is a figure other than a year, which may head a column."""
    return read_figure(text) is not None and not _YEAR.fullmatch(text.strip())


def _join(pieces: list[_Piece]) -> PageBlock:
    """Join the pieces at the first one's place; the block is only as certain as the least certain piece."""
    cells: list[Cell] = []
    parts: list[TablePart] = []
    spans = []
    rows = 0
    for piece in pieces:
        block, table = piece.draft.block, piece.draft.block.table
        assert table is not None
        kept_indexes = [i for i, cell in enumerate(table.cells) if cell.row >= piece.dropped]
        moved = {old: len(cells) + new for new, old in enumerate(kept_indexes)}
        row_offset = rows - piece.dropped
        cells += [
            replace(cell, row=cell.row + row_offset, header=cell.header and not piece.unmark)
            for cell in (table.cells[i] for i in kept_indexes)
        ]
        spans += [
            span if span.cell is None else replace(span, cell=moved[span.cell])
            for span in block.flag_spans
            if (span.cell in moved) or (span.cell is None and piece is pieces[0])
        ]
        parts.append(TablePart(page=piece.draft.page.number, bbox=block.bbox, rows=table.rows - piece.dropped))
        rows += parts[-1].rows
    blocks = [piece.draft.block for piece in pieces]
    first = blocks[0]
    assert first.table is not None
    return replace(
        first,
        table=Table(rows=rows, cols=first.table.cols, cells=tuple(cells), parts=tuple(parts)),
        confidence=min(block.confidence for block in blocks),
        score=min(block.score for block in blocks),
        flags=tuple(dict.fromkeys(flag for block in blocks for flag in block.flags)),
        flag_spans=tuple(spans),
        recognised=any(block.recognised for block in blocks),
        tagged=all(block.tagged for block in blocks),
    )


def _state_repeated(piece: _Piece) -> ExcludedPlace:
    """Return the header that a page repeats and the tree leaves out there."""
    table = piece.draft.block.table
    assert table is not None
    cells = [cell for cell in table.cells if cell.row < piece.dropped]
    characters = sum(len("".join(cell.text.split())) for cell in cells)
    boxes = [cell.bbox for cell in cells if cell.bbox is not None]
    return ExcludedPlace(reason=REPEATED_HEADER, characters=characters, bbox=union_bbox(boxes) if boxes else None)

"""Tables that go on over pages made one: rows after rows, headers that repeat left out, every part's place kept.

Pure, on drafts whose links (`continues`) are set. The order of the remaining blocks stays.
"""

import re
from dataclasses import dataclass, replace
from itertools import groupby

from models.cdom.coverage import REPEATED_HEADER, ExcludedPlace
from models.cdom.geometry import union_bbox
from models.cdom.table import Cell, Table, TablePart
from models.cdom.tree import BlockType
from models.extract.contract import PageBlock
from models.extract.document.draft import Draft
from models.extract.document.figures import read_figure


@dataclass(frozen=True, slots=True)
class ContinuedLimits:
    """What tells a header that repeats, and a row of data that was taken for one."""

    most_header_rows: int = 8
    """Rows of a header; beyond it equal rows are equal data."""
    label: int = 80
    """Characters of a header's cell: a longer text is data."""


LIMITS = ContinuedLimits()
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


LeftOut = dict[int, list[ExcludedPlace]]
"""Page to what is not in the tree of it."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A draft that goes on from the one before; its first `dropped` rows repeat, `unmark` says its head is data."""

    draft: Draft
    dropped: int = 0
    unmark: bool = False


def join_tables(drafts: list[Draft]) -> tuple[list[Draft], LeftOut]:
    """The drafts with one table for each that goes on, at its first part's place; and the headers left out by page."""
    roots: dict[int, int] = {}
    pieces: dict[int, list[_Piece]] = {}
    for index, draft in enumerate(drafts):
        before = draft.continues
        if draft.type is not BlockType.TABLE or before is None or drafts[before].block.table is None:
            continue
        root = roots.get(before, before)
        piece = _find_piece(drafts[root], draft)
        if piece is not None:
            roots[index] = root
            pieces.setdefault(root, [_Piece(drafts[root])]).append(piece)
    for root, parts in pieces.items():
        drafts[root].block = _join(parts)
    repeated: dict[int, list[ExcludedPlace]] = {}
    for piece in (piece for parts in pieces.values() for piece in parts if piece.dropped):
        repeated.setdefault(piece.draft.page.number, []).append(_state_repeated(piece))
    return _without(drafts, roots), repeated


def _find_piece(first: Draft, second: Draft) -> _Piece | None:
    """How the second table goes on from the first; None where it has a header of its own."""
    one, two = first.block.table, second.block.table
    if one is None or two is None or second.block.bbox is None or two.rows < 1:
        return None
    dropped = _count_repeated(one, two)
    if dropped == two.rows:
        return None
    if dropped:
        return _Piece(second, dropped)
    own = _header_rows(two)
    if not own:
        return _Piece(second)
    return _Piece(second, unmark=True) if own == 1 and _is_data(two, one) else None


def _count_repeated(one: Table, two: Table) -> int:
    """Rows at the top of both tables that say the same, the first of which is a header in one of them."""
    here, there = _first_rows(one), _first_rows(two)
    if not here or not there or not (any(cell.header for cell in here[0]) or any(cell.header for cell in there[0])):
        return 0
    count = 0
    for mine, others in zip(here, there, strict=False):
        texts = [" ".join(cell.text.split()) for cell in mine if cell.text.strip()]
        if not texts or texts != [" ".join(cell.text.split()) for cell in others if cell.text.strip()]:
            break
        if count and not any(cell.header for cell in (*mine, *others)) and any(map(_is_figure, texts)):
            break
        count += 1
    return count


def _first_rows(table: Table) -> list[list[Cell]]:
    cells = (cell for cell in table.cells if cell.row < LIMITS.most_header_rows)
    return [list(row) for _, row in groupby(cells, key=lambda cell: cell.row)]


def _header_rows(table: Table) -> int:
    """Rows at the top of which every cell is a header."""
    rows = _first_rows(table)
    return next((at for at, row in enumerate(rows) if not all(cell.header for cell in row)), len(rows))


def _is_data(table: Table, before: Table) -> bool:
    """True when the head of a table is a row like those before it: figures under figures, or too long for a label."""
    head = _first_rows(table)[0]
    figures = {cell.col for cell in before.cells if not cell.header and _is_figure(cell.text)}
    if any(cell.col in figures and _is_figure(cell.text) for cell in head):
        return True
    known = {(cell.col, cell.text) for cell in before.cells if cell.text and not cell.header}
    return any(len(cell.text) > LIMITS.label or (cell.col, cell.text) in known for cell in head)


def _is_figure(text: str) -> bool:
    """True for figures but years, which head columns as well."""
    return read_figure(text) is not None and not _YEAR.fullmatch(text.strip())


def _join(pieces: list[_Piece]) -> PageBlock:
    """One block at the first part's place: what is sure of all of them, and doubted in any."""
    cells: list[Cell] = []
    parts: list[TablePart] = []
    spans = []
    rows = 0
    for piece in pieces:
        block, table = piece.draft.block, piece.draft.block.table
        assert table is not None
        kept = [at for at, cell in enumerate(table.cells) if cell.row >= piece.dropped]
        moved = {at: len(cells) + place for place, at in enumerate(kept)}
        by = rows - piece.dropped
        cells += [
            replace(cell, row=cell.row + by, header=cell.header and not piece.unmark)
            for cell in (table.cells[at] for at in kept)
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
    """The header that stands on a page again and is not in the tree there."""
    table = piece.draft.block.table
    assert table is not None
    cells = [cell for cell in table.cells if cell.row < piece.dropped]
    characters = sum(len("".join(cell.text.split())) for cell in cells)
    boxes = [cell.bbox for cell in cells if cell.bbox is not None]
    return ExcludedPlace(reason=REPEATED_HEADER, characters=characters, bbox=union_bbox(boxes) if boxes else None)


def _without(drafts: list[Draft], joined: dict[int, int]) -> list[Draft]:
    """The drafts that remain; what pointed to a joined part points to the first."""
    remaining = [index for index in range(len(drafts)) if index not in joined]
    places = {index: place for place, index in enumerate(remaining)}
    places |= {index: places[root] for index, root in joined.items()}
    for index in remaining:
        draft = drafts[index]
        draft.parent = None if draft.parent is None else places[draft.parent]
        draft.continues = None if draft.continues is None else places[draft.continues]
    return [drafts[index] for index in remaining]

"""How likely each block and cell is right: what is known of it, as learned trees weigh it.

`make train` fits the trees on documents with truth, so that of what is said to be right with .9 nine in ten are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from models.cdom.flags import GARBLED_TEXT
from models.cdom.table import Cell, Table
from models.extract.contract import PageBlock
from models.extract.document.confidence_features import find_block_rows, find_cell_rows
from models.extract.document.draft import Draft
from models.extract.layout.learned.forest import Forest, load_forest

WEIGHTS = {name: Path(__file__).with_name(f"confidence_{name}.npz") for name in ("blocks", "cells")}
_DIGITS = 2
"""Decimals of a confidence: no finer than what was learned."""
_MOST_CELLS = 20000
"""Cells of a table that are rated one by one; beyond it each has its table's confidence."""


@cache
def confidence_forests() -> dict[str, Forest]:
    """The trees that came with this version, for blocks and for cells."""
    return {name: load_forest(path) for name, path in WEIGHTS.items()}


@dataclass(slots=True)
class Rating:
    """How likely a block is right, and its table with the same said of each cell."""

    confidence: float
    table: Table | None


def rate_blocks(drafts: Sequence[Draft], blocks: Sequence[PageBlock]) -> list[Rating]:
    """What the drafts' blocks, once their tables are checked, deserve; their cells too."""
    if not blocks:
        return []
    chances = confidence_forests()["blocks"].probabilities(find_block_rows(drafts, blocks)).tolist()
    return [
        _rate(draft, block, round(chance, _DIGITS))
        for draft, block, chance in zip(drafts, blocks, chances, strict=True)
    ]


def _rate(draft: Draft, block: PageBlock, chance: float) -> Rating:
    """What nobody could read stays as low as it was said to be."""
    table = block.table
    if GARBLED_TEXT in block.flags:
        return Rating(block.confidence, table)
    if table is None or not table.cells:
        return Rating(chance, table)
    if len(table.cells) > _MOST_CELLS:
        rated = [chance] * len(table.cells)
    else:
        rows = find_cell_rows(draft.page, block, chance)
        rated = [round(one, _DIGITS) for one in confidence_forests()["cells"].probabilities(rows).tolist()]
    return Rating(chance, replace(table, cells=tuple(map(_rate_cell, table.cells, rated))))


def _rate_cell(cell: Cell, confidence: float) -> Cell:
    """The cell with that confidence; `replace` takes four times as long, and a page has hundreds."""
    return Cell(
        row=cell.row,
        col=cell.col,
        row_span=cell.row_span,
        col_span=cell.col_span,
        header=cell.header,
        text=cell.text,
        bbox=cell.bbox,
        confidence=confidence,
    )

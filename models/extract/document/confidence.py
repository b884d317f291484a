"""How likely each block and cell is right: what is known of it, as learned trees weigh it.

`make train` fits the trees on documents with truth, so that of what is said to be right with .9 nine in ten are.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from models.cdom.flags import GARBLED_TEXT
from models.extract.document.confidence_features import find_block_rows, find_cell_rows
from models.extract.document.draft import Draft
from models.extract.layout.learned.forest import Forest, load_forest
from models.extract.readers.contract import PageBlock

WEIGHTS = {name: Path(__file__).with_name(f"confidence_{name}.npz") for name in ("blocks", "cells")}
_DIGITS = 2
"""Decimals of a confidence: no finer than what was learned."""
_MOST_CELLS = 20000
"""Cells of a table that are rated one by one; beyond it each has its table's confidence."""


@cache
def confidence_forests() -> dict[str, Forest]:
    """The trees that came with this version, for blocks and for cells."""
    return {name: load_forest(path) for name, path in WEIGHTS.items()}


def rate_blocks(drafts: Sequence[Draft], blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """The drafts' blocks, once their tables are checked, with the confidence they deserve; their cells too."""
    if not blocks:
        return []
    chances = confidence_forests()["blocks"].probabilities(find_block_rows(drafts, blocks))
    return [
        _rate(draft, block, round(float(chance), _DIGITS))
        for draft, block, chance in zip(drafts, blocks, chances, strict=True)
    ]


def _rate(draft: Draft, block: PageBlock, chance: float) -> PageBlock:
    """What nobody could read stays as low as it was said to be."""
    if GARBLED_TEXT in block.flags:
        return block
    table = block.table
    if table is None or not table.cells:
        return replace(block, confidence=chance)
    if len(table.cells) > _MOST_CELLS:
        cells = tuple(replace(cell, confidence=chance) for cell in table.cells)
    else:
        rated = confidence_forests()["cells"].probabilities(find_cell_rows(draft.page, block, chance))
        cells = tuple(
            replace(cell, confidence=round(float(one), _DIGITS)) for cell, one in zip(table.cells, rated, strict=True)
        )
    return replace(block, confidence=chance, table=replace(table, cells=cells))

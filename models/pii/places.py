"""Where flags stand, independent of block ids: a decision holds for the same text in the same place.

In comes a tree, out go its flagged places; decisions by place become decisions by block. Knows no store.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping

from models.cdom.flags import FlaggedPlace, is_pii_flag
from models.cdom.tree import Block, Tree

PlaceDecisions = Mapping[tuple[str, str], str]
"""(place, flag) → approved | rejected."""


def find_places(tree: Tree) -> tuple[FlaggedPlace, ...]:
    """Every PII flag of every block, in reading order."""
    return tuple(_places(tree))


def decide_blocks(tree: Tree, decisions: PlaceDecisions) -> dict[tuple[str, str], str]:
    """(block id, flag) → decision, for the flags of this tree that have one."""
    if not decisions:
        return {}
    found = ((place, decisions.get((place.place, place.flag))) for place in _places(tree))
    return {(place.block_id, place.flag): decision for place, decision in found if decision is not None}


def _places(tree: Tree) -> Iterator[FlaggedPlace]:
    """Equal blocks of one page are told apart by counting them."""
    seen: Counter[str] = Counter()
    for block in tree.blocks:
        flags = [flag for flag in block.flags if is_pii_flag(flag)]
        if not flags:
            continue
        content = _content(block)
        seen[content] += 1
        for flag in flags:
            spans = [[s.start, s.end, s.cell] for s in block.flag_spans if s.flag == flag]
            name = json.dumps([content, seen[content], flag, spans])
            place = hashlib.sha256(name.encode()).hexdigest()
            yield FlaggedPlace(block_id=block.id, flag=flag, place=place, page=block.page, order=block.order)


def _content(block: Block) -> str:
    cells = [[cell.row, cell.col, cell.text] for cell in block.table.cells] if block.table is not None else []
    return json.dumps([block.page, block.text, cells])

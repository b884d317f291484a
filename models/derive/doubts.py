"""Finds blocks to review: text that is likely wrong, and documents that lost text.

In: a tree. Out: blocks or one number. Hidden text and pictures without text are not judged.
"""

from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.cdom.visible import is_hidden


def lowest_confidence(tree: Tree) -> float | None:
    """Return the lowest confidence of visible blocks with content: 0 if text was lost, None without such blocks."""
    if count_lost(tree):
        return 0.0
    return min((block.confidence for block in tree.blocks if _is_judged(block)), default=None)


def count_lost(tree: Tree) -> int:
    """Return the number of characters that the pages show and no block has."""
    return tree.coverage.characters.lost if tree.coverage is not None else 0


def find_doubts(tree: Tree, below: float) -> list[Block]:
    """Return the blocks with a confidence under `below`, in reading order."""
    return [block for block in tree.blocks if _is_judged(block) and block.confidence < below]


def _is_judged(block: Block) -> bool:
    return not is_hidden(block) and bool(block.text or block.table or block.type is not BlockType.PICTURE)

"""Which blocks a reader of the original sees: the one rule that every export and every derivation passes through.

Tree in; blocks in reading order, and the count of what is left out, by reason. The tree itself keeps everything.
"""

from collections import Counter
from collections.abc import Mapping

from models.cdom.flags import HIDDEN_TEXT
from models.cdom.tree import FURNITURE, Block, Tree


def is_hidden(block: Block) -> bool:
    """True for text that stands in the file and is not seen on its page."""
    return HIDDEN_TEXT in block.flags


def visible_blocks(tree: Tree, *, furniture: bool = False) -> list[Block]:
    """What is seen, in reading order; what repeats on every page only with `furniture`.

    A document that holds nothing but running heads has no text beside them: then they are its text.
    """
    seen = [block for block in tree.blocks if not is_hidden(block)]
    return seen if furniture else [block for block in seen if block.type not in FURNITURE] or seen


def count_left_out(tree: Tree, *, furniture: bool = False) -> Mapping[str, int]:
    """Blocks that `visible_blocks` leaves out, by reason: `hidden-text`, `page_header`, `page_footer`."""
    shown = {block.id for block in visible_blocks(tree, furniture=furniture)}
    missing = (block for block in tree.blocks if block.id not in shown)
    return dict(sorted(Counter(HIDDEN_TEXT if is_hidden(block) else block.type.value for block in missing).items()))

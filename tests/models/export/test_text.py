"""Plain text: visible blocks in reading order, a line per table row."""

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from quire.models.export.text import tree_to_text
from tests.builders import make_block, make_tree, table_block


def test_tree_to_text_separates_blocks_and_rows() -> None:
    tree = make_tree(
        make_block(BlockType.PAGE_HEADER, "Running head"),
        make_block(BlockType.HEADING, "Prices", level=1),
        make_block(BlockType.PARAGRAPH, "unseen", flags=(HIDDEN_TEXT,)),
        table_block([["Part", "Price"], ["Rope\nand hook", "12"]]),
        make_block(BlockType.PARAGRAPH, "Valid until May."),
    )
    assert tree_to_text(tree) == "Prices\n\nPart\tPrice\nRope and hook\t12\n\nValid until May.\n"
    assert tree_to_text(tree, furniture=True).startswith("Running head\n\nPrices")


def test_tree_to_text_is_empty_for_a_tree_without_text() -> None:
    assert tree_to_text(make_tree()) == ""

"""Texts and pages made to be slow: everything computed from them stays far from quadratic, and nothing recurses."""

import sys
import time
from collections.abc import Callable

import pytest

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.chunks.chunks import chunk_tree
from quire.models.derive.document_fields import find_fields
from quire.models.derive.semantics import describe_tree
from quire.models.export.context import tree_to_context
from quire.models.export.graph import tree_to_graph
from quire.models.export.html import tree_to_html
from quire.models.neural.embed.tokenizer import load_tokenizer
from tests.builders import make_block, make_tree

SIZE = 40_000
PIECES = (
    "1", "1 ", "a", "A ", "Abc ", ":", "a: ", "Total: ", ".", "- ", "a@", "a.", "(", "1,", "DE89 ",
    "DE1 2 ", " ", "x\t", "x\n",
    "1 mar ", "Abc & ", "total ", "www.", "+1 ", "(1) ", "Mr. Abc ", "12-",
)  # fmt: skip
P = BlockType.PARAGRAPH
WORKS: tuple[Callable[[Tree], object], ...] = (
    find_fields,
    describe_tree,
    tree_to_html,
    tree_to_graph,
    lambda tree: chunk_tree(tree, load_tokenizer()),
    lambda tree: tree_to_context(tree, max_tokens=4000, tokenizer=load_tokenizer()),
)
LIMIT_S = 5.0 if "coverage" not in sys.modules else 60.0
"""CPU seconds. Measured: under .3 each; a quadratic one took 7 to 15. A tracer of lines makes them ten times slower."""


def assert_bounded(tree: Tree) -> None:
    for work in WORKS:
        start = time.process_time()
        work(tree)
        assert time.process_time() - start < LIMIT_S


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_of_one_piece_is_read_in_bounded_time(piece: str) -> None:
    assert_bounded(make_tree(make_block(P, piece * (SIZE // len(piece)), bbox=(0, 0, 100, 100))))


def test_thousands_of_labels_on_one_line_are_read_in_bounded_time() -> None:
    blocks = (make_block(P, "Total" if n % 2 else f"{n}.50", bbox=(n, 10, n + 9, 20)) for n in range(6000))
    assert_bounded(make_tree(*blocks))


def test_boxes_without_end_are_read_in_bounded_time() -> None:
    blocks = (make_block(P, "Total" if n % 2 else f"{n}.50", bbox=(10, -1e9, 20, 1e9)) for n in range(2000))
    assert_bounded(make_tree(*blocks))


def test_a_list_of_thousands_of_levels_is_written() -> None:
    items = (make_block(BlockType.LIST_ITEM, "x", level=level) for level in range(1, 5000))
    assert tree_to_html(make_tree(*items)).count("<li") == 4999


def test_the_same_address_in_thousands_of_blocks_is_one_object() -> None:
    tree = make_tree(*(make_block(P, "a@b.example") for _ in range(20_000)))
    assert_bounded(tree)
    assert len(describe_tree(tree).objects) == 1

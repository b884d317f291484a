"""Compare: equal, moved, changed, added, removed; each block of either tree is listed exactly once."""

from hypothesis import given, settings

from quire.models.cdom.tree import BlockType, Tree
from quire.models.derive.diff import Change, compare_trees
from tests.builders import make_block, make_tree, table_block
from tests.models.derive.strategies import trees
from tests.models.derive.trees import long_tree

LONG = "The station reports the level of the river every hour of the day"


def paragraphs(*texts: str) -> Tree:
    return make_tree(*(make_block(BlockType.PARAGRAPH, text) for text in texts))


def changes(a: Tree, b: Tree) -> list[tuple[str, str | None, str | None]]:
    return [(entry.change.value, entry.a, entry.b) for entry in compare_trees(a, b).blocks]


@settings(max_examples=50)
@given(trees(max_size=8), trees(max_size=8))
def test_every_block_of_both_trees_is_listed_exactly_once(a: Tree, b: Tree) -> None:
    diff = compare_trees(a, b)
    assert sorted(entry.a for entry in diff.blocks if entry.a) == sorted(block.id for block in a.blocks)
    assert sorted(entry.b for entry in diff.blocks if entry.b) == sorted(block.id for block in b.blocks)
    summary = diff.summary
    assert summary.added + summary.modified + summary.unchanged == len(b.blocks)
    assert summary.removed + summary.modified + summary.unchanged == len(a.blocks)


@settings(max_examples=50)
@given(trees())
def test_a_tree_compared_with_itself_is_unchanged(tree: Tree) -> None:
    assert {entry.change for entry in compare_trees(tree, tree).blocks} <= {Change.UNCHANGED}


def test_a_moved_block_is_neither_removed_nor_added() -> None:
    assert changes(paragraphs("a", "b", "c", "d"), paragraphs("b", "c", "d", "a")) == [
        ("unchanged", "b1", "b0"), ("unchanged", "b2", "b1"), ("unchanged", "b3", "b2"), ("moved", "b0", "b3"),
    ]  # fmt: skip
    summary = compare_trees(paragraphs("a", "b"), paragraphs("b", "a")).summary
    assert (summary.added, summary.removed, summary.unchanged) == (0, 0, 2)


def test_a_changed_block_is_modified_and_says_which_words() -> None:
    diff = compare_trees(paragraphs("x", LONG), paragraphs("x", LONG.replace("every hour", "each minute")))
    entry = diff.blocks[1]
    assert (entry.change, entry.a, entry.b) == (Change.MODIFIED, "b1", "b1")
    assert 0.7 < entry.similarity < 1
    assert [(c.op, c.a, c.b) for c in entry.text_diff or ()] == [("replace", "every hour", "each minute")]


def test_dissimilar_blocks_are_removed_and_added_at_their_places() -> None:
    assert changes(paragraphs("a", "old words", "z"), paragraphs("a", "z", "brand new")) == [
        ("unchanged", "b0", "b0"), ("removed", "b1", None), ("unchanged", "b2", "b1"), ("added", None, "b2"),
    ]  # fmt: skip


def test_a_changed_cell_modifies_the_table() -> None:
    a, b = (make_tree(table_block([["Name", "Amount"], ["bread", value]])) for value in ("1.00", "2.00"))
    (entry,) = compare_trees(a, b).blocks
    assert [(c.a, c.b) for c in entry.text_diff or ()] == [("1.00", "2.00")]


def test_partner_of_changed_block_is_found_far_into_rewritten_part() -> None:
    old = [f"{LONG} number {n} of the old text" for n in range(300)]
    new = [text.replace("old", "new") for text in old]
    summary = compare_trees(paragraphs(*old), paragraphs(*new)).summary
    assert (summary.modified, summary.added, summary.removed) == (300, 0, 0)


def test_two_unlike_reports_of_many_pages_are_compared_whole() -> None:
    a, b = long_tree(20), long_tree(20, seed=9)
    summary = compare_trees(a, b).summary
    assert summary.removed + summary.modified + summary.unchanged == len(a.blocks)

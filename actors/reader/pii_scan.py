"""Looks for personal data in a document that was read, before any of it is stored: the tree's bytes are made anew.

In comes an outcome, out goes the same with flags on its tree. A detector that fails leaves a tree whose scan is not
complete; the document still succeeds and nothing of it is shown redacted. Runs in the parent, never in a child.
"""

from collections.abc import Callable
from dataclasses import replace

from models.cdom.ports import ReadOutcome
from models.cdom.tree import Tree, dump_tree
from models.pii.redact import redact_tree

FlagTree = Callable[[Tree], Tree]


def unscanned(tree: Tree) -> Tree:
    """Where nobody looks for personal data: the tree says so by having no scan."""
    return tree


def scan(outcome: ReadOutcome, flag_tree: FlagTree) -> ReadOutcome:
    """The outcome with its tree flagged; one without a tree, or whose tree did not change, as it is."""
    if outcome.tree is None:
        return outcome
    tree = flag_tree(outcome.tree)
    return outcome if tree is outcome.tree else replace(outcome, tree=tree, tree_json=dump_tree(tree))


def redact(outcome: ReadOutcome, flag_tree: FlagTree) -> ReadOutcome:
    """The outcome as it may leave the house where nobody reviews: flagged, every flag masked, no pictures. Whatever is
    derived from its tree is redacted too. Raises `PiiIncomplete`."""
    scanned = scan(outcome, flag_tree)
    if scanned.tree is None:
        return scanned
    tree = redact_tree(scanned.tree, {})
    return replace(scanned, tree=tree, tree_json=dump_tree(tree), assets={})

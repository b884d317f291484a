"""Searches a document that was read for personal data, before any of it is stored, and serialises the tree again.

An outcome becomes the same outcome with flags on its tree. A detector that fails leaves a tree whose scan is not
complete; the document still succeeds and nothing of it is shown redacted. Runs in the parent, never in a child.
"""

from collections.abc import Callable
from dataclasses import replace

from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import Tree, dump_tree
from quire.models.pii.redact import redact_tree

FlagTree = Callable[[Tree], Tree]


def unscanned(tree: Tree) -> Tree:
    """Return the tree unchanged, if detection is off: a tree without a scan."""
    return tree


def scan(outcome: ReadOutcome, flag_tree: FlagTree) -> ReadOutcome:
    """Return the outcome with its tree flagged; unchanged without a tree or without a change of it."""
    if outcome.tree is None:
        return outcome
    tree = flag_tree(outcome.tree)
    return outcome if tree is outcome.tree else replace(outcome, tree=tree, tree_json=dump_tree(tree))


def redact(outcome: ReadOutcome, flag_tree: FlagTree) -> ReadOutcome:
    """Return the outcome for use without review: flagged, every flag masked, no pictures.

    Outputs derived from its tree are redacted too. Raises `PiiIncomplete`.
    """
    scanned = scan(outcome, flag_tree)
    if scanned.tree is None:
        return scanned
    tree = redact_tree(scanned.tree, {})
    return replace(scanned, tree=tree, tree_json=dump_tree(tree), assets={})

"""A document's tree prepared for redacted output, with reviewers' decisions applied. Blocks: call in a thread."""

from models.cdom.tree import Tree
from models.pii.places import decide_blocks
from models.pii.redact import redact_tree
from storage.review.reviews import read_decisions
from storage.store import Store
from storage.values.rows import DocumentId


def read_block_decisions(store: Store, document_id: DocumentId, tree: Tree) -> dict[tuple[str, str, int], str]:
    """Return the decisions for the values of `tree` by (block id, flag, index of the span)."""
    return decide_blocks(tree, read_decisions(store.db, document_id))


def redact_for(store: Store, document_id: DocumentId, tree: Tree) -> Tree:
    """Return `tree` with every flagged value masked, except those a reviewer rejected.

    Raises:
        PiiIncomplete: The tree has no finished scan.
    """
    return redact_tree(tree, read_block_decisions(store, document_id, tree))

"""Stored trees for one caller: locate the published one and return its bytes. Blocks: call in a thread."""

import hashlib
import json

from quire.models.cdom.tree import DamagedTree, serve_tree
from quire.storage.jobs.documents import PublishedTree, locate_tree
from quire.storage.objects.artifacts import TREE
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId, JobId, Scope

_PAGES, _BLOCKS = b',"pages":[', b'],"blocks":['  # keys of the tree itself: inside a text, quotes are escaped
HIDDEN_NAME = "[REDACTED]"


def read_published_tree(store: Store, document_id: DocumentId, tree: PublishedTree) -> bytes:
    """Return the stored JSON with id and file name added, without parsing it. Raises DamagedTree."""
    stored = store.artifacts.read(document_id, tree.attempt, TREE)
    if hashlib.sha256(stored).hexdigest() != tree.manifest[TREE]["sha256"]:
        raise DamagedTree
    return serve_tree(stored, document_id=document_id, name=tree.source_file)


def read_page_sizes(store: Store, document_id: DocumentId, tree: PublishedTree) -> dict[int, tuple[float, float]]:
    """Page number → (width, height) in points. Only that part of the stored JSON is parsed."""
    stored = store.artifacts.read(document_id, tree.attempt, TREE)
    start = stored.index(_PAGES) + len(_PAGES) - 1
    pages = json.loads(stored[start : stored.index(_BLOCKS, start) + 1])
    return {page["number"]: (page["width"], page["height"]) for page in pages}


def read_tree_of(store: Store, scope: Scope, job_id: JobId, document_id: DocumentId) -> bytes:
    """Locate and read a tree. Raises `NotFound` for an unknown, foreign, deleted or unfinished document."""
    return read_published_tree(store, document_id, locate_tree(store.db, scope, job_id, document_id))

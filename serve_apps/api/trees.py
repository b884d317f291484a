"""Stored trees for one caller: where the published one is, and its bytes as served. Blocks: call in a thread."""

from models.cdom.tree import serve_tree
from storage.documents import PublishedTree, locate_tree
from storage.rows import DocumentId, JobId, Scope
from storage.store import Store

ARTIFACT = "tree.json"


def tree_etag(document_id: DocumentId, tree: PublishedTree) -> str:
    """Artifacts of an attempt never change, so the attempt names their content."""
    return f'"{document_id}.{tree.attempt}"'


def read_published_tree(store: Store, document_id: DocumentId, tree: PublishedTree) -> bytes:
    """The stored JSON with id and file name added; it is not parsed."""
    stored = store.artifacts.read(document_id, tree.attempt, ARTIFACT)
    return serve_tree(stored, document_id=document_id, name=tree.source_file)


def read_tree_of(store: Store, scope: Scope, job_id: JobId, document_id: DocumentId) -> bytes:
    """Locate and read in one go. Raises `NotFound` for an unknown, foreign, deleted or unfinished document."""
    return read_published_tree(store, document_id, locate_tree(store.db, scope, job_id, document_id))

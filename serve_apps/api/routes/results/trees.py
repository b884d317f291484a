"""GET …/tree: the stored tree, byte for byte, with the document's id and file name added; …/coverage: its coverage."""

from functools import partial
from typing import Any

from fastapi import Request
from starlette.responses import Response

from quire.models.cdom.coverage import coverage_adapter, unknown_coverage
from quire.models.cdom.tree import Tree, dump_tree, load_tree, serve_tree
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ
from quire.serve_apps.api.context.deps import CallDep, DocumentIdDep, JobIdDep
from quire.serve_apps.api.documents.published import Redacted, find_published
from quire.serve_apps.api.documents.trees import read_published_tree
from quire.serve_apps.api.http.etags import answer_cached
from quire.serve_apps.api.shapes.rendering import JSON
from quire.storage.jobs.documents import PublishedTree, locate_tree
from quire.storage.objects.artifacts import TREE
from quire.storage.store import Store
from quire.storage.values.rows import DocumentId

router = Operations("documents")
_TREE: dict[int | str, dict[str, Any]] = {
    200: {"content": {JSON: {"schema": {"type": "object"}}}},
    304: {"description": "Unchanged (If-None-Match)."},
}


@router.operation(f"GET {DOCUMENT}/tree", "get_tree", READ, responses=_TREE)
async def read_tree(
    request: Request,
    job_id: JobIdDep,
    document_id: DocumentIdDep,
    call: CallDep,
    redacted: Redacted,
) -> Response:
    """Return the canonical tree (CDOM). redacted=true is 409 while the tree has no finished PII scan."""
    if redacted:  # masked values change with decisions and maskers, so the result is not cached
        shown = await find_published(call, job_id, document_id, redacted)
        return Response(await shown.derive(partial(_served, document_id, shown.name)), media_type=JSON)
    where = await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)

    async def answer() -> Response:
        stored = await call.running.disk.run(read_published_tree, call.store, document_id, where)
        return Response(stored, media_type=JSON)

    return await answer_cached(request, f"{document_id}.{where.attempt}", answer)


@router.operation(f"GET {DOCUMENT}/coverage", "get_coverage", READ, responses=_TREE)
async def read_coverage(request: Request, job_id: JobIdDep, document_id: DocumentIdDep, call: CallDep) -> Response:
    """Account for every character: placed, excluded by name, or lost; counts and boxes, no text.

    A tree that came without this account (an ingested one) has every page in `unknown`.
    """
    where = await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)

    async def answer() -> Response:
        stated = await call.running.disk.run(_read_statement, call.store, document_id, where)
        return Response(stated, media_type=JSON)

    return await answer_cached(request, f"{document_id}.{where.attempt}.coverage", answer)


def _served(document_id: DocumentId, name: str, tree: Tree) -> bytes:
    return serve_tree(dump_tree(tree), document_id=document_id, name=name)


def _read_statement(store: Store, document_id: DocumentId, where: PublishedTree) -> bytes:
    tree = load_tree(store.artifacts.read(document_id, where.attempt, TREE))
    return coverage_adapter().dump_json(tree.coverage or unknown_coverage(page.number for page in tree.pages))

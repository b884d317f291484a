"""GET …/tree: the stored tree, byte for byte, with the document's id and file name added."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from serve_apps.api.deps import CallDep, DocumentIdDep, JobIdDep
from serve_apps.api.etags import answer_cached
from serve_apps.api.rendering import JSON
from serve_apps.api.trees import read_published_tree, read_redacted_tree
from storage.documents import locate_tree

router = APIRouter(tags=["documents"])
_TREE: dict[int | str, dict[str, Any]] = {
    200: {"content": {JSON: {"schema": {"type": "object"}}}},
    304: {"description": "Unchanged (If-None-Match)."},
}


@router.get("/v1/jobs/{job_id}/documents/{document_id}/tree", responses=_TREE)
async def read_tree(
    request: Request,
    job_id: JobIdDep,
    document_id: DocumentIdDep,
    call: CallDep,
    redacted: bool = False,
) -> Response:
    """The canonical tree (CDOM). redacted=true is 409 while the tree has no finished PII scan."""
    tree = await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)
    read = read_redacted_tree if redacted else read_published_tree

    async def answer() -> Response:
        return Response(await call.running.disk.run(read, call.store, document_id, tree), media_type=JSON)

    if redacted:  # what is masked changes with decisions and maskers, so it is made anew each time
        return await answer()
    return await answer_cached(request, f"{document_id}.{tree.attempt}", answer)

"""GET /v1/documents/{id}/changes: what changed since another document, or since the version that it replaces."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response

from models.cdom.tree import Tree
from models.derive.changes import DocumentChanges, compare_versions, with_texts
from models.pii.redact import require_scan
from serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, check_document_id
from serve_apps.api.documents.published import Redacted
from serve_apps.api.documents.redacting import redact_for
from serve_apps.api.shapes.rendering import JSON
from storage.jobs.document_list import ChosenDocument, find_chosen
from storage.objects.artifacts import CHANGES
from storage.values.errors import NotFound
from storage.values.rows import DocumentId

router = APIRouter(tags=["documents"])
_STORED: TypeAdapter[DocumentChanges] = TypeAdapter(DocumentChanges)
SinceDocument = Annotated[
    str | None,
    Query(description="Id of the document to compare with. The default is the version that the document replaces."),
]


@router.get("/v1/documents/{document_id}/changes", responses={200: {"model": DocumentChanges}})
async def read_changes(
    document_id: DocumentIdDep, call: CallDep, since: SinceDocument = None, redacted: Redacted = False
) -> Response:
    """Return added, removed, modified and moved blocks, cells and fields. 404 if no earlier version is known."""
    other = check_document_id(since) if since is not None else None
    return Response(await call.running.heavy.run(_changes, call, document_id, other, redacted), media_type=JSON)


def _changes(call: Call, document_id: DocumentId, since: DocumentId | None, redacted: bool) -> bytes:
    """Return the changes as JSON.

    Raises:
        NotFound: A document is unknown, foreign, deleted or unfinished, or no earlier version is known.
        PiiIncomplete: Redacted texts were requested and the scan of a document is not finished.
    """
    document = _find(call, document_id)
    stored = _read_stored(call, document)
    if since is None:
        if stored is None:
            raise NotFound("no earlier version of this document is known; name one with since")
        since = DocumentId(stored.since)
    after = _load(call, document, redacted)
    if stored is not None and stored.since == since == document_id:  # `quire reread` replaced the earlier tree
        return call.running.work.run(partial(_fill, stored), after)
    try:
        before = _load(call, _find(call, since), redacted)
    except NotFound:
        if stored is None or stored.since != since:
            raise
        return call.running.work.run(partial(_fill, stored), after)
    return call.running.work.run(partial(_compare, since, before), after)


def _find(call: Call, document_id: DocumentId) -> ChosenDocument:
    chosen = find_chosen(call.store.db, call.scope, document_ids=[document_id])[0]
    if chosen.tree is None:
        raise NotFound("no such document")
    return chosen


def _load(call: Call, chosen: ChosenDocument, redacted: bool) -> Tree:
    assert chosen.tree is not None
    tree = call.running.trees.get(call.store, chosen.document.id, chosen.tree.attempt)
    if not redacted:
        return tree
    require_scan(tree)
    return redact_for(call.store, chosen.document.id, tree)


def _read_stored(call: Call, chosen: ChosenDocument) -> DocumentChanges | None:
    """Return the changes that were recorded when the document was published."""
    assert chosen.tree is not None
    if CHANGES not in chosen.tree.manifest:
        return None
    return _STORED.validate_json(call.store.artifacts.read(chosen.document.id, chosen.tree.attempt, CHANGES))


def _compare(since: str, before: Tree, after: Tree) -> bytes:
    return to_json(compare_versions(since, before, after))


def _fill(stored: DocumentChanges, after: Tree) -> bytes:
    return to_json(with_texts(stored, after))

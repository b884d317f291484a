"""GET /v1/documents/{id}/changes: what changed since another document, or since the version that it replaces."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from fastapi import Query
from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response

from quire.models.cdom.tree import Tree
from quire.models.derive.changes import DocumentChanges, compare_versions, with_texts
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, check_document_id
from quire.serve_apps.api.documents.published import Redacted
from quire.serve_apps.api.documents.redacting import redact_for, scan_chosen
from quire.serve_apps.api.shapes.rendering import JSON
from quire.storage.jobs.document_list import ChosenDocument, find_chosen
from quire.storage.objects.artifacts import CHANGES
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId

router = Operations("documents")
_STORED: TypeAdapter[DocumentChanges] = TypeAdapter(DocumentChanges)
SinceDocument = Annotated[
    str | None,
    Query(description="Id of the document to compare with. The default is the version that the document replaces."),
]


@router.operation(
    "GET /v1/documents/{document_id}/changes",
    "get_changes",
    READ,
    DocumentChanges,
    refusals={
        404: "A document is unknown, unfinished, deleted, or another tenant's, or no earlier version is known.",
        409: "redacted=true, and the scan of a document did not finish.",
    },
    principals=False,
)
async def read_changes(
    document_id: DocumentIdDep, call: CallDep, redacted: Redacted, since: SinceDocument = None
) -> Response:
    """Return added, removed, modified and moved blocks, cells and fields. 404 if no earlier version is known."""
    other = check_document_id(since) if since is not None else None
    versions = await call.running.disk.run(_find_versions, call, document_id, other)
    if redacted:
        versions = await _scan(call, versions)
    return Response(await call.running.heavy.run(_changes, call, versions, redacted), media_type=JSON)


@dataclass(frozen=True, slots=True)
class _Versions:
    """The two versions to compare. `before` is None if it was deleted and `stored` has what changed since."""

    after: ChosenDocument
    before: ChosenDocument | None
    since: DocumentId
    stored: DocumentChanges | None


def _find_versions(call: Call, document_id: DocumentId, since: DocumentId | None) -> _Versions:
    """Find the versions.

    Raises:
        NotFound: A document is unknown, foreign, deleted or unfinished, or no earlier version is known.
    """
    after = _find(call, document_id)
    stored = _read_stored(call, after)
    if since is None:
        if stored is None:
            raise NotFound("no earlier version of this document is known; name one with since")
        since = DocumentId(stored.since)
    if stored is not None and stored.since == since == document_id:  # `quire reread` replaced the earlier tree
        return _Versions(after, None, since, stored)
    try:
        return _Versions(after, _find(call, since), since, stored)
    except NotFound:
        if stored is None or stored.since != since:
            raise
        return _Versions(after, None, since, stored)


async def _scan(call: Call, versions: _Versions) -> _Versions:
    """Return the versions after the scans that redacted texts need. Raises `ScanRunning`."""
    [after] = await scan_chosen(call, [versions.after])
    before = await scan_chosen(call, [versions.before] if versions.before is not None else [])
    return replace(versions, after=after, before=next(iter(before), None))


def _changes(call: Call, versions: _Versions, redacted: bool) -> bytes:
    """Return the changes as JSON.

    Raises:
        NotFound: A document was deleted meanwhile.
        PiiIncomplete: Redacted texts were requested and the scan of a document is not finished.
    """
    after = _load(call, versions.after, redacted)
    if versions.before is None:
        assert versions.stored is not None
        return call.running.work.run(partial(_fill, versions.stored), after)
    before = _load(call, versions.before, redacted)
    return call.running.work.run(partial(_compare, versions.since, before), after)


def _find(call: Call, document_id: DocumentId) -> ChosenDocument:
    chosen = find_chosen(call.store.db, call.scope, document_ids=[document_id])[0]
    if chosen.tree is None:
        raise NotFound("no such document")
    return chosen


def _load(call: Call, chosen: ChosenDocument, redacted: bool) -> Tree:
    if chosen.tree is None:
        raise NotFound("no such document")
    tree = call.running.trees.get(call.store, chosen.document.id, chosen.tree.attempt)
    return redact_for(call.store, chosen.document.id, tree) if redacted else tree


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

"""POST /v1/ingest: a document extracted elsewhere becomes a finished job, metered and stored like any other."""

import hashlib
from functools import partial

from fastapi import Request
from starlette.responses import Response

from quire.models.derive.chunks.chunking import chunker_name
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import WRITE
from quire.serve_apps.api.context.deps import Call, CallDep
from quire.serve_apps.api.documents.ingesting import (
    IngestRules,
    PreparedIngest,
    parse_light,
    prepare,
    prepare_body,
    weigh,
)
from quire.serve_apps.api.http.uploads import read_body
from quire.serve_apps.api.intake.idempotency import IdempotencyKeyHeader, identify_submission, replayed
from quire.serve_apps.api.intake.submitting import quota_of
from quire.serve_apps.api.shapes.bodies import IngestBody, JobBody
from quire.serve_apps.api.shapes.principals import GivenPrincipals
from quire.serve_apps.api.shapes.rendering import json_response, render_job
from quire.storage.jobs.ingest import INGESTED_ATTEMPT, IngestedDocument, ingest_document
from quire.storage.objects.artifacts import TREE
from quire.storage.values.ids import new_document_id
from quire.storage.values.rows import DocumentId, JobRow, StoredBlob

router = Operations("jobs")
_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": IngestBody.model_json_schema()}}}}


@router.operation("POST /v1/ingest", "ingest", WRITE, JobBody, status=201, openapi_extra=_BODY, principals=True)
async def ingest(
    request: Request, call: CallDep, principals: GivenPrincipals = None, idempotency_key: IdempotencyKeyHeader = None
) -> Response:
    """Store a tree extracted elsewhere, optionally with semantics, assets (name → base64) and source_bytes (base64).

    The service detects personal data itself and ignores flags in the request.
    """
    call.running.resources.license.require_intake()
    body = await read_body(request, call.running.resources.limits.upload_idle_s)
    prepared = await _prepare(call, body)
    allowed = None if principals is None else tuple(principals)
    job = await call.running.ingests.run(_ingest, call, body, prepared, idempotency_key, allowed)
    return json_response(render_job(job), 201, {"Location": f"/v1/jobs/{job.id}"} | replayed(job))


async def _prepare(call: Call, body: bytes) -> PreparedIngest:
    """Check, scan and chunk the body; a very large one in a separate process.

    Raises:
        InvalidIngest: The body is not an acceptable tree.
        OverLimit: The work exceeded its limits.
    """
    running, rules = call.running, _rules(call)
    sent = await running.disk.run(parse_light, body)
    if sent is None or running.work.is_large(weigh(body, sent)):
        return await running.heavy.run(running.work.run_apart, partial(prepare_body, rules), body)
    return await running.disk.run(prepare, rules, sent)


def _rules(call: Call) -> IngestRules:
    resources = call.running.resources
    return IngestRules(
        options=resources.options,
        tokenizer=resources.tokenizer,
        chunking=resources.chunking,
        max_original_bytes=resources.limits.max_upload_bytes,
        flag=resources.flag_tree,
    )


def _ingest(
    call: Call, body: bytes, prepared: PreparedIngest, key: str | None, principals: tuple[str, ...] | None
) -> JobRow:
    """Store files, then the one transaction. Nothing is written before all is checked."""
    files = prepared.require()
    original = _store_original(call, prepared.original)
    document_id = new_document_id()
    document = IngestedDocument(
        id=document_id,
        source_file=prepared.name,
        format=prepared.format,
        pages=prepared.pages,
        metered=prepared.charged,
        bytes=original.bytes if original else len(files[TREE]),
        manifest=call.store.artifacts.put(document_id, INGESTED_ATTEMPT, files),
        original=original,
        chunks=_index(call, document_id, prepared),
        chunker=chunker_name(call.running.resources.chunking),
        flags=prepared.flags,
        lowest_confidence=prepared.lowest_confidence,
        principals=principals,
    )
    facts = [hashlib.sha256(body).hexdigest(), *(f"principals={name}" for name in sorted(principals or ()))]
    identity = identify_submission("ingest", key, facts)
    return ingest_document(
        call.store,
        call.scope,
        call.actor,
        document,
        quota=quota_of(call),
        cap_bytes=call.running.resources.limits.org_disk_bytes,
        idempotency=identity,
    )


def _index(call: Call, document_id: DocumentId, prepared: PreparedIngest) -> int:
    """Index the chunks before the document is committed and return their number. Raises `PortUnavailable`."""
    port = call.running.resources.ports.index_document
    if port is not None:
        scope = (call.scope.tenant, call.scope.org)
        port.index_document(scope, document_id, INGESTED_ATTEMPT, list(prepared.chunks), urgent=True)
    return len(prepared.chunks)


def _store_original(call: Call, data: bytes | None) -> StoredBlob | None:
    if data is None:
        return None
    writer = call.store.blobs.new_writer()
    try:
        writer.write(data)
        return writer.commit()
    except BaseException:
        writer.abort()
        raise

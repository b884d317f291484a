"""POST /v1/ingest: a document extracted elsewhere becomes a finished job, metered and stored like any other."""

import hashlib
import json
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from models.cdom.tree import Tree, dump_tree
from models.derive.chunks.chunking import chunker_name
from models.derive.chunks.chunks import chunk_tree
from models.derive.doubts import lowest_confidence
from models.pii.places import find_places
from serve_apps.api.context.deps import Call, CallDep
from serve_apps.api.documents.ingested import (
    MAX_VALUES,
    InvalidIngest,
    count_pages,
    decode_base64,
    read_assets,
    read_semantics,
    read_tree,
)
from serve_apps.api.http.strict_json import InvalidJson, parse_object
from serve_apps.api.http.uploads import read_body
from serve_apps.api.intake.idempotency import IdempotencyKeyHeader, identify_submission, replayed
from serve_apps.api.intake.submitting import keep_within_cap, quota_of
from serve_apps.api.shapes.bodies import IngestBody, JobBody
from serve_apps.api.shapes.rendering import json_response, render_job
from storage.jobs.ingest import INGESTED_ATTEMPT, IngestedDocument, ingest_document
from storage.objects.artifacts import ASSETS, SEMANTICS, TREE
from storage.values.ids import new_document_id
from storage.values.rows import DocumentId, JobRow, StoredBlob

router = APIRouter(tags=["jobs"])
_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": IngestBody.model_json_schema()}}}}


@router.post("/v1/ingest", status_code=201, responses={201: {"model": JobBody}}, openapi_extra=_BODY)
async def ingest(request: Request, call: CallDep, idempotency_key: IdempotencyKeyHeader = None) -> Response:
    """tree, and optionally semantics, assets (name → base64) and source_bytes (base64). PII is looked for anew."""
    call.running.resources.license.require_intake()
    body = await read_body(request, call.running.resources.limits.upload_idle_s)
    job = await call.running.disk.run(_ingest, call, body, idempotency_key)
    return json_response(render_job(job), 201, {"Location": f"/v1/jobs/{job.id}"} | replayed(job))


def _ingest(call: Call, body: bytes, key: str | None) -> JobRow:
    """Check everything, store files, then the one transaction. Nothing is written before all is checked."""
    sent = _parse(body)
    options = call.running.resources.options
    ingested = read_tree(sent.get("tree"), options)
    files = {ASSETS + name: data for name, data in read_assets(sent.get("assets"), ingested.tree, options).items()}
    semantics = read_semantics(sent.get("semantics"), ingested.ids)
    if semantics is not None:
        files[SEMANTICS] = json.dumps(semantics, ensure_ascii=False).encode("utf-8", "replace")
    flag = call.running.resources.flag_tree
    tree = flag(ingested.tree) if flag else ingested.tree
    files[TREE] = dump_tree(tree)
    keep_within_cap(call, len(body))
    original = _store_original(call, sent.get("source_bytes"))
    document_id = new_document_id()
    document = IngestedDocument(
        id=document_id,
        source_file=ingested.name,
        format=ingested.tree.source.format[:64],
        pages=len(ingested.tree.pages),
        metered=count_pages(ingested.tree),
        bytes=original.bytes if original else len(files[TREE]),
        manifest=call.store.artifacts.put(document_id, INGESTED_ATTEMPT, files),
        original=original,
        chunks=_index(call, document_id, tree),
        chunker=chunker_name(call.running.resources.chunking),
        lowest_confidence=lowest_confidence(tree),
        flags=find_places(tree),
    )
    identity = identify_submission("ingest", key, [hashlib.sha256(body).hexdigest()])
    return ingest_document(call.store, call.scope, call.actor, document, quota=quota_of(call), idempotency=identity)


def _index(call: Call, document_id: DocumentId, tree: Tree) -> int:
    """Chunks, findable before the document is committed; the number of them. Raises `PortUnavailable`."""
    resources = call.running.resources
    cut = partial(chunk_tree, tokenizer=resources.tokenizer, settings=resources.chunking)
    chunks = call.running.work.run(cut, tree)
    port = resources.ports.index_document
    if port is not None:
        port.index_document((call.scope.tenant, call.scope.org), document_id, INGESTED_ATTEMPT, chunks, urgent=True)
    return len(chunks)


def _parse(body: bytes) -> dict[str, Any]:
    try:
        return parse_object(body, storable=True, most_values=MAX_VALUES)
    except InvalidJson as error:
        raise InvalidIngest(str(error), "body") from None


def _store_original(call: Call, text: Any) -> StoredBlob | None:
    if text is None:
        return None
    data = decode_base64(text, "source_bytes")
    if len(data) > call.running.resources.limits.max_upload_bytes:
        raise InvalidIngest("larger than an upload may be", "source_bytes")
    writer = call.store.blobs.new_writer()
    try:
        writer.write(data)
        return writer.commit()
    except BaseException:
        writer.abort()
        raise

"""Extract values by a JSON Schema: from a file that is read once and not stored, or from a stored document."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import Request
from starlette.responses import Response

from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.tree import Tree
from quire.models.derive.schema.answer import ExtractedData
from quire.models.derive.schema.correction.corrected import CorrectedPlace
from quire.models.derive.schema.model.digest import HiddenRanges
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ, WRITE
from quire.serve_apps.api.context.deps import Call, CallDep, JobIdDep
from quire.serve_apps.api.documents.extracting import (
    Engine,
    Wanted,
    check_schema,
    extract_tree,
    find_hidden,
    require_model,
)
from quire.serve_apps.api.documents.published import Published, PublishedDep, Redacted, find_published
from quire.serve_apps.api.documents.redacting import locate_scanned, read_block_decisions
from quire.serve_apps.api.http.multipart import PartRules, PartsReader
from quire.serve_apps.api.http.refusals import InvalidField, UnreadableFile
from quire.serve_apps.api.http.strict_json import InvalidJson, parse_object
from quire.serve_apps.api.http.uploads import body_chunks, read_body
from quire.serve_apps.api.intake.by_url import MAX_BODY_BYTES, MAX_VALUES, has_urls
from quire.serve_apps.api.intake.ephemeral import EphemeralFile, read_file
from quire.serve_apps.api.shapes.rendering import JSON
from quire.storage.jobs.documents import find_document
from quire.storage.jobs.jobs import find_extract_schema
from quire.storage.schemas.stored_schemas import find_schema, read_corrections, read_labels
from quire.storage.values.rows import DocumentId, JobId

router = Operations("derived")

_SCHEMA_TEXT = "JSON Schema (draft 2020-12) of an object. `x-quire` of a property may give labels, near and page."
_CHOICES = {
    "schema_name": {"type": "string", "description": "A stored schema, instead of `schema`."},
    "schema_version": {"type": "integer", "minimum": 1, "description": "A version of it; the newest by default."},
    "engine": {
        "type": "string",
        "enum": [engine.value for engine in Engine],
        "default": Engine.RULES.value,
        "description": "llm and auto send texts of the document to the operator's language model.",
    },
}
_REDACT = {"type": "boolean", "default": True, "description": "Hide personal data from the language model."}
_EXAMPLE = {
    "type": "object",
    "properties": {"invoice_number": {"type": "string"}, "total": {"type": "number"}},
}
_REQUEST = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "schema": {"type": "string", "description": _SCHEMA_TEXT},
                        **_CHOICES,
                        "redact": _REDACT,
                    },
                }
            },
            JSON: {
                "schema": {
                    "type": "object",
                    "required": ["document_id"],
                    "properties": {
                        "document_id": {"type": "string", "description": "A document that succeeded."},
                        "schema": {"type": "object", "description": _SCHEMA_TEXT},
                        **_CHOICES,
                        "redact": _REDACT,
                    },
                },
                "examples": {
                    "stored": {"value": {"document_id": "doc_aaaaaaaaaaaaaaaaaaaaaaaaaa", "schema_name": "invoice"}},
                    "given": {"value": {"document_id": "doc_aaaaaaaaaaaaaaaaaaaaaaaaaa", "schema": _EXAMPLE}},
                },
            },
        },
    }
}
_FIELDS = {"schema", "schema_name", "schema_version", "engine", "redact"}


@router.operation(
    "POST /v1/extract",
    "extract",
    WRITE,
    ExtractedData,
    refusals={
        404: "The document or the stored schema is unknown, deleted, or another tenant's.",
        502: "engine=llm, and the language model did not answer in the form that was asked for.",
    },
    repeatable=True,
    openapi_extra=_REQUEST,
)
async def extract(request: Request, call: CallDep, redacted: Redacted) -> Response:
    """Return values by a JSON Schema with the places of each, and why others are missing.

    Send a file with the schema as a form, or `document_id` and the schema as JSON. A file is not stored.
    """
    if has_urls(request):
        return await _extract_stored(request, call, redacted)
    if redacted:
        raise InvalidField("redacted", "a file is not redacted; send the document_id of a stored document", "query")
    async with call.running.ephemeral.enter():
        file, fields = await _receive(request, call)
        wanted, _ = await _choose(call, fields | {"schema": _parse_schema(fields)})
        outcome = await read_file(call, file, words=True)
        if outcome.tree is None:
            raise UnreadableFile((outcome.error or ErrorCode.INTERNAL).value, outcome.detail, file.part)
        if _hides(fields, wanted):  # a file is not stored, so nobody can search it for names first
            hidden = await call.running.heavy.run(call.running.work.run, _find_patterns, outcome.tree)
            wanted = replace(wanted, hidden=hidden)
        return Response(await extract_tree(call, outcome.tree, wanted, None), media_type=JSON)


@router.operation(f"GET {DOCUMENT}/extracted", "get_extracted", READ, ExtractedData)
async def read_extracted(document: PublishedDep, job_id: JobIdDep) -> Response:
    """Return the values by the `extract_schema` of the document's job, as `POST /v1/extract` returns them.

    Rules extract them. The answer is 404 if the job was sent without `extract_schema`.
    """
    return Response(await extract_by_job(document, job_id), media_type=JSON)


async def extract_by_job(document: Published, job_id: JobId) -> bytes:
    """Return the values by the schema of the document's job as JSON. Raises NotFound if the job has none."""
    call = document.call
    text = await call.running.sql.run(find_extract_schema, call.store.db, call.scope, job_id)
    wanted = Wanted(schema=await check_schema(call, json.loads(text)))
    return await extract_tree(call, document.tree, wanted, document.document_id)


async def _extract_stored(request: Request, call: Call, redacted: bool) -> Response:
    limits = call.running.resources.limits
    body = await read_body(request, limits.upload_idle_s, most=MAX_BODY_BYTES)
    try:
        sent = parse_object(body, most_values=MAX_VALUES)
    except InvalidJson as error:
        raise InvalidField("schema", str(error)) from None
    if unknown := sorted(sent.keys() - _FIELDS - {"document_id"}):
        raise InvalidField(unknown[0], "unknown field")
    wanted, name = await _choose(call, sent)
    document = await find_extracted(call, sent.get("document_id"), redacted)
    if _hides(sent, wanted):
        document, wanted = await _hide(call, document, wanted)
    if name is not None:
        corrections = await call.running.sql.run(
            read_corrections, call.store.db, call.scope, name, document.document_id
        )
        places = tuple(
            CorrectedPlace(
                path=row.path, block_id=row.block_id, cell=row.cell, start=row.start, end=row.end, verbatim=row.verbatim
            )
            for row in corrections
        )
        wanted = replace(wanted, corrections=() if redacted else places)
    return Response(await extract_tree(call, document.tree, wanted, document.document_id), media_type=JSON)


async def find_extracted(call: Call, document_id: Any, redacted: bool) -> Published:
    """Return a stored document by its id alone. Raises `InvalidField`, `NotFound`, `PiiIncomplete`."""
    if not isinstance(document_id, str):
        raise InvalidField("document_id", "expected the id of a document")
    row = await call.running.sql.run(find_document, call.store.db, call.scope, document_id)
    return await find_published(call, JobId(row.job_id), DocumentId(row.id), redacted)


def _find_patterns(tree: Tree) -> HiddenRanges:
    """Return the personal data that is recognised by its form, such as mail addresses and numbers."""
    return find_hidden(flag_tree(tree, RegexDetector()), {})


def _hides(sent: Mapping[str, Any], wanted: Wanted) -> bool:
    """Return whether personal data is hidden from the language model, which is the default. Raises `InvalidField`."""
    chosen = sent.get("redact", wanted.engine is not Engine.RULES)
    chosen = {"true": True, "false": False}.get(chosen, chosen) if isinstance(chosen, str) else chosen
    if not isinstance(chosen, bool):
        raise InvalidField("redact", "expected true or false")
    return chosen and wanted.engine is not Engine.RULES


async def _hide(call: Call, document: Published, wanted: Wanted) -> tuple[Published, Wanted]:
    """Return the document after its scan for personal data, and what its language model must not see."""
    row = await call.running.sql.run(find_document, call.store.db, call.scope, document.document_id)
    where = await locate_scanned(call, JobId(row.job_id), document.document_id)
    tree = await call.running.disk.run(call.running.trees.get, call.store, document.document_id, where.attempt)
    decisions = await call.running.sql.run(read_block_decisions, call.store, document.document_id, tree)
    shown = document.tree if document.redacted else tree
    hidden = {} if document.redacted else find_hidden(tree, decisions)
    return replace(document, attempt=where.attempt, tree=shown), replace(wanted, hidden=hidden)


async def _receive(request: Request, call: Call) -> tuple[EphemeralFile, dict[str, Any]]:
    limits = call.running.resources.limits
    rules = PartRules(names=frozenset({"file", "files"}), max_files=1, max_file_bytes=limits.max_upload_bytes)
    reader = PartsReader(request.headers.get("content-type", ""), rules)
    async for data in body_chunks(request, limits.upload_idle_s):
        reader.feed(data)
    reader.finish()
    if unknown := sorted(reader.fields.keys() - _FIELDS):
        raise InvalidField(unknown[0], "unknown field")
    fields: dict[str, Any] = dict(reader.fields)
    if fields.get("schema_version", "").isdecimal():
        fields["schema_version"] = int(fields["schema_version"])
    file = reader.files[0]
    return EphemeralFile(file.part, file.name, b"".join(file.pending)), fields


def _parse_schema(fields: dict[str, Any]) -> dict[str, Any] | None:
    text = fields.get("schema", "")
    if not text.strip():
        if "schema_name" in fields:
            return None
        raise InvalidField("schema", "expected a JSON Schema")
    try:
        return parse_object(text, most_values=MAX_VALUES)
    except InvalidJson as error:
        raise InvalidField("schema", str(error)) from None


async def _choose(call: Call, fields: dict[str, Any]) -> tuple[Wanted, str | None]:
    """Return what to extract, and the name of its stored schema.

    Raises:
        InvalidField: A field is of the wrong form, or schema and schema_name are both given.
        NotFound: There is no such stored schema.
        NoModelEndpoint: The engine needs a language model.
        UnusableSchema: The schema cannot be used.
    """
    engine = fields.get("engine", Engine.RULES)
    if engine not in list(Engine):
        raise InvalidField("engine", f"expected one of {', '.join(Engine)}")
    if engine != Engine.RULES:
        require_model(call)
    name, version, schema = (fields.get(key) for key in ("schema_name", "schema_version", "schema"))
    labels: dict[str, list[str]] = {}
    if name is not None:
        if not isinstance(name, str) or schema is not None:
            raise InvalidField("schema_name", "expected the name of a stored schema, and no schema")
        if version is not None and (not isinstance(version, int) or isinstance(version, bool) or version < 1):
            raise InvalidField("schema_version", "expected a number from 1 upwards")
        stored = await call.running.sql.run(find_schema, call.store.db, call.scope, name, version)
        labels = await call.running.sql.run(read_labels, call.store.db, call.scope, name)
        schema = json.loads(stored.body)
    elif version is not None:
        raise InvalidField("schema_version", "needs schema_name")
    return Wanted(schema=await check_schema(call, schema, labels), engine=Engine(engine)), name

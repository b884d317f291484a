"""Extract values by a JSON Schema: from a file that is read once and not stored, or from a stored document."""

from enum import StrEnum
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response

from models.cdom.errors import ErrorCode
from models.cdom.tree import Tree
from models.derive.schema.answer import ExtractedData, SchemaRefused
from models.derive.schema.extract import extract_data, read_schema
from serve_apps.api.context.deps import Call, CallDep
from serve_apps.api.documents.published import Redacted, find_published
from serve_apps.api.http.multipart import PartRules, PartsReader
from serve_apps.api.http.refusals import InvalidField, NoModelEndpoint, UnreadableFile, UnusableSchema
from serve_apps.api.http.strict_json import InvalidJson, parse_object
from serve_apps.api.http.uploads import body_chunks, read_body
from serve_apps.api.intake.by_url import MAX_BODY_BYTES, MAX_VALUES, has_urls
from serve_apps.api.intake.ephemeral import EphemeralFile, read_file
from serve_apps.api.shapes.rendering import JSON
from storage.jobs.documents import find_document
from storage.values.rows import DocumentId, JobId

router = APIRouter(tags=["derived"])


class Engine(StrEnum):
    """How values are found: by rules, by a language model, or by rules and a model for what they leave."""

    RULES = "rules"
    LLM = "llm"
    AUTO = "auto"


_SCHEMA_TEXT = "JSON Schema (draft 2020-12) of an object. `x-quire` of a property may give labels, near and page."
_ENGINE = {"type": "string", "enum": [engine.value for engine in Engine], "default": Engine.RULES.value}
_REQUEST = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file", "schema"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "schema": {"type": "string", "description": _SCHEMA_TEXT},
                        "engine": _ENGINE,
                    },
                }
            },
            JSON: {
                "schema": {
                    "type": "object",
                    "required": ["document_id", "schema"],
                    "properties": {
                        "document_id": {"type": "string", "description": "A document that succeeded."},
                        "schema": {"type": "object", "description": _SCHEMA_TEXT},
                        "engine": _ENGINE,
                    },
                }
            },
        },
    }
}


@router.post("/v1/extract", responses={200: {"model": ExtractedData}}, openapi_extra=_REQUEST)
async def extract(request: Request, call: CallDep, redacted: Redacted = False) -> Response:
    """Return values by a JSON Schema with the places of each, and why others are missing.

    Send a file with the schema as a form, or `document_id` and the schema as JSON. A file is not stored.
    """
    if has_urls(request):
        return await _extract_stored(request, call, redacted)
    if redacted:
        raise InvalidField("redacted", "a file is not redacted; send the document_id of a stored document", "query")
    async with call.running.ephemeral.enter():
        file, fields = await _receive(request, call)
        schema = await _checked(call, _parse_schema(fields.get("schema", "")), fields.get("engine", Engine.RULES))
        outcome = await read_file(call, file)
        if outcome.tree is None:
            raise UnreadableFile((outcome.error or ErrorCode.INTERNAL).value, outcome.detail, file.part)
        work = call.running.work
        lane = call.running.heavy if work.is_heavy(outcome.tree) else call.running.disk
        return Response(await lane.run(work.run, partial(_extract, schema), outcome.tree), media_type=JSON)


async def _extract_stored(request: Request, call: Call, redacted: bool) -> Response:
    limits = call.running.resources.limits
    body = await read_body(request, limits.upload_idle_s, most=MAX_BODY_BYTES)
    try:
        sent = parse_object(body, most_values=MAX_VALUES)
    except InvalidJson as error:
        raise InvalidField("schema", str(error)) from None
    if unknown := sorted(sent.keys() - {"document_id", "schema", "engine"}):
        raise InvalidField(unknown[0], "unknown field")
    document_id = sent.get("document_id")
    if not isinstance(document_id, str):
        raise InvalidField("document_id", "expected the id of a document")
    schema = await _checked(call, sent.get("schema"), sent.get("engine", Engine.RULES))
    row = await call.running.sql.run(find_document, call.store.db, call.scope, document_id)
    document = await find_published(call, JobId(row.job_id), DocumentId(row.id), redacted)
    return Response(await document.derive(partial(_extract_value, schema)), media_type=JSON)


async def _receive(request: Request, call: Call) -> tuple[EphemeralFile, dict[str, str]]:
    limits = call.running.resources.limits
    rules = PartRules(names=frozenset({"file", "files"}), max_files=1, max_file_bytes=limits.max_upload_bytes)
    reader = PartsReader(request.headers.get("content-type", ""), rules)
    async for data in body_chunks(request, limits.upload_idle_s):
        reader.feed(data)
    reader.finish()
    if unknown := sorted(reader.fields.keys() - {"schema", "engine"}):
        raise InvalidField(unknown[0], "unknown field")
    file = reader.files[0]
    return EphemeralFile(file.part, file.name, b"".join(file.pending)), reader.fields


def _parse_schema(text: str) -> dict[str, Any]:
    if not text.strip():
        raise InvalidField("schema", "expected a JSON Schema")
    try:
        return parse_object(text, most_values=MAX_VALUES)
    except InvalidJson as error:
        raise InvalidField("schema", str(error)) from None


async def _checked(call: Call, schema: Any, engine: Any) -> dict[str, Any]:
    """Return the schema if it and the engine can be used.

    Raises:
        InvalidField: The engine is unknown.
        NoModelEndpoint: The engine needs a language model.
        UnusableSchema: The schema cannot be used.
    """
    if engine not in list(Engine):
        raise InvalidField("engine", f"expected one of {', '.join(Engine)}")
    if engine != Engine.RULES:
        raise NoModelEndpoint("this deployment has no language model; use the engine rules")
    try:
        await call.running.disk.run(read_schema, schema)
    except SchemaRefused as error:
        raise UnusableSchema(error.code, error.path, error.detail) from None
    return dict(schema)


def _extract(schema: dict[str, Any], tree: Tree) -> bytes:
    return to_json(_extract_value(schema, tree))


def _extract_value(schema: dict[str, Any], tree: Tree) -> ExtractedData:
    return extract_data(tree, read_schema(schema))

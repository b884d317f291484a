"""/v1/schemas: named and versioned JSON Schemas of an organisation, and corrections that teach them labels."""

import json
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from quire.models.derive.schema.answer import ValuePlace
from quire.models.derive.schema.checking import CHECKED
from quire.models.derive.schema.correction.corrected import NotCorrected, TaughtValue, read_correction
from quire.models.derive.schema.extract import read_schema
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ, WRITE
from quire.serve_apps.api.context.deps import Call, CallDep
from quire.serve_apps.api.documents.extracting import check_schema
from quire.serve_apps.api.http.refusals import InvalidField, UnusableCorrection
from quire.serve_apps.api.routes.jobs.extract import find_extracted
from quire.serve_apps.api.shapes.operator_bodies import CorrectionBody, SchemaBody, SchemaSummaryBody
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.schemas.stored_schemas import (
    CorrectionRow,
    StoredSchema,
    delete_schema,
    find_schema,
    forget_label,
    list_schemas,
    read_labels,
    save_schema,
    teach,
)

router = Operations("schemas")

NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,62}$"
MAX_SCHEMA_CHARS = 500_000
"""Characters of a stored schema; one with a thousand leaves has 200,000."""
MAX_POINTER, MAX_VALUE = 2_000, 2_000  # characters of a JSON pointer and of a corrected value
SchemaName = Annotated[str, Path(pattern=NAME_PATTERN, description="Name of a stored schema.")]


class SchemaRequest(BaseModel):
    """A schema to store under a name."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [
        {"name": "invoice", "schema": {"type": "object", "properties": {"total": {"type": "number"}}}}
    ]})  # fmt: skip
    name: str = Field(pattern=NAME_PATTERN)
    json_schema: dict[str, Any] = Field(alias="schema", description="JSON Schema (draft 2020-12) of an object.")


class CorrectionRequest(BaseModel):
    """The place that holds the right value: a block, or a cell (its number in the table), and the text in it.

    Without `text` it is the value behind a label in the place, or all of its text.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [
        {"document_id": "doc_aaaaaaaaaaaaaaaaaaaaaaaaaa", "path": "/total", "block_id": "b12", "text": "107.50"}
    ]})  # fmt: skip
    document_id: str = Field(max_length=64)
    path: str = Field(max_length=MAX_POINTER, description="JSON pointer into the data, such as /lines/3/price.")
    block_id: str = Field(max_length=64)
    cell: int | None = Field(None, ge=0)
    text: str | None = Field(None, max_length=MAX_VALUE)


@router.operation(
    "POST /v1/schemas",
    "store_schema",
    WRITE,
    SchemaBody,
    status=201,
    refusals={409: "The organisation has its limit of schemas, or the schema its limit of versions."},
)
async def store(body: SchemaRequest, call: CallDep) -> Response:
    """Store a schema. Another schema under a known name becomes its next version."""
    await check_schema(call, body.json_schema)
    text = json.dumps(body.json_schema, ensure_ascii=False)
    if len(text) > MAX_SCHEMA_CHARS:
        raise InvalidField("schema", f"a stored schema has at most {MAX_SCHEMA_CHARS} characters")
    if "\\u0000" in text:
        raise InvalidField("schema", "contains NUL")
    row = await call.running.disk.run(save_schema, call.store.db, call.scope, call.actor, body.name, text)
    return json_response(await _render(call, row), 201)


@router.operation("GET /v1/schemas", "list_schemas", READ, list[SchemaSummaryBody])
async def read_all(call: CallDep) -> Response:
    """List the stored schemas by name, each with its newest version."""
    rows = await call.running.sql.run(list_schemas, call.store.db, call.scope)
    return json_response([_summary(row) for row in rows])


@router.operation("GET /v1/schemas/{name}", "get_schema", READ, SchemaBody)
async def read(
    name: SchemaName, call: CallDep, version: Annotated[int | None, Query(ge=1, le=1_000_000)] = None
) -> Response:
    """Return a stored schema and the labels that corrections taught, by JSON pointer to the leaf."""
    return json_response(
        await _render(call, await call.running.sql.run(find_schema, call.store.db, call.scope, name, version))
    )


@router.operation("DELETE /v1/schemas/{name}", "delete_schema", WRITE, status=204)
async def remove(name: SchemaName, call: CallDep) -> Response:
    """Delete all versions of a schema with its labels and corrections."""
    await call.running.disk.run(delete_schema, call.store.db, call.scope, call.actor, name)
    return Response(status_code=204)


@router.operation(
    "POST /v1/schemas/{name}/corrections",
    "correct_value",
    WRITE,
    CorrectionBody,
    status=201,
    refusals={409: "The schema has its limit of taught labels."},
)
async def correct(name: SchemaName, body: CorrectionRequest, call: CallDep) -> Response:
    """Correct a value by its place. The label next to it names the value in other documents of the organisation.

    The corrected value itself holds for this document only. `label` is null if no label is near.
    """
    stored = await call.running.sql.run(find_schema, call.store.db, call.scope, name)
    document = await find_extracted(call, body.document_id, redacted=False)
    try:
        taught = await call.running.disk.run(_read, stored, document.tree, body)
    except NotCorrected as error:
        raise UnusableCorrection(error.code, error.field, str(error)) from None
    place = taught.place
    await call.running.disk.run(
        teach, call.store.db, call.scope, call.actor, name, document.document_id,
        CorrectionRow(
            path=taught.path, block_id=place.block_id, cell=place.cell, start=place.start, end=place.end,
            verbatim=taught.verbatim,
        ),
        (taught.leaf, taught.label) if taught.label is not None else None,
    )  # fmt: skip
    return json_response(_render_taught(taught), 201)


@router.operation("DELETE /v1/schemas/{name}/labels", "delete_label", WRITE, status=204)
async def forget(
    name: SchemaName,
    call: CallDep,
    path: Annotated[str, Query(max_length=MAX_POINTER, description="JSON pointer to the leaf, such as /lines/price.")],
    label: Annotated[str, Query(max_length=MAX_VALUE)],
) -> Response:
    """Delete a label that a correction taught."""
    await call.running.disk.run(forget_label, call.store.db, call.scope, call.actor, name, path, label)
    return Response(status_code=204)


def _read(stored: StoredSchema, tree: Any, body: CorrectionRequest) -> TaughtValue:
    schema = read_schema(json.loads(stored.body), limits=CHECKED)
    return read_correction(tree, schema, body.path, body.block_id, body.cell, body.text)


def _summary(row: StoredSchema) -> dict[str, Any]:
    return {"name": row.name, "version": row.version, "created_at": row.created_at, "created_by": row.created_by}


async def _render(call: Call, row: StoredSchema) -> dict[str, Any]:
    labels = await call.running.sql.run(read_labels, call.store.db, call.scope, row.name)
    return _summary(row) | {"schema": json.loads(row.body), "labels": labels}


def _render_taught(taught: TaughtValue) -> dict[str, Any]:
    place: ValuePlace = taught.place
    return {
        "path": taught.path, "value": taught.value, "place": asdict(place), "leaf": taught.leaf, "label": taught.label,
    }  # fmt: skip

"""POST /v1/sql: one read-only query over the table cells of documents. GET /v1/sql/catalog: which tables there are."""

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import pyarrow as pa
from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from quire.models.cdom.ports import RunSql
from quire.models.export.tables.catalog import CatalogTable
from quire.models.export.tables.files import SCHEMA
from quire.serve_apps.access.operations import SCANNING, Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import SCAN_WAIT_S, Call, CallDep, check_document_id, check_job_id
from quire.serve_apps.api.documents.redacting import scan_chosen
from quire.serve_apps.api.documents.table_cells import read_catalog, read_cells
from quire.serve_apps.api.http.refusals import InvalidField, OverLimit, SqlNotInstalled
from quire.serve_apps.api.shapes.principals import Principals
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.jobs.document_list import ChosenDocument, find_chosen, list_published
from quire.storage.values.errors import NotFound

router = Operations("exports")
MAX_DOCUMENTS = 2_000
"""Documents of one query; a query over more names a job or documents."""
MAX_CELLS_BYTES = 64 << 20
"""Bytes of cells in Arrow form that one query may load: about half a million cells."""
MAX_SQL_CHARS = 20_000  # characters of a statement: one that names 500 documents


class SqlRequest(BaseModel):
    """A query over the relations `cells` and `rows`, of all documents or of those that are named."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"sql": "select label, number, cite from cells where head = 'Total'"}]},
    )
    sql: str = Field(min_length=1, max_length=MAX_SQL_CHARS, pattern="^[^\x00]*$", description="One SELECT of DuckDB.")
    document_ids: list[str] | None = Field(None, min_length=1, max_length=MAX_DOCUMENTS)
    job_id: str | None = None
    redacted: bool = Field(False, description="Mask all personal data that was not rejected.")
    wait: float = Field(
        SCAN_WAIT_S, ge=0, le=600, description="Seconds to wait for the search for names, before the answer is 202."
    )
    principals: Principals = Field(
        default=[],
        description="Users and groups that the caller acts for. Documents with other principals are left out.",
    )
    limit: int = Field(1000, ge=1, le=10_000, description="Most rows of the answer.")


class SqlColumn(BaseModel):
    """A column of the answer with its type in DuckDB."""

    name: str
    type: str


class TableCatalog(BaseModel):
    """Tables in the order of their documents; `next_offset` is null on the last page."""

    tables: list[CatalogTable]
    next_offset: int | None


class CellCitation(BaseModel):
    """The place of a cell; `cell` is an index into the table's `cells`, `bbox` in points, null without pages."""

    document_id: str
    table_id: str
    page: int
    cell: int
    bbox: list[float] | None


class SqlAnswerBody(BaseModel):
    """Rows of the answer. `citations` has a list for each row: the cells in its `cite` values."""

    columns: list[SqlColumn]
    rows: list[list[Any]]
    citations: list[list[CellCitation]]
    truncated: bool
    documents: int


@router.operation(
    "POST /v1/sql",
    "query_tables",
    READ,
    SqlAnswerBody,
    refusals={
        404: "A document or the job is unknown, deleted, or another tenant's.",
        409: "SQL is not installed, or redacted=true and the scan of a document did not finish.",
        202: SCANNING,
    },
    repeatable=True,
    principals=True,
)
async def query_tables(body: SqlRequest, call: CallDep) -> Response:
    """Answer a read-only SQL query over table cells; each row can cite the cells that it comes from."""
    port = call.running.resources.ports.sql
    if port is None:
        raise SqlNotInstalled("SQL needs DuckDB: pip install duckdb")
    if body.document_ids is not None and body.job_id is not None:
        raise InvalidField("job_id", "send document_ids or job_id, not both")
    chosen = await call.running.sql.run(_choose, call, body.document_ids, body.job_id, body.principals)
    if body.redacted:
        call.scan_wait_s = body.wait
        chosen = await scan_chosen(call, chosen)
    answer = await call.running.queries.run(_answer, call, port, chosen, body)
    return json_response(answer)


@router.operation(
    "GET /v1/sql/catalog",
    "list_tables",
    READ,
    TableCatalog,
    refusals={404: "A document or the job is unknown, deleted, or another tenant's."},
    principals=True,
)
async def list_tables(
    call: CallDep,
    document_id: Annotated[list[str] | None, Query(max_length=MAX_DOCUMENTS)] = None,
    job_id: str | None = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """List the tables that queries can ask, with title, heads, types and the first three rows of each."""
    if document_id and job_id is not None:
        raise InvalidField("job_id", "send document_id or job_id, not both")
    chosen = await call.running.sql.run(_choose, call, document_id or None, job_id)
    return json_response(await call.running.queries.run(_catalog, call, chosen, offset, limit))


def _catalog(call: Call, chosen: Sequence[ChosenDocument], offset: int, limit: int) -> dict[str, Any]:
    tables, last, found = [], offset + limit, 0
    for item in chosen:
        try:
            listed = read_catalog(call, item)
        except NotFound:
            continue
        for table in listed:
            if offset <= found < last:
                tables.append(table)
            found += 1
        if found > last:
            break
    return {"tables": tables, "next_offset": last if found > last else None}


def _choose(
    call: Call, document_ids: Sequence[str] | None, job_id: str | None, stated: Sequence[str] = ()
) -> list[ChosenDocument]:
    """Return the documents of these ids, of the job, or all. Raises `NotFound`, and `OverLimit` for too many."""
    db, scope, principals = call.store.db, call.scope, call.limit_principals(stated or None) or ()
    if document_ids is not None:
        ids = [check_document_id(text) for text in document_ids]
        return find_chosen(db, scope, document_ids=ids, principals=principals)
    if job_id is not None:
        return find_chosen(db, scope, job_id=check_job_id(job_id), principals=principals)
    chosen = list_published(db, scope, principals, limit=MAX_DOCUMENTS + 1)
    if len(chosen) > MAX_DOCUMENTS:
        raise OverLimit(f"there are more than {MAX_DOCUMENTS} documents; name a job_id or document_ids")
    return chosen


def _answer(call: Call, port: RunSql, chosen: Sequence[ChosenDocument], body: SqlRequest) -> dict[str, Any]:
    """Return the body of the answer. Raises `SqlRefused`, `OverLimit`, `PiiIncomplete` and `PortUnavailable`."""
    answer = port.run(body.sql, _load(call, chosen, body.redacted), max_rows=body.limit)
    return {
        "columns": [{"name": name, "type": kind} for name, kind in answer.columns],
        "rows": answer.rows,
        "citations": [list(_citations(row)) for row in answer.rows],
        "truncated": answer.is_truncated,
        "documents": sum(item.tree is not None for item in chosen),
    }


def _load(call: Call, chosen: Sequence[ChosenDocument], redacted: bool) -> Iterator[bytes]:
    """Yield the cells of the documents as pieces of one Arrow stream, so that one document's are in memory at a time.

    A document that is deleted meanwhile is left out. Raises `OverLimit` and `PiiIncomplete`.
    """
    piece, total = io.BytesIO(), 0
    with pa.ipc.new_stream(piece, SCHEMA) as writer:
        for item in chosen:
            try:
                batch = read_cells(call, item, redacted=redacted)
            except NotFound:
                continue
            if batch is not None and batch.num_rows:
                writer.write_batch(batch)
            total += piece.tell()
            if total > MAX_CELLS_BYTES:
                raise OverLimit("the documents have too many cells; name a job_id or document_ids")
            yield piece.getvalue()
            piece.seek(0)
            piece.truncate()
    yield piece.getvalue()


def _citations(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the cells that values of the type of `cite` name, at any depth."""
    if isinstance(value, Mapping):
        if value.keys() == {"document_id", "page", "table_id", "cell", "x0", "y0", "x1", "y1"}:
            if value["cell"] is not None:
                box = [value[name] for name in ("x0", "y0", "x1", "y1")]
                place = {name: value[name] for name in ("document_id", "table_id", "page", "cell")}
                yield {**place, "bbox": None if None in box else box}
            return
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _citations(part)

"""GET …/tables: the tables of a document, or of chosen documents, as files of spreadsheets and data tools."""

from functools import partial
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet as pq
from fastapi import Query
from starlette.responses import Response

from quire.models.export.tables.files import ENDINGS, MEDIA_TYPES, SCHEMA, TableFormat, write_tables
from quire.serve_apps.access.operations import OTHERS, Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ
from quire.serve_apps.api.context.deps import Call, CallDep, check_document_id
from quire.serve_apps.api.documents.published import PublishedDep, Redacted
from quire.serve_apps.api.documents.redacting import scan_chosen
from quire.serve_apps.api.documents.table_cells import read_cells
from quire.serve_apps.api.routes.results.archive import DocumentIds
from quire.serve_apps.api.shapes.rendering import attachment
from quire.storage.jobs.document_list import ChosenDocument, find_chosen
from quire.storage.values.errors import NotFound

router = Operations("exports")
_ANSWER: dict[int | str, dict[str, Any]] = {200: {"content": {media: {} for media in MEDIA_TYPES.values()}}}
_PARQUET: dict[int | str, dict[str, Any]] = {200: {"content": {MEDIA_TYPES[TableFormat.PARQUET]: {}}}}
Format = Annotated[
    TableFormat,
    Query(description="csv: a zip with one file per table. xlsx: a sheet per table. parquet, arrow: a row per cell."),
]


@router.operation(f"GET {DOCUMENT}/tables", "export_tables", READ, response_class=Response, responses=_ANSWER)
async def export_tables(document: PublishedDep, format: Format = TableFormat.XLSX) -> Response:
    """Export all tables of the document. A table that continues over pages is one table."""
    data = await document.derive(partial(write_tables, format, document.document_id, document.name))
    return Response(data, media_type=MEDIA_TYPES[format], headers=_named(f"tables{ENDINGS[format]}"))


@router.operation(
    "GET /v1/documents/tables.parquet",
    "export_all_tables",
    READ,
    refusals={404: OTHERS, 409: "redacted=true, and the scan of a document did not finish."},
    response_class=Response,
    responses=_PARQUET,
)
async def export_all_tables(document_id: DocumentIds, call: CallDep, redacted: Redacted) -> Response:
    """Export the tables of chosen documents as one Parquet file, a row per cell with document, page and box."""
    ids = [check_document_id(text) for text in document_id]
    chosen = await call.running.sql.run(partial(find_chosen, call.store.db, call.scope, document_ids=ids))
    if redacted:
        chosen = await scan_chosen(call, chosen)
    data = await call.running.heavy.run(_join, call, chosen, redacted)
    return Response(data, media_type=MEDIA_TYPES[TableFormat.PARQUET], headers=_named("tables.parquet"))


def _join(call: Call, chosen: list[ChosenDocument], redacted: bool) -> bytes:
    """Return one Parquet file; memory holds one tree at a time. Unfinished and failed documents have no rows.

    Raises:
        PiiIncomplete: Redacted tables were requested and the scan of a document is not finished.
    """
    out = pa.BufferOutputStream()
    with pq.ParquetWriter(out, SCHEMA, compression="zstd") as writer:
        for item in chosen:
            try:
                batch = read_cells(call, item, redacted=redacted)
            except NotFound:
                continue  # deleted while the file is written
            if batch is not None:
                writer.write_batch(batch)
    data: bytes = out.getvalue().to_pybytes()
    return data


def _named(name: str) -> dict[str, str]:
    return {"Content-Disposition": attachment(name), "X-Content-Type-Options": "nosniff"}

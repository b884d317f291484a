"""Tables of documents as files: formats, redaction, and only the caller's own documents."""

import io
import zipfile
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

from quire.storage.store import Store
from tests.api.harness import PDF, TREE, client_of, files, make_resources, reading, serving
from tests.ui.papers import FLAGGER

MAIL = "ann@example.com"
CELLS = [
    {"row": 0, "col": 0, "text": "Name", "header": True},
    {"row": 0, "col": 1, "text": "Sum", "header": True},
    {"row": 1, "col": 0, "text": MAIL},
    {"row": 1, "col": 1, "text": "2.50", "bbox": [1, 2, 3, 4]},
]
TABLE = {"id": "t", "type": "table", "page": 1, "text": "", "table": {"rows": 2, "cols": 2, "cells": CELLS}}
WITH_TABLE: dict[str, Any] = {**TREE, "blocks": [*TREE["blocks"], TABLE]}


async def ingest(client: httpx.AsyncClient, tree: dict[str, Any] = WITH_TABLE) -> tuple[str, str]:
    answer = await client.post("/v1/ingest", json={"tree": tree})
    assert answer.status_code == 201, answer.text
    job = answer.json()
    return job["id"], job["documents"][0]["document_id"]


def rows_of(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = pq.read_table(io.BytesIO(answer.content)).to_pylist()
    return rows


@pytest.mark.parametrize(
    ("file_format", "media_type"),
    [
        ("csv", "application/zip"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("parquet", "application/vnd.apache.parquet"),
        ("arrow", "application/vnd.apache.arrow.file"),
    ],
)
async def test_a_document_has_its_tables_in_each_format(
    client: httpx.AsyncClient, file_format: str, media_type: str
) -> None:
    job_id, document_id = await ingest(client)
    path = f"/v1/jobs/{job_id}/documents/{document_id}/tables"
    answer = await client.get(path, params={"format": file_format})
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert (await client.get(path, params={"format": "ods"})).status_code == 422


async def test_chosen_documents_give_one_parquet_file(client: httpx.AsyncClient, store: Store) -> None:
    first, second = (await ingest(client))[1], (await ingest(client))[1]
    with reading(store):
        job = (await client.post("/v1/jobs", files=files(b"no document"))).json()
        failed = (await client.get(f"/v1/jobs/{job['id']}?wait=60")).json()["documents"][0]["document_id"]
    chosen = {"document_id": [first, second, failed]}
    rows = rows_of(await client.get("/v1/documents/tables.parquet", params=chosen))
    assert [row["document_id"] for row in rows] == [first] * 4 + [second] * 4
    assert (rows[3]["number"], rows[3]["head"], rows[3]["label"], rows[3]["x1"]) == (2.5, "Sum", MAIL, 3.0)
    assert {row["source_file"] for row in rows} == {"far.epub"}


async def test_redacted_tables_hold_no_personal_data(store: Store) -> None:
    async with serving(make_resources(store, flag_tree=FLAGGER)) as app, client_of(app) as client:
        job_id, document_id = await ingest(client)
        path = f"/v1/jobs/{job_id}/documents/{document_id}/tables"
        joined = "/v1/documents/tables.parquet"
        for url, params in ((path, {"format": "parquet"}), (joined, {"document_id": document_id})):
            plain = rows_of(await client.get(url, params=params))
            masked = rows_of(await client.get(url, params={**params, "redacted": "true"}))
            assert (MAIL in repr(plain), "far.epub" in repr(plain)) == (True, True)
            assert (MAIL in repr(masked), "far.epub" in repr(masked), len(masked)) == (False, False, len(plain))
        book = await client.get(path, params={"redacted": "true"})
        archive = zipfile.ZipFile(io.BytesIO(book.content))
        assert not [name for name in archive.namelist() if MAIL.encode() in archive.read(name)]


async def test_nothing_redacted_is_sent_without_a_finished_scan(client: httpx.AsyncClient) -> None:
    _, document_id = await ingest(client)
    chosen = {"document_id": document_id, "redacted": "true"}
    answer = await client.get("/v1/documents/tables.parquet", params=chosen)
    assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete")


async def test_tables_of_other_tenants_are_unknown(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app) as acme, client_of(app, "zeta-all") as zeta:
        _, document_id = await ingest(acme)
        _, own = await ingest(zeta)
        answer = await zeta.get("/v1/documents/tables.parquet", params={"document_id": [own, document_id]})
        assert answer.status_code == 404
        assert (await acme.get("/v1/documents/tables.parquet")).status_code == 422


async def test_a_document_without_tables_has_no_rows(client: httpx.AsyncClient, store: Store) -> None:
    with reading(store):
        job = (await client.post("/v1/jobs", files=files(PDF))).json()
        ended = (await client.get(f"/v1/jobs/{job['id']}?wait=60")).json()
    document_id = ended["documents"][0]["document_id"]
    assert rows_of(await client.get("/v1/documents/tables.parquet", params={"document_id": document_id})) == []

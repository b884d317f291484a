"""SQL over HTTP: the caller's tables only, citations, redaction, and refusals that say why."""

import json
import os
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from quire.actors.sql.runner import SqlRunner
from quire.models.export.tables.catalog import catalog_tables
from quire.serve_apps.api.context.resources import Ports
from quire.serve_apps.api.documents import table_cells
from quire.serve_apps.api.routes.data import sql
from quire.storage.store import Store
from tests.actors.sql.hostile import STATEMENTS, outside
from tests.api.harness import client_of, make_resources, serving
from tests.api.results.test_tables import MAIL, ingest
from tests.ui.papers import FLAGGER

SAMPLED = int(os.environ.get("HOSTILE_SQL_EVERY", "20"))
"""Each of so many statements; 1 takes all, in five minutes."""
TOTAL = "select label, sum(number) as total, list(cite) as cells from cells where head = 'Sum' group by label"


@pytest.fixture
async def answering(store: Store) -> AsyncIterator[Any]:
    async with serving(make_resources(store, ports=Ports(sql=SqlRunner()), flag_tree=FLAGGER)) as running:
        yield running


async def ask(client: httpx.AsyncClient, statement: str, **more: Any) -> httpx.Response:
    return await client.post("/v1/sql", json={"sql": statement, **more})


async def test_answer_covers_the_documents_of_the_caller_and_cites_cells(answering: Any) -> None:
    async with (
        client_of(answering) as acme,
        client_of(answering, "zeta-all") as zeta,
        client_of(answering, org="other") as other,
    ):
        documents = {(await ingest(acme))[1] for _ in range(2)}
        for stranger in (zeta, other):
            await ingest(stranger)
        answer = await ask(acme, TOTAL)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert [column["name"] for column in body["columns"]] == ["label", "total", "cells"]
        assert [row[:2] for row in body["rows"]] == [[MAIL, 5.0]]
        assert {cited["document_id"] for cited in body["citations"][0]} == documents
        assert {(c["table_id"], c["page"], c["cell"], tuple(c["bbox"])) for c in body["citations"][0]} == {
            ("b2", 1, 3, (1.0, 2.0, 3.0, 4.0))
        }
        assert (body["documents"], body["truncated"]) == (2, False)


async def test_answer_is_narrowed_to_named_documents_and_jobs(answering: Any) -> None:
    async with client_of(answering) as acme, client_of(answering, "zeta-all") as zeta:
        (job, first), (_, second) = await ingest(acme), await ingest(acme)
        foreign_job, foreign = await ingest(zeta)
        names = "select distinct document_id from cells"
        assert (await ask(acme, names, document_ids=[second])).json()["rows"] == [[second]]
        assert (await ask(acme, names, job_id=job)).json()["rows"] == [[first]]
        for more in ({"document_ids": [first, foreign]}, {"job_id": foreign_job}, {"job_id": "nonsense"}):
            assert (await ask(acme, names, **more)).status_code == 404
        assert (await ask(acme, names, job_id=job, document_ids=[first])).status_code == 422


async def test_pages_of_the_catalog_list_each_document_once(answering: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[int] = []
    monkeypatch.setattr(
        table_cells,
        "catalog_tables",
        lambda cells: catalog_tables(listed.append(len(cells)) or cells),  # type: ignore
    )
    async with client_of(answering) as acme:
        documents = {(await ingest(acme))[1] for _ in range(4)}
        pages = [(await acme.get("/v1/sql/catalog", params={"offset": at, "limit": 1})).json() for at in range(4)]
        assert {page["tables"][0]["document_id"] for page in pages} == documents
        assert len(listed) == len(documents)


async def test_redacted_answer_holds_no_flagged_value(answering: Any) -> None:
    async with client_of(answering) as acme:
        await ingest(acme)
        plain = await ask(acme, "select * from cells")
        masked = await ask(acme, "select * from cells", redacted=True)
        assert MAIL in plain.text
        assert masked.status_code == 200
        assert MAIL not in masked.text


REFUSED = {
    "drop table cells": "sql-refused",
    "select * from read_text('/etc/passwd')": "sql-refused",
    "select 1; select 2": "sql-refused",
    "selec": "sql-invalid",
    "select nothing from cells": "sql-invalid",
    "select repeat('x', 4000000000)": "sql-over-limit",
}


async def test_refusal_names_its_reason(answering: Any) -> None:
    async with client_of(answering) as acme:
        for statement, code in REFUSED.items():
            answer = await ask(acme, statement)
            assert answer.status_code == 422
            [entry] = answer.json()["detail"]
            assert (entry["type"], entry["loc"]) == (code, ["body", "sql"])


async def test_hostile_statements_over_http_reach_nothing_and_never_fail(store: Store) -> None:
    """Every statement is answered with a refusal or with nothing from outside; a process runs each of a sample."""
    statements = list(outside())
    chosen = statements[::SAMPLED] + list(STATEMENTS)
    async with serving(make_resources(store, ports=Ports(sql=SqlRunner()))) as app, client_of(app) as acme:
        await ingest(acme)
        for statement in chosen:
            body = json.dumps({"sql": statement}).encode()
            answer = await acme.post("/v1/sql", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code in (200, 422), statement
            assert answer.status_code == 422 or answer.json()["rows"] == [], statement


async def test_too_many_documents_have_to_be_named(answering: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "MAX_DOCUMENTS", 1)
    async with client_of(answering) as acme:
        _, first = await ingest(acme)
        await ingest(acme)
        assert (await ask(acme, "select 1")).json()["detail"][0]["type"] == "resource-limit"
        assert (await ask(acme, "select 1", document_ids=[first])).status_code == 200


async def test_sql_without_an_engine_is_refused(client: httpx.AsyncClient) -> None:
    answer = await ask(client, "select 1")
    assert (answer.status_code, answer.json()["code"]) == (409, "sql-not-installed")

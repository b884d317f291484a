"""Every route × every kind of caller × own, foreign and unknown ids. The routes come from the OpenAPI.

A route without a row here fails. Foreign and unknown resources must answer with the same bytes.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import pymupdf
import pytest
from fastapi import FastAPI

from quire.models.export import OUTPUTS
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.serve_apps.access.scopes import DOCUMENT, KeyScope
from quire.serve_apps.api.app import list_operations
from quire.storage.store import Store
from quire.storage.values.ids import (
    new_act_id,
    new_delivery_id,
    new_document_id,
    new_job_id,
    new_source_id,
    new_target_id,
    new_webhook_id,
)
from tests.api.harness import KEYS, PDF, TREE, client_of, files, make_resources, reading, serving
from tests.api.keys import ring_of

pytestmark = pytest.mark.long

OPERATIONS = list_operations()
OUTPUT_PATHS = {f"{DOCUMENT}/{output.path}" for output in OUTPUTS.values()}
Ids = dict[str, str]
SOURCE = {"path": str(Path(__file__).parent), "include": ["no such file"]}
TARGET = {"kind": "sink"}
SCAN = partial(flag_tree, detector=RegexDetector())
PATH = {"asset_path": "p1-0.png", "page": "1", "block_id": "b0", "name": "outline"}
Make = Callable[[httpx.AsyncClient], Awaitable[Ids]]


async def finished(owner: httpx.AsyncClient) -> Ids:
    """A job of the owner's with one read document."""
    answer = await owner.post("/v1/parse", files=files(PDF, part="file"))
    body = answer.json()
    return PATH | {"job_id": body["job"]["id"], "document_id": body["tree"]["document_id"]}


def unknown() -> Ids:
    made = {
        "act": new_act_id(),
        "webhook_id": new_webhook_id(),
        "delivery_id": new_delivery_id(),
        "source_id": new_source_id(),
        "target_id": new_target_id(),
    }
    return PATH | {"job_id": new_job_id(), "document_id": new_document_id()} | made


@dataclass(frozen=True)
class Row:
    """Request of a route that gives an allowed caller `status`; `make` prepares the objects in its path.

    With `by_caller` these objects belong to the caller.
    """

    status: int
    request: dict[str, Any] = field(default_factory=dict)
    make: Make = finished
    by_caller: bool = False


async def hooked(owner: httpx.AsyncClient) -> Ids:
    """A webhook of the owner's and a delivery to it."""
    hook = (await owner.post("/v1/webhooks", json={"url": "http://8.8.8.8/hook"})).json()
    delivery = (await owner.post(f"/v1/webhooks/{hook['id']}/test")).json()
    return PATH | {"webhook_id": hook["id"], "delivery_id": delivery["id"]}


async def aimed(owner: httpx.AsyncClient) -> Ids:
    """A target of the owner's."""
    return PATH | {"target_id": (await owner.post("/v1/targets", json=TARGET)).json()["id"]}


async def registered(owner: httpx.AsyncClient) -> Ids:
    """An empty source of the owner's."""
    own = SOURCE | {"include": [f"no such file {token_hex(4)}"]}  # the same place twice is refused
    source = (await owner.post("/v1/sources", json=own)).json()
    return PATH | {"source_id": source["id"]}


async def with_schema(owner: httpx.AsyncClient) -> Ids:
    """A job of the owner's with one read document and a schema of its values."""
    answer = await owner.post("/v1/parse", files=files(PDF, part="file"), data={"extract_schema": '{"type": "object"}'})
    body = answer.json()
    return {"job_id": body["job"]["id"], "document_id": body["tree"]["document_id"]}


async def failed(owner: httpx.AsyncClient) -> Ids:
    """A job of the owner's whose one document could not be read."""
    answer = await owner.post("/v1/jobs", files=files(b"no document"))
    job = answer.json()
    await owner.get(f"/v1/jobs/{job['id']}?wait=60")
    return {"job_id": job["id"], "document_id": job["pending"][0]["document_id"]}


async def flagged(owner: httpx.AsyncClient) -> Ids:
    """A document of the owner's with an address in its second block."""
    blocks = [TREE["blocks"][0], TREE["blocks"][1] | {"text": "ann@example.com"}]
    job = (await owner.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    return {"job_id": job["id"], "document_id": job["documents"][0]["document_id"], "block_id": "b1"}


async def decided(owner: httpx.AsyncClient) -> Ids:
    """A flag of the owner's with a decision of the owner's."""
    ids = await flagged(owner)
    path = f"/v1/jobs/{ids['job_id']}/documents/{ids['document_id']}/blocks/b1/review"
    said = await owner.post(path, json={"flag": "pii:email", "decision": "approved"})
    return {"act": said.json()["act"]}


async def stored(owner: httpx.AsyncClient) -> Ids:
    """A schema of the owner's with a taught label."""
    schema = {"type": "object", "properties": {"total": {"type": "number"}}}
    await owner.post("/v1/schemas", json={"name": "outline", "schema": schema})
    blocks = [TREE["blocks"][0], TREE["blocks"][1] | {"text": "owed 7"}]
    job = (await owner.post("/v1/ingest", json={"tree": TREE | {"blocks": blocks}})).json()
    place = {"document_id": job["documents"][0]["document_id"], "path": "/total", "block_id": "b1", "text": "7"}
    await owner.post("/v1/schemas/outline/corrections", json=place)
    return PATH


def a_pdf(text: str) -> tuple[str, bytes, str]:
    """A part with a document that really can be read."""
    document = pymupdf.open()
    document.new_page().insert_text((72, 90), text)
    return (f"{text}.pdf", bytes(document.tobytes()), "application/pdf")


UPLOAD = {"files": files(PDF)}
ROWS: dict[str, Row] = {
    **{id: Row(200) for id, operation in OPERATIONS.items() if operation.path in OUTPUT_PATHS},
    "get_stats": Row(200),
    "get_license": Row(200),
    "create_job": Row(201, UPLOAD),
    "create_upload": Row(409, {"json": {"name": "a.pdf", "bytes": 9}}),  # no bucket here
    "list_jobs": Row(200),
    "get_job": Row(200),
    "delete_job": Row(204),
    "cancel_job": Row(200),
    "stream_job_events": Row(200),
    "list_documents": Row(200),
    "list_all_documents": Row(200),
    "get_document": Row(200),
    "delete_document": Row(204),
    "list_dead_letters": Row(200),
    "requeue_document": Row(201, make=failed),
    "get_asset": Row(200),
    "get_page": Row(200),
    "list_flag_boxes": Row(200),
    "get_original": Row(409, {"params": {"redacted": "true"}}),
    "parse": Row(200, {"files": files(PDF, part="file")}),
    "ingest": Row(201, {"json": {"tree": TREE}}),
    "get_coverage": Row(200),
    "get_usage": Row(200),
    "export_by_plugin": Row(404),  # no plugin here
    "create_source": Row(201, {"json": SOURCE}),
    "list_sources": Row(200),
    "get_source": Row(200, make=registered),
    "delete_source": Row(204, make=registered),
    "sync_source": Row(200, make=registered),
    "list_audit": Row(200),
    "erase_person": Row(200, {"json": {"value": "ann@example.com"}}),
    "create_webhook": Row(201, {"json": {"url": "http://8.8.8.8/hook"}}),
    "list_webhooks": Row(200),
    "list_deliveries": Row(200),
    "delete_webhook": Row(204, make=hooked),
    "test_webhook": Row(202, make=hooked),
    "rotate_webhook": Row(200, make=hooked),
    "enable_webhook": Row(200, make=hooked),
    "redeliver": Row(202, make=hooked),
    "create_target": Row(201, {"json": TARGET}),
    "check_target": Row(204, {"json": TARGET}),
    "check_source": Row(204, {"json": SOURCE}),
    "list_targets": Row(200),
    "get_target": Row(200, make=aimed),
    "change_target": Row(200, {"json": {"paused": True}}, make=aimed),
    "delete_target": Row(204, make=aimed),
    "backfill_target": Row(202, make=aimed),
    "list_target_dead_letters": Row(200, make=aimed),
    "retry_target": Row(202, make=aimed),
    "export_tables": Row(200),
    "export_finetune": Row(200, {"params": {"redacted": "false"}}),
    "download_job": Row(200),
    "export_all_tables": Row(404, {"params": {"document_id": new_document_id()}}),
    "get_changes": Row(404),
    "set_principals": Row(200, {"json": {"principals": ["group:sales"]}}),
    "download_documents": Row(404, {"params": {"document_id": new_document_id()}}),
    "list_job_review": Row(200),
    "review_job": Row(200, {"json": {"decision": "approved"}}),
    "list_review": Row(200),
    "list_review_counts": Row(200),
    "count_documents": Row(200),
    "list_doubtful": Row(200),
    "review_reading": Row(200, {"json": {"decision": "seen"}}),
    "search": Row(409, {"params": {"q": "ropes"}}),
    "list_tables": Row(200),
    "query_tables": Row(409, {"json": {"sql": "select 1"}}),
    "review_block": Row(200, {"json": {"flag": "pii:email", "decision": "approved"}}, make=flagged),
    "undo_review": Row(200, make=decided, by_caller=True),
    "compare": Row(200, {"files": {"a": a_pdf("one"), "b": a_pdf("two")}}),
    "evaluate": Row(200, {"files": {"files": a_pdf("one")}}),
    "store_schema": Row(201, {"json": {"name": "bill", "schema": {"type": "object"}}}),
    "list_schemas": Row(200),
    "get_schema": Row(200, make=stored),
    "delete_schema": Row(204, make=stored),
    "correct_value": Row(
        404, {"json": {"document_id": new_document_id(), "path": "/total", "block_id": "b1"}}, make=stored
    ),
    "delete_label": Row(204, {"params": {"path": "/total", "label": "owed"}}, make=stored),
    "extract": Row(200, {"files": {"file": a_pdf("one")}, "data": {"schema": '{"type": "object"}'}}),
    "get_extracted": Row(200, make=with_schema),
}
OPEN = {"get_health", "get_token", "get_metrics"}
"""Judged by tests of their own: liveness is for everybody, the token has its own rules (`test_system.py`)."""

CALLERS = {"read": "acme-read", "write": "acme-write", "admin": "acme-admin"}


@asynccontextmanager
async def everything(store: Store, dsn: str) -> AsyncIterator[FastAPI]:
    """An app at work whose key `acme-gone` was revoked while it ran."""
    resources = make_resources(store, dsn=dsn, keys=ring_of(f"{KEYS},gone=acme-gone"), flag_tree=SCAN)
    async with serving(resources) as app:
        resources.keys.replace(ring_of(KEYS))
        with reading(store):
            yield app


async def call(caller: httpx.AsyncClient, id: str, ids: Ids, **more: Any) -> httpx.Response:
    operation = OPERATIONS[id]
    return await caller.request(operation.method, operation.path.format(**ids), **more, **ROWS[id].request)


async def test_every_route_of_the_description_has_a_row(store: Store) -> None:
    async with serving(make_resources(store)) as app:
        paths = app.openapi()["paths"]
    described = [operation["operationId"] for operations in paths.values() for operation in operations.values()]
    assert sorted(described) == sorted(ROWS.keys() | OPEN)
    assert described == list(dict.fromkeys(described))


@pytest.mark.parametrize("id", ROWS)
async def test_route_serves_permitted_keys_only(store: Store, dsn: str, id: str) -> None:
    row, needed = ROWS[id], OPERATIONS[id].needed
    assert needed is not None
    async with everything(store, dsn) as app, client_of(app, "acme-admin") as owner:
        for key in (None, "", "nope", "acme-gone", "ACME-ADMIN", "acme-admin "):
            async with client_of(app, key) as caller:
                assert (await call(caller, id, await row.make(owner))).status_code == 401, key
        for scope, key in CALLERS.items():
            async with client_of(app, key) as caller:
                allowed = KeyScope(scope).covers(needed)
                ids = await row.make(caller if row.by_caller and allowed else owner)
                answer = await call(caller, id, ids)
            expected = row.status if allowed else 403
            assert answer.status_code == expected, (scope, answer.text)


@pytest.mark.parametrize("id", [id for id in ROWS if "{" in OPERATIONS[id].path])
async def test_foreign_and_unknown_ids_answer_with_the_same_bytes(store: Store, dsn: str, id: str) -> None:
    row = ROWS[id]
    async with everything(store, dsn) as app, client_of(app, "acme-admin") as owner:
        mine = await row.make(owner)
        strangers = [
            client_of(app, "zeta-all"),
            client_of(app, "acme-admin", org="elsewhere"),
            client_of(app, "zeta-all", org="default"),
        ]
        for stranger in strangers:
            async with stranger as caller:
                foreign = await call(caller, id, mine)
                missing = await call(caller, id, unknown())
                malformed = await call(caller, id, mine | {"job_id": "x", "document_id": "x"})
            assert [answer.status_code for answer in (foreign, missing, malformed)] == [404, 404, 404]
            assert foreign.content == missing.content == malformed.content
            assert foreign.headers.keys() == missing.headers.keys()
        assert (await call(owner, id, mine)).status_code == row.status


@pytest.mark.parametrize("org", ["*", "", "A", "a" * 64, "ｏrg"])
async def test_invalid_organisation_name_is_422_everywhere(store: Store, dsn: str, org: str) -> None:
    async with everything(store, dsn) as app, client_of(app, "acme-admin") as owner:
        ids = unknown() | await finished(owner)
        for id in ROWS:
            headers = {b"X-DE-Org": org.encode()}
            answer = await call(owner, id, ids, headers=headers)
            assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-org"), id


async def test_listings_show_ones_own_tenant_and_org_only(store: Store, dsn: str) -> None:
    async with everything(store, dsn) as app, client_of(app, "acme-admin") as owner:
        mine = await finished(owner)
        for key, org, expected in (
            ("acme-read", None, [mine["job_id"]]),
            ("acme-read", "default", [mine["job_id"]]),
            ("acme-read", "elsewhere", []),
            ("zeta-all", None, []),
        ):
            async with client_of(app, key, org=org) as caller:
                assert [job["id"] for job in (await caller.get("/v1/jobs")).json()] == expected


async def test_a_cursor_of_another_tenant_is_refused(store: Store, dsn: str) -> None:
    async with everything(store, dsn) as app, client_of(app, "acme-admin") as owner:
        for _ in range(2):
            await finished(owner)
        cursor = (await owner.get("/v1/jobs?limit=1")).headers["x-next-cursor"]
        for key, org in (("zeta-all", None), ("acme-read", "elsewhere")):
            async with client_of(app, key, org=org) as caller:
                answer = await caller.get("/v1/jobs", params={"cursor": cursor})
            assert answer.status_code == 422

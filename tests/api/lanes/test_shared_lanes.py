"""One tenant at twenty times the capacity of a lane, all its calls hanging: every operation of another one answers."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from quire.models.cdom.ports import SqlAnswer
from quire.models.cdom.search import SearchHit, SearchRequest
from quire.serve_apps.api.context.app_state import AppState
from quire.serve_apps.api.context.resources import ApiLimits, Ports
from quire.serve_apps.api.http.middleware import OuterMiddleware
from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.serve_apps.api.lanes.fair_places import TENANT, FairPlaces, Overloaded
from quire.storage.store import Store
from quire.storage.targets.opening import TargetKinds
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import JobId, Scope
from quire.storage.webhooks.egress import Egress
from tests.api.harness import PDF, TREE, Eyes, Painter, Sink, client_of, files, make_resources, reading, serving
from tests.api.jobs.test_by_url import good, site
from tests.ui.papers import PATTERN_SCAN
from tests.waiting import PATIENCE_S

TIMES = 20
LANES = (
    *("sql", "disk", "ingests", "heavy", "queries", "streams", "downloads", "checks", "models"),
    *("drawing", "redacting", "searching", "scans._lane", "syncs._lane", "ephemeral._places", "work._places"),
)
SCANNING = ("sql", "disk", "redacting", "scans._lane", "work._places")
"""Lanes of redacted outputs."""


class Rows:
    def run(self, statement: str, cells: Iterable[bytes], *, max_rows: int) -> SqlAnswer:
        return SqlAnswer(columns=(("n", "integer"),), rows=((1,),), is_truncated=False)


class Library:
    async def search(self, request: SearchRequest) -> list[SearchHit] | None:
        return []

    async def check(self) -> float:
        return 0.0


class Redactor:
    async def redact_original(self, *_: Any) -> bytes:
        return PDF


def lane(running: AppState, name: str) -> Bulkhead | FairPlaces:
    found: Any = running
    for part in name.split("."):
        found = getattr(found, part)
    assert isinstance(found, Bulkhead | FairPlaces)
    return found


async def hang(places: Bulkhead | FairPlaces, until: threading.Event, ended: asyncio.Event) -> None:
    """Hold a place for the tenant `acme`, or be refused."""
    TENANT.set("acme")
    with suppress(Overloaded, StoreUnavailable):  # checks of targets end after five seconds
        if isinstance(places, Bulkhead):
            await places.run(until.wait, 10 * PATIENCE_S)
        else:
            async with places.entered():
                await ended.wait()


@pytest.fixture
async def app(store: Store, dsn: str) -> AsyncIterator[FastAPI]:
    ports = Ports(render_page=Painter(), read_once=Eyes(), sql=Rows(), search=Library(), redact_original=Redactor())
    with site(*[good()] * 9) as url, reading(store):
        resources = make_resources(
            store,
            dsn=dsn,
            ports=ports,
            redaction_scan=PATTERN_SCAN,
            targets=TargetKinds(plugged={"sink": Sink}),
            download_egress=Egress([url.split("/")[2]]),
            limits=ApiLimits(read_timeout_s=PATIENCE_S),
        )
        async with serving(resources) as running:
            running.state.site = url
            yield running


async def all_operations(app: FastAPI, client: httpx.AsyncClient, *, is_scanned: bool = True) -> dict[str, int]:
    """Return the status of each operation of a tenant, over all lanes. A scan takes seconds of CPU."""
    job = (await client.post("/v1/jobs", files=files(PDF))).json()
    statuses = {"upload": 201, "wait": (await client.get(f"/v1/jobs/{job['id']}", params={"wait": 60})).status_code}
    document = (await client.get(f"/v1/jobs/{job['id']}")).json()["documents"][0]["document_id"]
    place = f"/v1/jobs/{job['id']}/documents/{document}"
    reads = ["/v1/health?deep=true", "/v1/stats", "/v1/jobs", "/v1/documents", "/v1/documents/counts", "/v1/usage"]
    reads += [f"/v1/jobs/{job['id']}/{path}" for path in ("documents", "events", "archive", "export/finetune")]
    reads += [
        f"/v1/archive?document_id={document}",
        f"/v1/documents/tables.parquet?document_id={document}",
        "/v1/search?q=a",
        "/v1/audit",
    ]
    outputs = ["tree", "coverage", "chunks", "fields", "semantics", "tables", "original", "pages/1", "pages/1/flags"]
    outputs += ["assets/p1-1.png"]
    if is_scanned:
        outputs += ["original?redacted=true", "export/markdown?redacted=true", "tree?redacted=true"]
    outputs += [f"export/{kind}" for kind in ("html", "docx", "markdown", "graph", "context")]
    for path in [*reads, *(f"{place}/{output}" for output in outputs)]:
        statuses[path.replace(job["id"], "JOB").replace(document, "DOC")] = (await client.get(path)).status_code
    two = {"a": ("a.txt", b"First line."), "b": ("b.txt", b"Second line.")}
    sent = {
        "parse": client.post("/v1/parse", files=files(PDF, part="file")),
        "url": client.post("/v1/jobs", json={"url": f"{app.state.site}/a.pdf"}),
        "ingest": client.post("/v1/ingest", json={"tree": TREE}),
        "sql": client.post("/v1/sql", json={"sql": "select 1"}),
        "compare": client.post("/v1/compare", files=two),
        "evaluate": client.post("/v1/evaluate", files=files(PDF)),
        "target": client.post("/v1/targets", json={"kind": "sink"}),
        "delete": client.delete(f"/v1/jobs/{job['id']}"),
    }
    for name, request in sent.items():
        statuses[name] = (await request).status_code
    return statuses


def test_all_lanes_are_named(store: Store) -> None:
    running = AppState(make_resources(store))
    owned = [running, running.scans, running.syncs, running.ephemeral, running.work]
    shared = {
        id(value) for owner in owned for value in vars(owner).values() if isinstance(value, Bulkhead | FairPlaces)
    }
    assert {id(lane(running, name)) for name in LANES} == shared


@pytest.mark.parametrize("lanes", [LANES[start : start + 3] for start in range(0, len(LANES), 3)], ids=", ".join)
async def test_another_tenant_is_served_when_one_fills_a_lane(app: FastAPI, lanes: tuple[str, ...]) -> None:
    async with client_of(app, "zeta-all") as zeta:
        calm = await all_operations(app, zeta)
        assert [name for name, status in calm.items() if status >= 400] == []
        for name in lanes:
            flooded = await operations_beside_flood(app, zeta, name)
            assert {call: status for call, status in flooded.items() if status != calm[call]} == {}, name


async def operations_beside_flood(app: FastAPI, client: httpx.AsyncClient, name: str) -> dict[str, int]:
    """Return the status of each operation of a tenant while another one fills a lane."""
    until, ended, places = threading.Event(), asyncio.Event(), lane(app.state.running, name)
    inner = places._places if isinstance(places, Bulkhead) else places
    capacity = inner._most_waiting + inner._free
    flood = [asyncio.create_task(hang(places, until, ended)) for _ in range(TIMES * capacity)]
    try:
        return await all_operations(app, client, is_scanned=name in SCANNING)
    finally:
        until.set()
        ended.set()
        await asyncio.gather(*flood)


async def test_one_tenant_has_half_of_the_waiters(app: FastAPI) -> None:
    waiters = app.state.running.waiters

    async def wait_in_vain() -> None:
        TENANT.set("acme")
        with suppress(Overloaded):
            await waiters.until("job_x", PATIENCE_S, lambda: asyncio.sleep(0))

    flood = [asyncio.create_task(wait_in_vain()) for _ in range(TIMES * 512)]
    async with client_of(app, "zeta-all") as zeta:
        parsed = await zeta.post("/v1/parse", files=files(PDF, part="file"))
        job = parsed.headers.get("location", "")
    assert sum(not task.done() for task in flood) == 256
    assert parsed.status_code == 200, job
    for task in flood:
        task.cancel()


async def test_one_tenant_has_half_of_the_bytes_in_flight() -> None:
    outer = OuterMiddleware(lambda *_: asyncio.sleep(0), body_cap=lambda _: 1000, max_inflight_bytes=1000)
    admitted = 0
    for _ in range(TIMES):
        with suppress(Overloaded):
            admitted += outer._admit("acme", 1000, 100)
    assert admitted == 500
    assert outer._admit("zeta", 1000, 500) == 500


async def test_jobs_of_tenants_are_read_in_turn(app: FastAPI) -> None:
    answers = app.state.running.job_answers
    answers._waiting = {(Scope(tenant="acme", org="a"), JobId(f"job_{number}")): [] for number in range(TIMES * 32)}
    answers._waiting[Scope(tenant="zeta", org="z"), JobId("job_z")] = []
    assert [scope.tenant for scope, _ in answers._in_turn()][:2] == ["acme", "zeta"]

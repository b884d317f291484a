"""Health, stats, licence and token through HTTP."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from quire.models.cdom.ports import PortUnavailable, QueueState
from quire.models.cdom.version import SERVICE_VERSION
from quire.serve_apps.access.default_token import DefaultToken, load_default_token
from quire.serve_apps.access.keys import KeyRing, default_key
from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.api.context.resources import ApiLimits, Ports
from quire.serve_apps.api.shapes.bodies import HealthBody, LicenseBody, StatsBody, TokenBody
from quire.storage.objects.durable_files import UPLOAD_ROOM
from quire.storage.objects.marks import Mark, MarkedStore
from quire.storage.store import Store, open_store
from quire.storage.values.errors import StoreUnavailable
from tests.api.harness import PDF, a_license, client_of, files, make_resources, serving

NOWHERE = "host=127.0.0.1 port=1 dbname=none user=none connect_timeout=1"
LOCAL = {"Host": "127.0.0.1:8000"}


@pytest.fixture
async def lost_database(tmp_path: Path) -> AsyncIterator[FastAPI]:
    """An app whose database is not there."""
    store = open_store(NOWHERE, tmp_path, signing_key=b"k" * 32)
    async with serving(make_resources(store, dsn=NOWHERE, limits=ApiLimits(read_timeout_s=0.5))) as app:
        yield app
    store.close()


async def test_liveness_needs_neither_key_nor_database(lost_database: FastAPI) -> None:
    async with client_of(lost_database, key="wrong") as caller:
        answer = await caller.get("/v1/health")
    body = HealthBody.model_validate_json(answer.content)
    assert (answer.status_code, body.status, body.version, body.checks) == (200, "ok", SERVICE_VERSION, None)


async def test_readiness_lists_each_check(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/health?deep=true")
    body = HealthBody.model_validate_json(answer.content)
    assert answer.status_code == 200
    assert body.checks is not None
    assert {name: check.status for name, check in body.checks.items()} == {
        "job_store": "ok",
        "disk": "ok",
        "originals": "ok",
        "search_index": "ok",
        "index_queue": "ok",
        "reading_queue": "ok",
    }
    assert (body.checks["search_index"].detail, body.checks["index_queue"].detail) == ("off", "off")


async def test_a_lost_database_is_503_with_retry_after_and_never_500(lost_database: FastAPI) -> None:
    async with client_of(lost_database) as caller:
        health = await caller.get("/v1/health?deep=true")
        job = await caller.get("/v1/jobs/job_aaaaaaaaaaaaaaaaaaaaaaaaaa")
        submit = await caller.post("/v1/jobs", files=files(PDF))
    assert [answer.status_code for answer in (health, job, submit)] == [503, 503, 503]
    assert all(int(answer.headers["retry-after"]) >= 1 for answer in (health, job, submit))
    assert health.json()["checks"]["job_store"]["status"] == "failed"
    assert job.json()["code"] == "unavailable"
    assert "127.0.0.1" not in job.text


@pytest.mark.parametrize("free", [0, 10_000_000, 200_000_000, UPLOAD_ROOM - 1])
async def test_nearly_full_disk_refuses_uploads_only(
    client: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    sent = await client.post("/v1/jobs", files=files(PDF))
    monkeypatch.setattr("quire.storage.objects.durable_files.free_bytes", lambda folder: free)
    refused = await client.post("/v1/jobs", files=files(PDF))
    health = await client.get("/v1/health?deep=true")
    deleted = await client.delete(f"/v1/jobs/{sent.json()['id']}")
    missing = f"disk full: {(UPLOAD_ROOM - free) / 1e6:.1f} MB more must be free to accept documents"
    assert (refused.status_code, refused.json()["code"], refused.json()["detail"]) == (507, "disk-full", missing)
    assert (health.status_code, health.json()["checks"]["disk"]["detail"]) == (503, missing)
    assert deleted.status_code in (204, 409)  # 409: the job is still queued, which is an answer of a working database
    monkeypatch.undo()
    assert (await client.post("/v1/jobs", files=files(PDF))).status_code == 201


class StandingQueue:
    def __init__(self, standing_s: float | None) -> None:
        self._standing_s = standing_s

    async def queue_state(self) -> QueueState:
        if self._standing_s is None:
            raise PortUnavailable("embedder")
        return QueueState(waiting=640, standing_s=self._standing_s)


@pytest.mark.parametrize(
    ("standing_s", "status", "detail"),
    [
        (2.0, 200, "640 chunks wait"),
        (61.0, 503, "does not move; 640 chunks wait"),
        (None, 200, "the embedder does not answer; documents wait"),
    ],
)
async def test_index_queue_that_does_not_move_fails_readiness(
    store: Store, standing_s: float | None, status: int, detail: str
) -> None:
    ports = Ports(index_queue=StandingQueue(standing_s))
    async with serving(make_resources(store, ports=ports)) as app, client_of(app) as caller:
        answer = await caller.get("/v1/health?deep=true")
    assert (answer.status_code, answer.json()["checks"]["index_queue"]["detail"]) == (status, detail)


class SilentCluster:
    async def cluster_state(self) -> dict[str, object]:
        raise PortUnavailable("cluster")


async def test_a_silent_cluster_is_a_warning_and_no_failure(store: Store) -> None:
    ports = Ports(cluster_state=SilentCluster())
    async with serving(make_resources(store, ports=ports)) as app, client_of(app) as caller:
        answer = await caller.get("/v1/health?deep=true")
    assert (answer.status_code, answer.json()["warnings"]) == (200, ["the cluster does not answer"])


async def test_stats_count_the_whole_queue_but_only_ones_own_jobs(app: FastAPI) -> None:
    async with client_of(app) as acme, client_of(app, "zeta-all") as zeta:
        await acme.post("/v1/jobs", files=files(PDF, PDF))
        await zeta.post("/v1/jobs", files=files(PDF))
        mine = StatsBody.model_validate_json((await zeta.get("/v1/stats")).content)
    assert mine.queue_tasks == 3
    assert {status.value: count for status, count in mine.my_jobs.items() if count} == {"queued": 1}


@pytest.mark.usefixtures("reader")
async def test_the_licence_counts_pages_of_finished_documents(client: httpx.AsyncClient) -> None:
    await client.post("/v1/parse", files=files(PDF, part="file"))
    body = LicenseBody.model_validate_json((await client.get("/v1/license")).content)
    assert (body.licensed, body.plan, body.pages_used_this_month, body.days_left) == (True, "test", 1, 29)


async def test_an_expired_licence_stops_intake_and_nothing_else(store: Store) -> None:
    now = datetime.now(UTC)
    holder = LicenseHolder(a_license(expires_at=now - timedelta(seconds=1)), {})
    async with serving(make_resources(store, license=holder)) as app, client_of(app) as caller:
        submit = await caller.post("/v1/jobs", files=files(PDF))
        listing = await caller.get("/v1/jobs")
        status = await caller.get("/v1/license")
    assert (submit.status_code, submit.json()["code"]) == (402, "license-expired")
    assert listing.status_code == 200
    assert (status.json()["licensed"], status.json()["refusal"]) == (False, "license-expired")


async def test_a_batch_short_of_quota_is_refused_whole(store: Store) -> None:
    holder = LicenseHolder(a_license(max_pages_per_month=2), {})
    async with serving(make_resources(store, license=holder)) as app, client_of(app) as caller:
        answer = await caller.post("/v1/jobs", files=files(PDF, PDF, PDF))
        stats = await caller.get("/v1/stats")
        small = await caller.post("/v1/jobs", files=files(PDF, PDF))
    assert (answer.status_code, answer.json()["code"]) == (402, "page-quota")
    assert stats.json()["queue_tasks"] == 0
    assert small.status_code == 201


async def test_callers_at_one_moment_get_no_page_more_than_the_quota_holds(store: Store) -> None:
    holder = LicenseHolder(a_license(max_pages_per_month=5), {})
    async with serving(make_resources(store, license=holder)) as app, client_of(app) as caller:
        answers = await asyncio.gather(*(caller.post("/v1/jobs", files=files(PDF)) for _ in range(16)))
        stats = await caller.get("/v1/stats")
    assert Counter(answer.status_code for answer in answers) == {201: 5, 402: 11}
    assert stats.json()["queue_tasks"] == 5


@pytest.mark.parametrize(
    ("key", "peer", "headers", "status"),
    [
        ("the-token", "203.0.113.7", {}, 200),
        (None, "127.0.0.1", LOCAL, 200),
        (None, "::1", {"Host": "[::1]:8000"}, 200),
        (None, "203.0.113.7", LOCAL, 403),
        (None, "127.0.0.1", {"Host": "evil.example"}, 403),
        (None, "127.0.0.1", LOCAL | {"X-Forwarded-For": "127.0.0.1"}, 403),
        (None, "127.0.0.1", LOCAL | {"Forwarded": "for=127.0.0.1"}, 403),
        ("wrong", "127.0.0.1", LOCAL, 401),
        ("", "127.0.0.1", LOCAL, 401),
        (None, "127.0.0.1", LOCAL | {"X-DE-Org": "*"}, 422),
    ],
)
async def test_the_token_is_shown_to_admins_and_to_callers_on_this_machine(
    store: Store, key: str | None, peer: str, headers: dict[str, str], status: int
) -> None:
    resources = make_resources(store, keys=KeyRing([default_key("the-token")]), default_token=DefaultToken("the-token"))
    async with serving(resources) as app, client_of(app, key, peer=peer) as caller:
        answer = await caller.get("/v1/token", headers=headers)
    assert answer.status_code == status
    if status == 200:
        body = TokenBody.model_validate_json(answer.content)
        assert (body.token, body.scopes) == ("the-token", ["read", "write", "admin"])
    else:
        assert "the-token" not in answer.text


@pytest.mark.parametrize(("key", "status"), [("acme-admin", 409), ("acme-read", 403), ("acme-write", 403)])
async def test_operator_keys_leave_no_default_token(app: FastAPI, key: str, status: int) -> None:
    async with client_of(app, key) as caller:
        assert (await caller.get("/v1/token")).status_code == status


async def test_loopback_shows_nothing_where_every_caller_looks_local(store: Store) -> None:
    for limits in (ApiLimits(loopback_token=False), ApiLimits(trusted_proxies=("127.0.0.1",))):
        resources = make_resources(store, default_token=DefaultToken("the-token"), limits=limits)
        async with serving(resources) as app, client_of(app, None, peer="127.0.0.1") as caller:
            assert (await caller.get("/v1/token", headers=LOCAL)).status_code == 403


def test_a_default_token_is_minted_once_and_kept_private(tmp_path: Path) -> None:
    path = tmp_path / "token"
    first = load_default_token(path)
    assert load_default_token(path) == first
    assert len(first.token) > 40
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["token"]


async def test_bucket_that_is_gone_fails_readiness(store: Store) -> None:
    class Gone(MarkedStore):
        def read(self) -> Mark | None:
            raise StoreUnavailable("bucket")

    lost = replace(store, marked=(Gone("bucket", "/nowhere"),))
    async with serving(make_resources(lost)) as app, client_of(app) as caller:
        answer = await caller.get("/v1/health?deep=true")
    check = answer.json()["checks"]["originals"]
    assert (answer.status_code, check["detail"]) == (503, "uploads cannot be stored (unavailable)")


async def test_reading_queue_without_readers_fails_readiness(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await client.post("/v1/jobs", files=files(PDF))
    assert (await client.get("/v1/health?deep=true")).json()["checks"]["reading_queue"]["detail"] == "moves"
    monkeypatch.setattr("quire.storage.jobs.stats.STANDING_S", 0.0)
    await asyncio.sleep(1.1)  # an answer is kept for a second
    answer = await client.get("/v1/health?deep=true")
    assert (answer.status_code, answer.json()["checks"]["reading_queue"]["status"]) == (503, "failed")


async def test_refused_licence_token_is_shown_until_a_good_one_comes(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    holder = LicenseHolder(a_license(), {}, read_token=lambda: "not a token")
    async with serving(make_resources(store, license=holder)) as app, client_of(app) as caller:
        holder.refresh()
        holder.refresh()
        body = LicenseBody.model_validate_json((await caller.get("/v1/license")).content)
    assert body.licensed
    assert body.token_refusal is not None
    assert len([line for line in caplog.messages if "licence token is refused" in line]) == 1

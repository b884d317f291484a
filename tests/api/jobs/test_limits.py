"""Limits at the door: requests a minute, unknown keys from one address, bytes of one organisation, keys that change."""

import asyncio
from typing import Any

import httpx
import pytest

from quire.serve_apps.access.failed_auth_limiter import BURST
from quire.serve_apps.access.keys import digest_secret
from quire.serve_apps.access.stored_keys import keys_in_force
from quire.serve_apps.api.context import app_state as running
from quire.serve_apps.api.context.resources import ApiLimits
from quire.storage.access.api_keys import add_key, list_keys, revoke_key
from quire.storage.store import Store
from tests.api.harness import PDF, TREE, client_of, files, make_resources, serving
from tests.api.keys import ring_of
from tests.waiting import PATIENCE_S


async def test_a_key_over_its_limit_gets_429_with_an_honest_retry_after(store: Store) -> None:
    limits = ApiLimits(rate_limit_rpm=60)
    async with serving(make_resources(store, limits=limits)) as app, client_of(app, "acme-read") as caller:
        statuses = [(await caller.get("/v1/stats")).status_code for _ in range(14)]
        assert statuses[:10] == [200] * 10
        assert statuses[-1] == 429
        refused = await caller.get("/v1/stats")
        assert refused.json()["code"] == "rate-limited"
        async with client_of(app, "zeta-all") as other:
            assert (await other.get("/v1/stats")).status_code == 200
        await asyncio.sleep(int(refused.headers["retry-after"]))
        assert (await caller.get("/v1/stats")).status_code == 200


async def test_health_has_no_limit(store: Store) -> None:
    async with (
        serving(make_resources(store, limits=ApiLimits(rate_limit_rpm=1))) as app,
        client_of(app, None) as caller,
    ):
        assert {(await caller.get("/v1/health")).status_code for _ in range(30)} == {200}


async def test_an_address_with_many_unknown_keys_is_refused_and_others_are_not(store: Store) -> None:
    limits = ApiLimits(rate_limit_rpm=1000)
    async with serving(make_resources(store, limits=limits)) as app:
        async with client_of(app, "nope") as stranger:
            statuses = [(await stranger.get("/v1/stats")).status_code for _ in range(25)]
        assert (statuses[0], statuses[-1]) == (401, 429)
        async with client_of(app, "acme-read", peer="198.51.100.2") as caller:
            assert (await caller.get("/v1/stats")).status_code == 200
        async with client_of(app, "nope", peer="127.0.0.1") as local:
            assert {(await local.get("/v1/stats")).status_code for _ in range(25)} == {401}


async def test_unknown_keys_are_counted_by_the_forwarded_address(store: Store) -> None:
    limits = ApiLimits(rate_limit_rpm=1000, trusted_proxies=("10.0.0.0/8",))
    resources = make_resources(store, limits=limits)
    async with serving(resources) as app, client_of(app, "nope", peer="10.0.0.1") as proxy:
        for number in range(20):
            guesser = {"X-Forwarded-For": f"198.51.100.{number}"}
            statuses = [(await proxy.get("/v1/stats", headers=guesser)).status_code for _ in range(25)]
            assert (statuses[0], statuses[-1]) == (401, 429)


async def test_unknown_keys_are_counted_over_all_replicas(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "PER_MINUTE", 0.01)  # no refused key is forgotten during the test
    resources = make_resources(store, limits=ApiLimits(rate_limit_rpm=1000))
    async with (
        serving(resources) as one,
        serving(resources) as other,
        client_of(one, "nope") as first,
        client_of(other, "nope") as second,
    ):
        statuses = [
            (await client.get("/v1/stats")).status_code for _ in range(BURST // 2) for client in (first, second)
        ]
        assert statuses == [401] * BURST
        refused = [await client.get("/v1/stats") for client in (first, second)]
        assert [answer.status_code for answer in refused] == [429, 429]
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)


async def test_an_organisation_over_its_disk_gets_507(store: Store) -> None:
    limits = ApiLimits(org_disk_bytes=len(PDF) * 2)
    async with serving(make_resources(store, limits=limits)) as app, client_of(app) as caller:
        assert (await caller.post("/v1/jobs", files=files(PDF, PDF))).status_code == 201
        refused = await caller.post("/v1/jobs", files=files(PDF))
        assert (refused.status_code, refused.json()["code"]) == (507, "org-disk-full")
        async with client_of(app, org="elsewhere") as other:
            assert (await other.post("/v1/jobs", files=files(PDF))).status_code == 201


@pytest.mark.parametrize("door", ["jobs", "ingest"])
async def test_an_answer_is_given_again_to_its_key_where_the_disk_is_full_since(store: Store, door: str) -> None:
    """The cap belongs to the first call: its answer stands, and brings nothing."""
    sent: dict[str, Any] = {"files": files(PDF, PDF)} if door == "jobs" else {"json": {"tree": TREE}}
    async with serving(make_resources(store)) as app, client_of(app) as caller:
        first = await caller.post(f"/v1/{door}", headers={"Idempotency-Key": "once"}, **sent)
        assert first.status_code == 201, first.text
    async with serving(make_resources(store, limits=ApiLimits(org_disk_bytes=1))) as app, client_of(app) as caller:
        again = await caller.post(f"/v1/{door}", headers={"Idempotency-Key": "once"}, **sent)
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true"), again.text
        assert again.json()["id"] == first.json()["id"]
        fresh = await caller.post(f"/v1/{door}", headers={"Idempotency-Key": "another"}, **sent)
        assert (fresh.status_code, fresh.json()["code"]) == (507, "org-disk-full")


async def test_keys_are_added_and_revoked_while_the_service_runs(store: Store) -> None:
    async with serving(make_resources(store)) as app, client_of(app, "fresh-secret") as fresh:
        assert (await fresh.get("/v1/stats")).status_code == 401
        add_key(store.db, "fresh", "read", digest_secret("fresh-secret"))
        await app.state.running._load_keys()
        assert (await fresh.get("/v1/stats")).status_code == 200
        assert (await fresh.post("/v1/jobs", files=files(PDF))).status_code == 403
        revoke_key(store.db, "fresh", "read")
        revoke_key(store.db, "zeta", "admin", digest_secret("zeta-all"))
        await app.state.running._load_keys()
        assert (await fresh.get("/v1/stats")).status_code == 401
        async with client_of(app, "zeta-all") as configured:
            assert (await configured.get("/v1/stats")).status_code == 401
        async with client_of(app, "acme-read") as other:
            assert (await other.get("/v1/stats")).status_code == 200


async def becomes(status: int, caller: httpx.AsyncClient) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (await caller.get("/v1/stats")).status_code != status:
            await asyncio.sleep(0.01)


async def test_all_replicas_learn_of_new_keys_without_polling(
    store: Store, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_KEYS_WATCH_S", 3600.0)
    async with (
        serving(make_resources(store, dsn=dsn)) as one,
        serving(make_resources(store, dsn=dsn)) as other,
        client_of(one, "fresh-secret") as first,
        client_of(other, "fresh-secret") as second,
    ):
        assert (await first.get("/v1/stats")).status_code == 401
        add_key(store.db, "fresh", "read", digest_secret("fresh-secret"))
        await asyncio.gather(becomes(200, first), becomes(200, second))
        revoke_key(store.db, "fresh", "read")
        await asyncio.gather(becomes(401, first), becomes(401, second))


async def test_without_notices_keys_are_polled(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_KEYS_WATCH_S", 0.02)
    async with serving(make_resources(store)) as app, client_of(app, "fresh-secret") as caller:
        add_key(store.db, "fresh", "read", digest_secret("fresh-secret"))
        await becomes(200, caller)


def test_a_configured_key_and_a_stored_one_are_in_force_together(store: Store) -> None:
    add_key(store.db, "fresh", "write", digest_secret("s"))
    ring = keys_in_force(ring_of("a=b"), list_keys(store.db))
    assert [key.label for key in ring] == ["a", "fresh:write"]

"""document.finished: once per document, signed as the interface says, despite kills in between."""

import asyncio
import hashlib
import hmac
import json
import multiprocessing
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI

from quire.actors.background.webhook_dispatcher import Dispatcher
from quire.serve_apps.console.sending.watcher import Watcher
from quire.serve_apps.console.store.sent import list_outdated
from quire.storage.store import Store
from quire.storage.webhooks.egress import Egress
from quire.storage.webhooks.outbox import StoreOutbox
from tests.api.harness import PDF, files
from tests.conftest import SIGNING_KEY
from tests.packages.console.harness import ENGINE_KEY, Person, a_console, csrf_of, resources_of, sign_up, watch
from tests.packages.console.loops import watch_and_deliver
from tests.storage.receivers import Receiver, receiving
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.long

START_S = 120  # seconds a process may take to start and reach its point on a busy machine
PRIVATE = ["http://127.0.0.1/", "http://localhost/hook", "http://10.0.0.1/", "http://[::1]/", "ftp://example.org/"]


def deliver(store: Store, true: Callable[[], bool]) -> None:
    dispatcher = Dispatcher(StoreOutbox(store, "wrk_test"), Egress(allow=["127.0.0.1"]).post, threads=4, poll_s=0.02)
    dispatcher.start()
    try:
        assert until(true)
    finally:
        dispatcher.drain(PATIENCE_S)


def count_delivered(store: Store) -> int:
    """Deliveries that the log shows as such: the receiver knows of one before its row does."""
    return len(store.db.fetch_all("select 1 from deliveries where state = 'delivered'"))


async def register(person: Person, url: str) -> str:
    answer = await person.pages.post("/api/webhooks", json={"url": url})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["secret"])


@pytest.mark.usefixtures("reader")
async def test_each_document_of_single_and_batch_submits_is_delivered_once(
    ann: Person, store: Store, engine_url: str
) -> None:
    with receiving() as receiver:
        secret = await register(ann, receiver.url)
        await ann.api.post("/v1/parse", files=files(PDF, part="file"))
        batch = (await ann.api.post("/v1/jobs", files=files(PDF, b"none"))).json()
        await ann.api.get(f"/v1/jobs/{batch['id']}?wait=60")
        for _ in range(3):
            await asyncio.to_thread(watch, store, engine_url)
        await asyncio.to_thread(deliver, store, lambda: count_delivered(store) >= 3)
        bodies = [json.loads(got.body) for got in receiver.got]
        for got in receiver.got:
            wanted = hmac.new(secret.encode(), got.body, hashlib.sha256).hexdigest()
            assert got.headers["x-svc-signature"] == f"sha256={wanted}"
            assert got.headers["x-svc-event"] == "document.finished"
    assert len({body["document_id"] for body in bodies}) == len(bodies) == 3
    assert sorted(body["status"] for body in bodies) == ["failed", "succeeded", "succeeded"]
    assert {frozenset(body) for body in bodies} == {
        frozenset({"document_id", "job_id", "filename", "status", "pages", "chunks"})
    }
    for body in bodies:
        assert (await ann.api.get(f"/v1/jobs/{body['job_id']}")).status_code == 200
    log = (await ann.pages.get("/webhooks")).text
    assert log.count("delivered") >= 3


@pytest.mark.parametrize("url", PRIVATE)
async def test_a_private_receiver_is_refused_at_registration(
    store: Store, engine_url: str, tmp_path: Path, url: str
) -> None:
    async with a_console(resources_of(store, engine_url, tmp_path, egress=Egress())) as app:
        ann = await sign_up(app)
        answer = await ann.pages.post("/api/webhooks", json={"url": url})
        page = await ann.pages.post("/webhooks", data={"url": url, "csrf": await csrf_of(ann.pages)})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["body", "url"])
    assert page.status_code == 422
    assert store.db.fetch_all("select id from webhooks") == []


async def test_a_foreign_webhook_can_be_neither_seen_nor_deleted(console: FastAPI, ann: Person, store: Store) -> None:
    with receiving() as receiver:
        await register(ann, receiver.url)
    bob = await sign_up(console, "bob@example.org")
    hook = store.db.fetch_all("select id from webhooks")[0]["id"]
    assert hook not in (await bob.pages.get("/webhooks")).text
    gone = await bob.pages.post(f"/webhooks/{hook}/delete", data={"csrf": await csrf_of(bob.pages)})
    assert gone.status_code == 404


def run_until(target: tuple[object, ...], done: Callable[[], bool], limit_s: float) -> int | None:
    """Starts the loops, waits until they die or are `done`; their exit code, None when they had to be ended."""
    process = multiprocessing.get_context("spawn").Process(target=watch_and_deliver, args=target)
    process.start()
    until(lambda: not process.is_alive() or done(), limit_s)
    alive = process.is_alive()
    if alive:
        process.kill()
    process.join()
    return None if alive else process.exitcode


def expire_leases(store: Store) -> None:
    with store.db.transaction() as conn:
        conn.execute("update console_submissions set look_at = clock_timestamp() where state in ('sending', 'open')")
        conn.execute("update deliveries set next_attempt_at = clock_timestamp() where state = 'pending'")


def count_ids(receiver: Receiver) -> Counter[str]:
    pairs = {(json.loads(got.body)["document_id"], got.headers["webhook-id"]) for got in receiver.got}
    return Counter(document for document, _ in pairs)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("point", ["before-commit:2", "after-commit:1", "after-commit:3"])
async def test_console_killed_at_the_commit_delivers_each_document_once(
    ann: Person, store: Store, dsn: str, engine_url: str, tmp_path: Path, point: str
) -> None:
    with receiving() as receiver:
        await register(ann, receiver.url)
        jobs = [(await ann.api.post("/v1/jobs", files=files(PDF, PDF))).json()["id"] for _ in range(4)]
        for job in jobs:
            await ann.api.get(f"/v1/jobs/{job}?wait=60")
        expire_leases(store)
        given = (dsn, tmp_path / "workdir", (SIGNING_KEY, ENGINE_KEY), engine_url)
        killed = await asyncio.to_thread(run_until, (*given, point), lambda: False, START_S)
        assert killed == -signal.SIGKILL
        expire_leases(store)
        await asyncio.to_thread(run_until, (*given, None), lambda: len(count_ids(receiver)) >= 8, START_S)
        assert count_ids(receiver) == Counter(dict.fromkeys(count_ids(receiver), 1))
        assert len(count_ids(receiver)) == 8
    assert (await ann.api.get("/v1/usage")).json()["pages_this_month"] == 8


@pytest.mark.usefixtures("reader")
async def test_results_of_the_free_plan_are_gone_after_seven_days(ann: Person, store: Store, engine_url: str) -> None:
    job = (await ann.api.post("/v1/jobs", files=files(PDF))).json()
    await ann.api.get(f"/v1/jobs/{job['id']}?wait=60")
    await asyncio.to_thread(watch, store, engine_url)
    watcher = Watcher(store.db, engine_url, ENGINE_KEY)
    for days, removed in ((6.9, 0), (0.2, 1)):
        with store.db.transaction() as conn:
            conn.execute("update console_submissions set ended_at = ended_at - %s * interval '1 day'", (days,))
        assert await asyncio.to_thread(watcher.delete_outdated) == removed
    watcher.drain(PATIENCE_S)
    document = store.db.fetch_all("select document_id, source_file from console_documents")[0]
    assert document["source_file"] == ""
    path = f"/v1/jobs/{job['id']}/documents/{document['document_id']}/tree"
    assert (await ann.api.get(path)).status_code == 404
    assert document["document_id"] not in (await ann.pages.get("/")).text
    assert (await ann.api.get("/v1/usage")).json()["pages_this_month"] == 1


@pytest.mark.usefixtures("reader")
async def test_a_plan_without_retention_keeps_everything(ann: Person, store: Store, engine_url: str) -> None:
    await ann.api.post("/v1/parse", files=files(PDF, part="file"))
    with store.db.transaction() as conn:
        conn.execute("update console_tenants set plan = 'standard'")
        conn.execute("update console_submissions set ended_at = ended_at - interval '900 days'")
    assert list_outdated(store.db) == []
    assert (await ann.api.get("/v1/usage")).json()["monthly_pages"]["limit"] is None

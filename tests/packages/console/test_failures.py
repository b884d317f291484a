"""An engine that errs: 502, nothing held, nothing charged, and sending again never makes a second job."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from quire.storage.store import Store
from tests.api.harness import PDF, client_of, files, make_resources, serving
from tests.packages.console.failing import Between, between
from tests.packages.console.harness import Person, a_console, resources_of, sign_up, watch


@pytest.fixture
def line(engine_url: str) -> Iterator[Between]:
    with between(engine_url) as state:
        yield state


@pytest.fixture
async def console(store: Store, line: Between, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with a_console(resources_of(store, line.url, tmp_path)) as app:
        yield app


def jobs(store: Store) -> int:
    rows = store.db.fetch_all("select count(*) as n from jobs")
    return int(rows[0]["n"])


async def in_work(person: Person) -> int:
    return int((await person.api.get("/v1/usage")).json()["concurrent_documents"]["in_work"])


@pytest.mark.parametrize("status", [500, 503, 429, 402, 401, 403, 302])
async def test_provider_failure_is_502_and_frees_the_place(ann: Person, line: Between, status: int) -> None:
    line.status = status
    answers = [
        await ann.api.post("/v1/jobs", files=files(PDF)),
        await ann.api.post("/v1/parse", files=files(PDF, part="file")),
        await ann.api.get("/v1/search?q=x"),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(502, "engine-failed")}
    assert await in_work(ann) == 0


async def test_an_engine_that_is_away_is_502(store: Store, tmp_path: Path) -> None:
    async with a_console(resources_of(store, "http://127.0.0.1:9", tmp_path)) as app:
        ann = await sign_up(app)
        assert (await ann.api.post("/v1/jobs", files=files(PDF))).status_code == 502


async def test_status_request_on_a_closed_connection_is_retried_once(ann: Person, line: Between) -> None:
    job = (await ann.api.post("/v1/jobs", files=files(PDF))).json()["id"]
    line.lose_looks = 1
    assert (await ann.api.get(f"/v1/jobs/{job}")).status_code == 200
    line.lose_looks = 2
    assert (await ann.api.get(f"/v1/jobs/{job}")).status_code == 502


async def test_a_lost_answer_is_asked_for_again_under_the_same_key(ann: Person, line: Between, store: Store) -> None:
    line.lose = 1
    assert (await ann.api.post("/v1/jobs", files=files(PDF))).status_code == 201
    assert len(line.keys) == 2
    assert len(set(line.keys)) == 1
    assert (jobs(store), await in_work(ann)) == (1, 1)


async def test_after_a_502_the_same_upload_sent_again_finds_the_first_job(
    ann: Person, line: Between, store: Store
) -> None:
    line.lose = 2
    assert (await ann.api.post("/v1/jobs", files=files(PDF))).status_code == 502
    assert (jobs(store), await in_work(ann)) == (1, 0)
    assert (await ann.api.post("/v1/jobs", files=files(PDF))).status_code == 201
    assert (jobs(store), await in_work(ann)) == (1, 1)
    assert (await ann.api.post("/v1/jobs", files=files(PDF))).status_code == 201  # meant to be another one
    assert jobs(store) == 2


async def test_job_with_an_unrecorded_acceptance_is_found_and_adopted(ann: Person, line: Between, store: Store) -> None:
    job = (await ann.api.post("/v1/jobs", files=files(PDF, PDF))).json()
    with store.db.transaction() as conn:  # as a crash between the engine's answer and our commit leaves it
        conn.execute("delete from console_documents")
        conn.execute("update console_submissions set state = 'sending', job_id = null")
    await asyncio.to_thread(watch, store, line.engine_url)
    found = store.db.fetch_all("select state, job_id, n_open from console_submissions")
    assert found == [{"state": "open", "job_id": job["id"], "n_open": 2}]


async def test_place_of_an_upload_that_never_reached_the_engine_is_freed(
    ann: Person, line: Between, store: Store
) -> None:
    await ann.api.post("/v1/jobs", files=files(PDF))
    with store.db.transaction() as conn:
        conn.execute("delete from console_documents")
        conn.execute("update console_submissions set state = 'sending', job_id = null, n_total = 3, n_open = 3")
    await asyncio.to_thread(watch, store, line.engine_url)
    assert await in_work(ann) == 0


async def test_a_job_that_is_gone_at_the_engine_ends_here(ann: Person, line: Between, store: Store, dsn: str) -> None:
    job = (await ann.api.post("/v1/jobs", files=files(PDF))).json()
    org = store.db.fetch_all("select org from console_submissions")[0]["org"]
    async with serving(make_resources(store, dsn=dsn)) as engine, client_of(engine, "zeta-all", org=org) as operator:
        await operator.post(f"/v1/jobs/{job['id']}/cancel")
        assert (await operator.delete(f"/v1/jobs/{job['id']}")).status_code == 204
    await asyncio.to_thread(watch, store, line.engine_url)
    assert await in_work(ann) == 0
    ended = store.db.fetch_all("select status from console_documents where ended_at is not null")
    assert ended[0]["status"] in ("failed", "canceled")


async def test_engine_error_during_a_watch_changes_nothing(ann: Person, line: Between, store: Store) -> None:
    await ann.api.post("/v1/jobs", files=files(PDF))
    line.status = 500
    await asyncio.to_thread(watch, store, line.url)
    assert await in_work(ann) == 1

"""Callers' operations on jobs and documents: wait, watch, cancel, requeue, delete."""

import asyncio
import json
import threading

import httpx
import pytest
from fastapi import FastAPI

from quire.models.cdom.original import TableParts
from quire.serve_apps.api.context.resources import ApiLimits
from quire.serve_apps.api.shapes.bodies import DeadLetterBody, DocumentAloneBody, JobBody
from quire.storage.store import Store
from quire.storage.upkeep.erase import purge_some
from tests.api.harness import PDF, client_of, files, make_resources, reading, serving
from tests.waiting import PATIENCE_S

NO_JOB = "/v1/jobs/job_aaaaaaaaaaaaaaaaaaaaaaaaaa"


async def submitted(client: httpx.AsyncClient, *contents: bytes) -> JobBody:
    return JobBody.model_validate_json((await client.post("/v1/jobs", files=files(*contents))).content)


async def ended(client: httpx.AsyncClient, *contents: bytes) -> JobBody:
    job = await submitted(client, *contents)
    return JobBody.model_validate_json((await client.get(f"/v1/jobs/{job.id}?wait=60")).content)


async def test_a_wait_ends_when_the_job_does(client: httpx.AsyncClient, store: Store) -> None:
    job = await submitted(client, PDF)
    call = asyncio.create_task(client.get(f"/v1/jobs/{job.id}?wait=60"))
    await asyncio.sleep(0.05)
    with reading(store):
        body = JobBody.model_validate_json((await call).content)
    assert body.status == "succeeded"


async def test_expired_wait_returns_the_current_job(client: httpx.AsyncClient) -> None:
    job = await submitted(client, PDF)
    body = JobBody.model_validate_json((await client.get(f"/v1/jobs/{job.id}?wait=0.1")).content)
    assert body.status == "queued"


async def test_more_waiters_than_allowed_are_sent_away(store: Store, dsn: str) -> None:
    resources = make_resources(store, dsn=dsn, limits=ApiLimits(max_waiters=4))  # half for a tenant
    async with serving(resources) as app, client_of(app) as caller:
        job = await submitted(caller, PDF)
        answers = await asyncio.gather(*(caller.get(f"/v1/jobs/{job.id}?wait=0.5") for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 503, 503, 503]


async def test_events_report_every_change_and_the_end(client: httpx.AsyncClient, store: Store) -> None:
    job = await submitted(client, PDF)
    gate = threading.Event()

    def hold(_: object) -> None:
        gate.wait(PATIENCE_S)

    with reading(store, hold=hold):
        asyncio.get_running_loop().call_later(1.5, gate.set)
        answer = await client.get(f"/v1/jobs/{job.id}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [block.split("\n") for block in answer.text.strip().split("\n\n") if block.startswith("event")]
    statuses = [JobBody.model_validate_json(lines[1].removeprefix("data: ")).status for lines in events[:-1]]
    assert statuses[-1] == "succeeded"
    assert set(statuses) <= {"queued", "running", "succeeded"}
    assert events[-1] == ["event: end", "data: {}"]


async def test_a_canceled_job_ends_at_once_and_its_queue_is_empty(client: httpx.AsyncClient) -> None:
    job = await submitted(client, PDF, PDF)
    answer = await client.post(f"/v1/jobs/{job.id}/cancel")
    body = JobBody.model_validate_json(answer.content)
    assert (answer.status_code, body.status, len(body.documents)) == (200, "canceled", 2)
    assert (await client.get("/v1/stats")).json()["queue_tasks"] == 0
    assert (await client.post(f"/v1/jobs/{job.id}/cancel")).status_code == 200


@pytest.mark.usefixtures("reader")
async def test_a_failed_document_is_listed_as_dead_and_can_be_requeued(client: httpx.AsyncClient) -> None:
    job = await ended(client, b"\0\1 no document")
    document = job.documents[0]
    dead = [DeadLetterBody.model_validate(one) for one in (await client.get("/v1/dead-letters")).json()]
    assert [(one.document_id, one.error) for one in dead] == [(document.document_id, "unsupported-format")]
    answer = await client.post(f"/v1/jobs/{job.id}/documents/{document.document_id}/requeue")
    assert answer.status_code == 201
    again = JobBody.model_validate_json((await client.get(f"/v1/jobs/{job.id}?wait=60")).content)
    assert (again.documents[0].run, again.status) == (2, "failed")


@pytest.mark.usefixtures("reader")
async def test_only_a_failed_document_can_be_requeued(client: httpx.AsyncClient) -> None:
    job = await ended(client, PDF)
    answer = await client.post(f"/v1/jobs/{job.id}/documents/{job.documents[0].document_id}/requeue")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


@pytest.mark.usefixtures("reader")
async def test_a_requeue_without_an_original_is_409_original_missing(client: httpx.AsyncClient, store: Store) -> None:
    job = await ended(client, b"\0\1 no document")
    sha256 = job.documents[0].sha256
    assert sha256 is not None
    store.blobs.delete(sha256)
    answer = await client.post(f"/v1/jobs/{job.id}/documents/{job.documents[0].document_id}/requeue")
    assert (answer.status_code, answer.json()["code"]) == (409, "original-missing")


async def test_an_unfinished_job_cannot_be_deleted(client: httpx.AsyncClient) -> None:
    job = await submitted(client, PDF)
    document = job.pending[0].document_id
    assert (await client.delete(f"/v1/jobs/{job.id}")).status_code == 409
    assert (await client.delete(f"/v1/documents/{document}")).status_code == 409


@pytest.mark.usefixtures("reader")
async def test_a_deleted_job_is_unknown_on_every_route_and_erased(client: httpx.AsyncClient, store: Store) -> None:
    job = await ended(client, PDF)
    unknown = await client.get(NO_JOB)
    document = job.documents[0].document_id
    answer = await client.delete(f"/v1/jobs/{job.id}")
    assert (answer.status_code, answer.content) == (204, b"")
    for path in ("", "/documents", "/events", f"/documents/{document}/tree", f"/documents/{document}/pages/1"):
        answer = await client.get(f"/v1/jobs/{job.id}{path}")
        assert answer.content == unknown.content, path
    assert (await client.delete(f"/v1/jobs/{job.id}")).status_code == 404
    assert (await client.get("/v1/jobs")).json() == []
    purge_some(store)
    assert [path for path in store.workdir.rglob("*") if path.is_file()] == []


@pytest.mark.usefixtures("reader")
async def test_a_deleted_document_stays_listed_without_outputs(client: httpx.AsyncClient) -> None:
    job = await ended(client, PDF, PDF)
    gone, kept = (document.document_id for document in job.documents)
    assert (await client.delete(f"/v1/documents/{gone}")).status_code == 204
    body = JobBody.model_validate_json((await client.get(f"/v1/jobs/{job.id}")).content)
    assert [document.deleted_at is not None for document in body.documents] == [True, False]
    assert (await client.get(f"/v1/jobs/{job.id}/documents/{gone}/tree")).status_code == 404
    assert (await client.get(f"/v1/jobs/{job.id}/documents/{kept}/tree")).status_code == 200
    alone = DocumentAloneBody.model_validate_json((await client.get(f"/v1/documents/{gone}")).content)
    assert alone.deleted_at is not None


@pytest.mark.usefixtures("reader")
async def test_a_jobs_documents_are_paged_in_the_order_they_were_sent(client: httpx.AsyncClient) -> None:
    job = await ended(client, *[PDF] * 5)
    path = f"/v1/jobs/{job.id}/documents"
    first = await client.get(path, params={"limit": 3})
    second = await client.get(path, params={"limit": 3, "cursor": first.headers["x-next-cursor"]})
    names = [DocumentAloneBody.model_validate(one).source_file for one in first.json() + second.json()]
    assert names == [f"{i}.pdf" for i in range(5)]
    assert "x-next-cursor" not in second.headers


async def test_the_same_idempotency_key_gives_the_first_job_again(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "order-1"}
    calls = [client.post("/v1/jobs", files=files(PDF), headers=headers) for _ in range(5)]
    answers = await asyncio.gather(*calls)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    other = await client.post("/v1/jobs", files=files(PDF + b"x"), headers=headers)
    fields = await client.post("/v1/jobs", files=files(PDF), data={"ocr": "never"}, headers=headers)
    assert (other.status_code, fields.status_code) == (409, 409)
    assert (await client.get("/v1/stats")).json()["queue_tasks"] == 1


@pytest.mark.usefixtures("reader")
async def test_a_repeated_parse_answers_with_the_same_job_and_tree(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "parse-1"}
    first = await client.post("/v1/parse", files=files(PDF, part="file"), headers=headers)
    again = await client.post("/v1/parse", files=files(PDF, part="file"), headers=headers)
    later = await client.post("/v1/parse?timeout_s=0", files=files(PDF, part="file"), headers=headers)
    assert first.json() == again.json()
    marks = [answer.headers.get("idempotency-replayed") for answer in (first, again, later)]
    assert marks == [None, "true", "true"]


async def test_idempotency_keys_of_two_tenants_do_not_meet(app: FastAPI) -> None:
    headers = {"Idempotency-Key": "order-1"}
    async with client_of(app) as acme, client_of(app, "zeta-all") as zeta:
        answers = [await caller.post("/v1/jobs", files=files(PDF), headers=headers) for caller in (acme, zeta)]
    assert answers[0].json()["id"] != answers[1].json()["id"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"pages": "0"}, "pages"),
        ({"pages": "3-1"}, "pages"),
        ({"pages": "1-"}, "pages"),
        ({"pages": "x"}, "pages"),
        ({"pages": ",".join(["1"] * 101)}, "pages"),
        ({"ocr": "sometimes"}, "ocr"),
        ({"table_parts": "torn"}, "table_parts"),
        ({"password": "a\0b"}, "password"),
        ({"metadata": "[]"}, "metadata"),
        ({"metadata": "{"}, "metadata"),
        ({"metadata": '{"a":NaN}'}, "metadata"),
        ({"metadata": '{"a":1e999}'}, "metadata"),
        ({"metadata": '{"a":1,"a":2}'}, "metadata"),
        ({"metadata": '{"a":"\\u0000"}'}, "metadata"),
        ({"metadata": '{"\\ud800":1}'}, "metadata"),
        ({"metadata": "[" * 5000 + "]" * 5000}, "metadata"),
        ({"metadata": json.dumps({"a": "x" * 20_000})}, "metadata"),
    ],
)
async def test_a_field_that_cannot_be_meant_is_422_and_leaves_no_job(
    client: httpx.AsyncClient, fields: dict[str, str], field: str
) -> None:
    answer = await client.post("/v1/jobs", files=files(PDF), data=fields)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", field]
    assert (await client.get("/v1/jobs")).json() == []


async def test_metadata_is_given_back_and_options_reach_the_reader(client: httpx.AsyncClient, store: Store) -> None:
    fields = {
        "pages": "8, 1-3,2-4",
        "password": "geheim",
        "ocr": "never",
        "table_parts": "apart",
        "metadata": '{"case": 7}',
    }
    job = JobBody.model_validate_json((await client.post("/v1/jobs", files=files(PDF), data=fields)).content)
    seen = []
    with reading(store, hold=lambda claim: seen.append(claim.options)):
        await client.get(f"/v1/jobs/{job.id}?wait=60")
    assert job.metadata == {"case": 7}
    assert (seen[0].pages, seen[0].password, seen[0].ocr) == (((1, 4), (8, 8)), "geheim", "never")
    assert seen[0].table_parts is TableParts.APART


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "ü"])
async def test_invalid_idempotency_key_is_422(client: httpx.AsyncClient, key: str) -> None:
    answer = await client.post("/v1/jobs", files=files(PDF), headers={b"Idempotency-Key": key.encode()})
    assert answer.status_code == 422

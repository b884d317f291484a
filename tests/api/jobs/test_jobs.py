"""Jobs through HTTP: submit, look, list, and the shapes of the answers."""

import asyncio

import httpx
import pytest

from quire.serve_apps.api.shapes.bodies import JobBody, JobListItem
from tests.api.harness import PDF, files


async def until_done(client: httpx.AsyncClient, job_id: str) -> JobBody:
    for _ in range(500):
        answer = await client.get(f"/v1/jobs/{job_id}")
        job = JobBody.model_validate_json(answer.content)
        if not job.pending:
            return job
        await asyncio.sleep(0.01)
    raise AssertionError("the job never ended")


async def test_a_submitted_job_is_queued_and_has_no_documents_yet(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/jobs", files=files(PDF))
    job = JobBody.model_validate_json(answer.content)
    assert answer.status_code == 201
    assert answer.headers["location"] == f"/v1/jobs/{job.id}"
    assert (job.status, job.documents, job.counts.queued) == ("queued", [], 1)
    assert [(waiting.source_file, waiting.status) for waiting in job.pending] == [("0.pdf", "queued")]


@pytest.mark.usefixtures("reader")
async def test_batch_with_an_unreadable_file_ends_partial_and_lists_every_result(
    client: httpx.AsyncClient,
) -> None:
    answer = await client.post("/v1/jobs", files=files(PDF, b"\0\1 no document at all"))
    job = await until_done(client, answer.json()["id"])
    assert job.status == "partial"
    assert [(d.status, d.error, d.pages) for d in job.documents] == [
        ("succeeded", None, 1),
        ("failed", "unsupported-format", None),
    ]
    assert job.documents[0].route_counts == {"fast": 1}
    assert (job.counts.succeeded, job.counts.failed) == (1, 1)
    assert (job.pages_done, job.pages_total) == (1, 1)


async def test_a_single_part_named_file_is_taken_too(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/jobs", files=files(PDF, part="file"))
    assert answer.status_code == 201


async def test_job_list_is_newest_first_and_its_pages_join_without_gap_or_repeat(client: httpx.AsyncClient) -> None:
    made = [(await client.post("/v1/jobs", files=files(PDF))).json()["id"] for _ in range(5)]
    pages: list[list[str]] = []
    cursor: str | None = None
    while True:
        params = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        answer = await client.get("/v1/jobs", params=params)
        pages.append([JobListItem.model_validate(job).id for job in answer.json()])
        cursor = answer.headers.get("x-next-cursor")
        if cursor is None:
            break
    assert pages == [made[:2:-1], made[2:0:-1], made[:1]]


async def test_a_listing_can_be_narrowed_to_a_status(client: httpx.AsyncClient) -> None:
    await client.post("/v1/jobs", files=files(PDF))
    assert len((await client.get("/v1/jobs?status=queued")).json()) == 1
    assert (await client.get("/v1/jobs?status=succeeded")).json() == []


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=-1", "limit=1001", "limit=1e9", "status=nonsense", "cursor=forged", "cursor=%00", "cursor=é"],
)
async def test_job_list_refuses_an_invalid_query(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/v1/jobs?{query}")
    assert answer.status_code == 422
    assert set(answer.json()["detail"][0]) == {"type", "loc", "msg"}


async def test_a_cursor_of_another_listing_is_refused(client: httpx.AsyncClient) -> None:
    for _ in range(2):
        await client.post("/v1/jobs", files=files(PDF))
    cursor = (await client.get("/v1/jobs?limit=1")).headers["x-next-cursor"]
    answer = await client.get("/v1/jobs", params={"status": "queued", "cursor": cursor})
    assert answer.json()["detail"][0]["type"] == "invalid-cursor"


@pytest.mark.parametrize(
    "job_id", ["nope", "job_aaaaaaaaaaaaaaaaaaaaaaaaaa", "job_'; drop table jobs", "%00", "job_" + "a" * 5000, "é"]
)
async def test_unknown_and_malformed_ids_answer_with_the_same_bytes(client: httpx.AsyncClient, job_id: str) -> None:
    answer = await client.get(f"/v1/jobs/{job_id}")
    known = await client.get("/v1/jobs/job_bbbbbbbbbbbbbbbbbbbbbbbbbb")
    assert answer.status_code == 404
    assert answer.content == known.content
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not-found"

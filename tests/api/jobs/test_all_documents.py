"""GET /v1/documents: every document of the caller's organisation, filtered and paged."""

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.api.shapes.bodies import ListedDocumentBody
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, files, reading


async def test_documents_of_all_jobs_are_listed_with_their_job(client: httpx.AsyncClient, store: Store) -> None:
    with reading(store):
        for _ in range(2):
            job = (await client.post("/v1/jobs", files=files(PDF, b"no document"))).json()
            await client.get(f"/v1/jobs/{job['id']}?wait=60")
    listed = [ListedDocumentBody.model_validate(one) for one in (await client.get("/v1/documents")).json()]
    assert [one.status for one in listed] == ["failed", "succeeded", "failed", "succeeded"]
    assert listed[0].job_id == listed[1].job_id == job["id"]
    page = await client.get("/v1/documents?limit=3&type=pdf")
    assert [one["format"] for one in page.json()] == ["pdf", "pdf"]
    assert "x-next-cursor" not in page.headers
    assert len((await client.get(f"/v1/documents?job_id={job['id']}&status=failed")).json()) == 1


@pytest.mark.parametrize(
    "query",
    [
        "status=burnt",
        "since=yesterday",
        "flag=email",
        "name=",
        "name=a%00b",
        "type=a%00b",
        "limit=0",
        "cursor=x",
        "sort=colour",
        "sha256=ab",
        "cursor=a%00b",
    ],
)
async def test_filters_that_cannot_be_meant_are_refused(client: httpx.AsyncClient, query: str) -> None:
    assert (await client.get(f"/v1/documents?{query}")).status_code == 422


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00%2B05:00", "9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00"])
async def test_the_first_and_the_last_time_can_be_asked_for(client: httpx.AsyncClient, time: str) -> None:
    assert (await client.get(f"/v1/documents?since={time}&until={time}")).json() == []


async def test_a_malformed_job_is_an_unknown_one_and_others_see_nothing(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    await client.post("/v1/jobs", files=files(PDF))
    assert (await client.get("/v1/documents?job_id=none")).status_code == 404
    async with client_of(app, "zeta-all") as other:
        assert (await other.get("/v1/documents")).json() == []


async def test_documents_are_sorted_counted_and_selected_by_jobs(client: httpx.AsyncClient) -> None:
    jobs = [(await client.post("/v1/jobs", files=files(PDF, PDF + b" "))).json()["id"] for _ in range(3)]
    query = "&".join(f"job_id={job}" for job in jobs[:2])
    sizes = [one["bytes"] for one in (await client.get(f"/v1/documents?{query}&sort=bytes")).json()]
    assert sizes == [len(PDF), len(PDF), len(PDF) + 1, len(PDF) + 1]
    counts = (await client.get(f"/v1/documents/counts?{query}")).json()
    assert counts == {"documents": 4, "pages": 0, "bytes": sum(sizes), "complete": True}
    (newest, *_) = (await client.get("/v1/documents")).json()
    same = (await client.get(f"/v1/documents?sha256={newest['sha256']}")).json()
    assert len(same) == 3

"""POST /v1/parse and the tree: in one answer, later, or refused by the first bytes."""

import asyncio
import threading

import httpx
import pytest

from quire.serve_apps.api.shapes.bodies import AcceptedBody, JobBody
from quire.storage.store import Store
from tests.api.harness import PDF, files, reading
from tests.waiting import PATIENCE_S


def wait_for(gate: threading.Event) -> None:
    gate.wait(PATIENCE_S)


@pytest.mark.usefixtures("reader")
async def test_a_parse_answers_with_the_finished_job_and_its_tree(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/parse", files=files(PDF, part="file"))
    body = answer.json()
    job = JobBody.model_validate(body["job"])
    assert answer.status_code == 200
    assert (job.status, job.documents[0].source_file) == ("succeeded", "0.pdf")
    assert body["tree"]["document_id"] == job.documents[0].document_id
    assert body["tree"]["source"]["name"] == "0.pdf"
    assert body["tree"]["blocks"][0]["text"] == "Hello"


@pytest.mark.usefixtures("reader")
async def test_the_tree_of_a_parse_is_the_tree_of_the_document(client: httpx.AsyncClient) -> None:
    body = (await client.post("/v1/parse", files=files(PDF, part="file"))).json()
    path = f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}/tree"
    answer = await client.get(path)
    assert answer.json() == body["tree"]
    again = await client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.usefixtures("reader")
async def test_a_redacted_tree_is_refused_until_it_was_scanned(client: httpx.AsyncClient) -> None:
    body = (await client.post("/v1/parse", files=files(PDF, part="file"))).json()
    path = f"/v1/jobs/{body['job']['id']}/documents/{body['tree']['document_id']}/tree"
    answer = await client.get(path, params={"redacted": "true"})
    assert (answer.status_code, answer.json()["code"]) == (409, "pii-incomplete")


async def test_an_unsupported_file_is_refused_at_once_and_leaves_no_job(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/parse", files=files(b"\0\1 no text", part="file"))
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == "unsupported-format"
    assert (await client.get("/v1/jobs")).json() == []


@pytest.mark.usefixtures("reader")
async def test_empty_page_selection_is_422_in_parse_and_an_error_in_a_job(client: httpx.AsyncClient) -> None:
    refused = await client.post("/v1/parse", files=files(PDF, part="file"), data={"pages": "7"})
    assert (refused.status_code, refused.json()["detail"][0]["type"]) == (422, "no-such-page")
    job = (await client.post("/v1/jobs", files=files(PDF), data={"pages": "7"})).json()
    ended = (await client.get(f"/v1/jobs/{job['id']}?wait=60")).json()
    assert (ended["status"], ended["documents"][0]["error"]) == ("failed", "no-such-page")


async def test_a_parse_that_takes_too_long_gives_a_job_to_poll(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/parse?timeout_s=0.1", files=files(PDF, part="file"))
    body = AcceptedBody.model_validate_json(answer.content)
    assert answer.status_code == 202
    assert answer.headers["location"] == f"/v1/jobs/{body.job_id}"
    assert (await client.get(answer.headers["location"])).status_code == 200


async def test_timeout_zero_answers_without_waiting(client: httpx.AsyncClient) -> None:
    assert (await client.post("/v1/parse?timeout_s=0", files=files(PDF, part="file"))).status_code == 202


@pytest.mark.parametrize("timeout", ["-1", "601", "nan", "inf", "x", "1e400"])
async def test_a_timeout_out_of_bounds_is_refused(client: httpx.AsyncClient, timeout: str) -> None:
    answer = await client.post(f"/v1/parse?timeout_s={timeout}", files=files(PDF, part="file"))
    assert answer.status_code == 422


async def test_disconnected_caller_does_not_cancel_the_job(client: httpx.AsyncClient, store: Store) -> None:
    gate = threading.Event()
    with reading(store, hold=lambda claim: wait_for(gate)):
        call = asyncio.create_task(client.post("/v1/parse", files=files(PDF, part="file")))
        while not (jobs := (await client.get("/v1/jobs")).json()):
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        gate.set()
        assert (await client.get(f"/v1/jobs/{jobs[0]['id']}?wait=60")).json()["status"] == "succeeded"


@pytest.mark.usefixtures("reader")
async def test_many_parses_at_once_each_get_their_own_tree(client: httpx.AsyncClient) -> None:
    contents = [b"%%PDF-1.4 %d" % i for i in range(30)]
    answers = await asyncio.gather(*(client.post("/v1/parse", files=files(c, part="file")) for c in contents))
    sizes = [answer.json()["tree"]["source"]["bytes"] for answer in answers]
    assert sizes == [len(content) for content in contents]


async def test_a_tree_that_is_not_there_yet_is_unknown(client: httpx.AsyncClient) -> None:
    job = (await client.post("/v1/jobs", files=files(PDF))).json()
    answer = await client.get(f"/v1/jobs/{job['id']}/documents/{job['pending'][0]['document_id']}/tree")
    assert answer.status_code == 404

"""The edge of the API: HEAD and OPTIONS, the methods of a path, the request id, the root page."""

import httpx
import pytest
from fastapi import FastAPI
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from quire.serve_apps.api.http.request_id import OneRequestId, request_id_of
from quire.serve_apps.api.proxy.expectation import CheckedExpectation
from quire.serve_apps.api.proxy.middlewares import NoRouteList, RetryableErrors, proxy_middlewares
from quire.serve_apps.api.proxy.small_bodies import SmallBodies
from tests.api.harness import PDF, TREE, client_of, files


@pytest.mark.parametrize("path", ["/v1/health", "/v1/stats", "/v1/jobs", "/openapi.json"])
async def test_head_is_get_without_its_body(client: httpx.AsyncClient, path: str) -> None:
    get, head = await client.get(path), await client.head(path)
    assert (head.status_code, head.content) == (get.status_code, b"")
    assert head.headers["content-type"] == get.headers["content-type"]
    assert head.headers["content-length"] == str(len(get.content)) or "content-encoding" in head.headers


async def test_head_of_a_stream_ends(client: httpx.AsyncClient) -> None:
    job = (await client.post("/v1/jobs", files=files(PDF))).json()
    answer = await client.head(f"/v1/jobs/{job['id']}/events")
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        ("/v1/jobs", "GET, HEAD, OPTIONS, POST"),
        ("/v1/jobs/job_x", "DELETE, GET, HEAD, OPTIONS"),
        ("/v1/parse", "OPTIONS, POST"),
    ],
)
async def test_every_method_of_a_path_is_named(client: httpx.AsyncClient, path: str, allow: str) -> None:
    refused, asked = await client.put(path), await client.options(path)
    assert (refused.status_code, refused.headers["allow"]) == (405, allow)
    assert (asked.status_code, asked.headers["allow"], asked.content) == (204, allow, b"")


async def test_root_redirects_browsers_to_the_dashboard_and_programs_get_json(app: FastAPI) -> None:
    async with client_of(app) as anyone:
        browser = await anyone.get("/", headers={"Accept": "text/html,*/*"}, follow_redirects=False)
        program = await anyone.get("/", headers={"Accept": "application/json"})
    assert (browser.status_code, browser.headers["location"]) == (303, "/ui")
    assert (program.status_code, program.json()["code"]) == (404, "not-found")
    assert program.json()["links"]["dashboard"] == "/ui"


async def test_a_listed_job_shows_the_documents_that_have_ended(client: httpx.AsyncClient) -> None:
    job = (await client.post("/v1/ingest", json={"tree": TREE})).json()
    listed = (await client.get("/v1/jobs")).json()
    assert listed[0]["documents"] == job["documents"] != []


async def test_page_of_jobs_ends_before_the_document_limit(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.storage.jobs.listing.MOST_DOCUMENTS", 2)
    made = [(await client.post("/v1/ingest", json={"tree": TREE})).json()["id"] for _ in range(3)]
    first = await client.get("/v1/jobs")
    rest = await client.get("/v1/jobs", params={"cursor": first.headers["X-Next-Cursor"]})
    assert [job["id"] for job in (*first.json(), *rest.json())] == made[::-1]
    assert "X-Next-Cursor" not in rest.headers


async def test_a_replayed_answer_is_the_first_one_and_says_so(client: httpx.AsyncClient) -> None:
    key = {"Idempotency-Key": "once"}
    first = await client.post("/v1/jobs", files=files(PDF), headers=key)
    await client.post(f"/v1/jobs/{first.json()['id']}/cancel")
    again = await client.post("/v1/jobs", files=files(PDF), headers=key)
    assert again.json() == first.json()
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (None, "true")


@pytest.mark.parametrize("sent", [b"bad id;x", b"a\tb", b"%0d%0a", b"x" * 65, b""])
async def test_a_refused_request_id_is_replaced_everywhere(sent: bytes) -> None:
    seen: list[bytes] = []
    answered: list[Message] = []

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend(value for name, value in scope["headers"] if name == b"x-request-id")
        headers = [(b"x-request-id", seen[0]), (b"X-Request-ID", seen[0]), (b"a", b"b")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def take(message: Message) -> None:
        answered.append(message)

    async def nothing() -> Message:
        return {"type": "http.disconnect"}

    await OneRequestId(serve)({"type": "http", "headers": [(b"x-request-id", sent)]}, nothing, take)
    assert len(seen) == 1
    assert seen[0] != sent
    assert answered[0]["headers"] == [(b"a", b"b"), (b"x-request-id", seen[0])]


def test_valid_request_id_is_kept_and_the_proxy_has_the_middleware() -> None:
    assert request_id_of([(b"x-request-id", b"mine-1")]) == b"mine-1"
    used = [middleware.cls for middleware in proxy_middlewares()]
    assert used == [OneRequestId, NoRouteList, RetryableErrors, CheckedExpectation, SmallBodies]


async def test_the_proxys_list_of_applications_is_a_404_like_any_other(client: httpx.AsyncClient) -> None:
    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("{'/': 'api'}" if scope["path"] == "/-/routes" else "success")(scope, receive, send)

    ours = await client.get("/v1/nothing")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(NoRouteList(proxy)), base_url="http://q.test") as anyone:
        listed, healthy = await anyone.get("/-/routes"), await anyone.get("/-/healthz")
    assert (listed.status_code, listed.json()) == (404, ours.json())
    assert listed.headers["content-type"] == ours.headers["content-type"]
    assert (healthy.status_code, healthy.text) == (200, "success")


@pytest.mark.parametrize("query", ["/v1/review?kind=a%00", "/v1/review?decided_by=%00", "/v1/documents?flag=%00"])
async def test_a_parameter_with_nul_is_refused_and_no_fault(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(query)
    assert (answer.status_code, answer.json()["detail"][0]["type"]) == (422, "invalid-field")

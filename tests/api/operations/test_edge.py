"""Headers of every answer, and details that no answer shows."""

import asyncio
import json
import logging

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.api.context.job_answers import JobAnswers
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import JobId, Scope
from tests.api.harness import PDF, client_of, files


async def test_every_answer_has_a_request_id_and_safe_headers(client: httpx.AsyncClient) -> None:
    for path in ("/v1/health", "/v1/jobs", "/v1/nothing", "/v1/jobs/x"):
        answer = await client.get(path)
        assert len(answer.headers["x-request-id"]) == 24
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_harmless_request_id_of_a_caller_is_kept(client: httpx.AsyncClient) -> None:
    kept = await client.get("/v1/health", headers={"X-Request-Id": "trace-1.a"})
    replaced = await client.get("/v1/health", headers={"X-Request-Id": "a b\tc"})
    assert kept.headers["x-request-id"] == "trace-1.a"
    assert replaced.headers["x-request-id"] != "a b\tc"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not-found"),
        ("GET", "/", 404, "not-found"),
        ("GET", "/v1/jobs/", 404, "not-found"),
        ("PUT", "/v1/jobs", 405, "method-not-allowed"),
    ],
)
async def test_a_wrong_path_or_method_is_a_problem(
    client: httpx.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    answer = await client.request(method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    links = {"links"} if path == "/" else set()  # where a browser would be led
    assert set(answer.json()) == {"type", "title", "status", "detail", "code"} | links


async def test_a_fault_of_ours_shows_and_logs_nothing_of_its_text(
    app: FastAPI, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(*_: object) -> bytes:
        raise RuntimeError("select secret from /etc/passwd")

    monkeypatch.setattr(app.state.running.job_answers, "get", fails)
    with caplog.at_level(logging.ERROR, "quire.error"):
        answer = await client.get("/v1/jobs/job_aaaaaaaaaaaaaaaaaaaaaaaaaa")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "passwd" not in answer.text + caplog.text
    assert json.loads(caplog.records[0].message)["error"]["kind"] == "RuntimeError"


async def test_an_exit_asked_for_by_a_client_library_is_503(
    app: FastAPI, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leaves(*_: object) -> bytes:
        raise SystemExit(15)

    monkeypatch.setattr(app.state.running.job_answers, "get", leaves)
    answer = await client.get("/v1/jobs/job_aaaaaaaaaaaaaaaaaaaaaaaaaa")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_the_access_log_names_route_and_key_but_no_content(
    app: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "quire.access"):
        async with client_of(app, "acme-read", org="team") as caller:
            await caller.get("/v1/jobs/job_aaaaaaaaaaaaaaaaaaaaaaaaaa?q=canary")  # an unknown parameter: 422
            await caller.post("/v1/jobs", files=[("files", ("canary.pdf", PDF))])
    lines = [json.loads(record.message) for record in caplog.records]
    assert lines[0]["route"] == "/v1/jobs/{job_id}"
    assert (lines[0]["key"], lines[0]["org"], lines[0]["status"]) == ("acme:read", "team", 422)
    assert "canary" not in caplog.text
    assert "acme-read" not in caplog.text


async def test_concurrent_callers_share_a_lookup_and_keep_their_own_scope(app: FastAPI) -> None:
    async with client_of(app) as acme, client_of(app, "zeta-all") as zeta:
        job = (await acme.post("/v1/jobs", files=files(PDF))).json()["id"]
        answers = await asyncio.gather(*(caller.get(f"/v1/jobs/{job}") for caller in [acme, zeta] * 20))
    assert [answer.status_code for answer in answers] == [200, 404] * 20


async def test_a_failed_lookup_reaches_every_caller_of_the_batch(app: FastAPI) -> None:
    class Broken:
        async def run(self, *_: object) -> None:
            raise StoreUnavailable("gone")

    answers = JobAnswers(app.state.running.resources.store.db, Broken())  # type: ignore[arg-type]
    caller = app.state.running.resources.keys.find("acme-read")
    assert caller is not None
    calls = [answers.get(Scope(tenant="acme"), JobId(f"job_{i}")) for i in range(5)]
    assert [type(e) for e in await asyncio.gather(*calls, return_exceptions=True)] == [StoreUnavailable] * 5


async def test_the_description_carries_the_interfaces_version_and_headers(
    client: httpx.AsyncClient,
) -> None:
    schema = (await client.get("/openapi.json")).json()
    assert schema["info"]["version"] == "0.9.3"
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            names = {p["name"] for p in operation.get("parameters", [])}
            assert ({"X-API-Key", "X-DE-Org"} <= names) is (path != "/v1/health")
    assert (await client.get("/docs")).status_code == 200


async def test_large_answer_is_compressed_for_clients_that_accept_gzip(client: httpx.AsyncClient) -> None:
    for _ in range(20):
        await client.post("/v1/jobs", files=files(PDF))
    packed = await client.get("/v1/jobs", headers={"Accept-Encoding": "gzip"})
    plain = await client.get("/v1/jobs", headers={"Accept-Encoding": "gzip;q=0"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert int(packed.headers["content-length"]) < len(plain.content) / 3
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    small = await client.get("/v1/health", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in small.headers

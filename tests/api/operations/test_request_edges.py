"""Compressed bodies, `Expect: 100-continue`, ranges and deletions at the edge of the API."""

import asyncio
import gzip
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.serve_apps.api.app import create_app
from quire.serve_apps.api.context.resources import ApiLimits
from quire.serve_apps.api.proxy.expectation import CheckedExpectation
from quire.serve_apps.api.proxy.middlewares import RetryableErrors
from quire.storage.sources.gate import SourceGate
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, files, make_resources, reading, serving
from tests.api.live import listening_app
from tests.waiting import PATIENCE_S


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/ingest", "/v1/sources"])
@pytest.mark.parametrize("encoding", ["gzip", "br"])
async def test_compressed_body_is_refused_with_415_naming_the_encoding(
    client: httpx.AsyncClient, path: str, encoding: str
) -> None:
    headers = {"Content-Encoding": encoding, "Content-Type": "application/json"}
    refused = await client.post(path, content=gzip.compress(b"{}"), headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported-encoding")
    assert encoding in refused.json()["detail"]


async def test_identity_is_no_compression(client: httpx.AsyncClient) -> None:
    taken = await client.post("/v1/jobs", files=files(PDF), headers={"Content-Encoding": "identity"})
    assert taken.status_code == 201


class EagerProxy:
    """Receives the body at once, as Serve's proxy does, which makes uvicorn send 100 Continue."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        first = asyncio.ensure_future(receive())
        await asyncio.sleep(0)

        async def replay() -> Message:
            nonlocal first
            message: Message = await first
            first = asyncio.ensure_future(receive())
            return message

        await self.app(scope, replay, send)
        first.cancel()


async def exchange(port: int, key: str, length: int) -> list[bytes]:
    """Return the first status line, and the second one if the first asks for the body."""
    head = f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}\r\nExpect: 100-continue\r\n"
    head += f"Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: {length}\r\n\r\n"
    body = b'--XX\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF\r\n--XX--\r\n'
    async with asyncio.timeout(PATIENCE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode())
        lines = [await reader.readline()]
        if lines[0].startswith(b"HTTP/1.1 100"):
            await reader.readline()
            writer.write(body.ljust(length, b" "))
            lines.append(await reader.readline())
        writer.close()
    return [line.split()[1] for line in lines]


@pytest.mark.parametrize("is_proxied", [True, False])
async def test_body_is_requested_only_after_key_and_size_are_checked(store: Store, dsn: str, is_proxied: bool) -> None:
    api: ASGIApp = create_app(make_resources(store, dsn=dsn, limits=ApiLimits(max_upload_bytes=1000)))
    app = CheckedExpectation(EagerProxy(api)) if is_proxied else api
    with listening_app(app) as url:
        port = int(url.rpartition(":")[2])
        assert await exchange(port, "unknown", 200) == [b"401"]
        assert await exchange(port, "acme-write", 900_000_000) == [b"413"]
        assert await exchange(port, "acme-write", 200) == [b"100", b"201"]


@pytest.mark.parametrize("status", [404, 500, 503])
async def test_own_errors_of_the_proxy_become_a_retryable_503(status: int) -> None:
    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [[b"content-type", b"text/plain; charset=utf-8"]]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"Path '/v1/jobs' not found."})

    transport = httpx.ASGITransport(RetryableErrors(proxy))
    async with httpx.AsyncClient(transport=transport, base_url="http://q.test") as anyone:
        answer = await anyone.get("/v1/jobs")
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "unavailable", "2")


@pytest.mark.parametrize("failure", [RuntimeError("the replica died"), asyncio.CancelledError(), None])
async def test_failure_inside_the_proxy_becomes_a_retryable_503(failure: BaseException | None) -> None:
    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        if failure is not None:
            raise failure

    transport = httpx.ASGITransport(RetryableErrors(proxy))
    async with httpx.AsyncClient(transport=transport, base_url="http://q.test") as anyone:
        answer = await anyone.get("/v1/jobs")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_request_that_is_cancelled_in_the_proxy_stays_cancelled() -> None:
    async def proxy(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.Event().wait()

    async def send(message: Message) -> None:
        raise AssertionError(message)

    request = asyncio.create_task(RetryableErrors(proxy)({"type": "http"}, lambda: asyncio.sleep(0, {}), send))
    await asyncio.sleep(0)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request


async def test_errors_of_the_api_pass_the_proxy_unchanged(app: FastAPI) -> None:
    transport = httpx.ASGITransport(RetryableErrors(app))
    async with httpx.AsyncClient(transport=transport, base_url="http://q.test") as anyone:
        answer = await anyone.get("/v1/nothing")
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


@pytest.mark.usefixtures("reader")
async def test_part_of_an_original_is_sent_on_request(client: httpx.AsyncClient) -> None:
    job = (await client.post("/v1/jobs", files=files(PDF))).json()
    document = (await client.get(f"/v1/jobs/{job['id']}?wait=60")).json()["documents"][0]
    place = f"/v1/jobs/{job['id']}/documents/{document['document_id']}/original"
    whole = await client.get(place)
    assert (whole.headers["accept-ranges"], whole.content) == ("bytes", PDF)
    wanted = {"bytes=0-3": PDF[:4], "bytes=5-": PDF[5:], "bytes=-6": PDF[-6:], f"bytes=2-{10**9}": PDF[2:]}
    for value, expected in wanted.items():
        part = await client.get(place, headers={"Range": value, "If-Range": whole.headers["etag"]})
        first = PDF.index(expected)
        assert (part.status_code, part.content) == (206, expected)
        assert part.headers["content-range"] == f"bytes {first}-{first + len(expected) - 1}/{len(PDF)}"
    for ignored in ({"Range": "bytes=0-1,4-5"}, {"Range": "lines=1-2"}, {"Range": "bytes=0-1", "If-Range": '"old"'}):
        assert (await client.get(place, headers=ignored)).status_code == 200
    beyond = await client.get(place, headers={"Range": f"bytes={len(PDF)}-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(PDF)}")


@pytest.mark.usefixtures("reader")
async def test_refused_parse_leaves_no_job_and_no_dead_letter(client: httpx.AsyncClient) -> None:
    refused = await client.post("/v1/parse", files=files(PDF, part="file"), data={"pages": "7"})
    assert refused.status_code == 422
    assert (await client.get("/v1/jobs")).json() == []
    assert (await client.get("/v1/dead-letters")).json() == []


async def test_documents_of_a_deleted_source_are_hidden_at_once_or_202(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    gate = SourceGate(workdir=store.workdir, root=root)
    async with serving(make_resources(store, source_gate=gate)) as app, client_of(app, "acme-admin") as admin:

        async def delete_source_of(name: str, *, read: bool) -> int:
            (root / name).write_bytes(PDF + name.encode())
            source = (await admin.post("/v1/sources", json={"path": str(root), "include": [name]})).json()
            report = (await admin.post(f"/v1/sources/{source['id']}/sync")).json()
            if read:
                with reading(store):
                    await admin.get(f"/v1/jobs/{report['job_ids'][0]}?wait=60")
            return (await admin.delete(f"/v1/sources/{source['id']}?documents=true")).status_code

        assert await delete_source_of("read.pdf", read=True) == 204
        assert [item["deleted_at"] is None for item in (await admin.get("/v1/documents")).json()] in ([], [False])
        assert await delete_source_of("waiting.pdf", read=False) == 202

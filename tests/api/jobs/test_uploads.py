"""Uploads through HTTP: every way to send too much, too little or nonsense; nothing is left behind."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from quire.serve_apps.api.context.resources import ApiLimits
from quire.storage.store import Store
from tests.api.harness import PDF, client_of, files, make_resources, serving

CAP = 100_000
LIMITS = ApiLimits(max_upload_bytes=CAP, max_batch_files=3, max_inflight_bytes=2_000_000)
TYPE = {"Content-Type": "multipart/form-data; boundary=XX"}
HEAD = b'--XX\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n'


@pytest.fixture
async def small(store: Store) -> AsyncIterator[FastAPI]:
    """An app with small limits."""
    async with serving(make_resources(store, limits=LIMITS)) as app:
        yield app


@pytest.fixture
async def caller(small: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(small) as client:
        yield client


@pytest.fixture
async def impatient(store: Store) -> AsyncIterator[httpx.AsyncClient]:
    """A caller whose uploads are given up soon."""
    limits = replace(LIMITS, upload_idle_s=0.3)
    async with serving(make_resources(store, limits=limits)) as app, client_of(app) as client:
        yield client


def leftovers(store: Store) -> list[Path]:
    """Files that are neither a blob nor gone."""
    return [path for path in (store.workdir / "blobs" / "incoming").glob("*") if path.is_file()]


def posted(path: str, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    """The ASGI scope of an upload by a writer of `acme`."""
    sent = [(b"x-api-key", b"acme-write"), (b"content-type", TYPE["Content-Type"].encode()), *headers]
    return {"type": "http", "method": "POST", "path": path, "headers": sent, "query_string": b"", "client": None}


async def endless() -> AsyncIterator[bytes]:
    yield HEAD
    while True:
        yield b"x" * 50_000


async def test_a_file_of_exactly_the_cap_is_taken_and_one_byte_more_is_413(
    caller: httpx.AsyncClient, store: Store
) -> None:
    assert (await caller.post("/v1/jobs", files=files(b"x" * CAP))).status_code == 201
    answer = await caller.post("/v1/jobs", files=files(b"x" * (CAP + 1)))
    assert (answer.status_code, answer.json()["code"]) == (413, "upload-too-large")
    assert answer.headers["connection"] == "close"
    assert leftovers(store) == []


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/parse"])
async def test_an_honest_length_over_the_cap_is_413_before_anything_is_read(small: FastAPI, path: str) -> None:
    taken = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x", "more_body": True}

    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [
        (b"x-api-key", b"acme-write"),
        (b"content-length", b"99999999"),
        (b"content-type", TYPE["Content-Type"].encode()),
    ]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b"", "client": None}
    await small(scope, receive, send)
    assert (sent[0]["status"], taken) == (413, 0)


async def test_an_endless_body_without_a_length_is_413_at_the_cap(caller: httpx.AsyncClient, store: Store) -> None:
    answer = await caller.post("/v1/jobs", content=endless(), headers=TYPE)
    assert answer.status_code == 413
    assert leftovers(store) == []


async def test_a_preamble_without_end_is_refused(caller: httpx.AsyncClient) -> None:
    answer = await caller.post("/v1/jobs", content=b"-" * 1_000_000, headers=TYPE)
    assert answer.status_code == 422


async def test_one_file_too_many_is_413(caller: httpx.AsyncClient) -> None:
    answer = await caller.post("/v1/jobs", files=files(*[PDF] * 4))
    assert (answer.status_code, answer.json()["code"]) == (413, "too-many-files")


@pytest.mark.parametrize(
    ("body", "headers", "code"),
    [
        (b"", TYPE, "malformed-upload"),
        (b"--XX--\r\n", TYPE, "no-file"),
        (HEAD + b"\r\n--XX--\r\n", TYPE, "empty-file"),
        (HEAD + b"%PDF", TYPE, "malformed-upload"),
        (b"a=b", {"Content-Type": "application/x-www-form-urlencoded"}, "multipart-required"),
        (b"{}", {"Content-Type": "application/json"}, "invalid-field"),  # JSON asks by address, and names none
        (b"x", {}, "multipart-required"),
    ],
)
async def test_a_body_without_a_usable_file_is_422_with_a_code(
    caller: httpx.AsyncClient, store: Store, body: bytes, headers: dict[str, str], code: str
) -> None:
    answer = await caller.post("/v1/jobs", content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == code
    assert leftovers(store) == []


async def test_a_client_that_stops_sending_is_given_up(impatient: httpx.AsyncClient, store: Store) -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield HEAD + b"x" * 1000
        await asyncio.sleep(5)
        yield b"x"

    answer = await impatient.post("/v1/jobs", content=slow(), headers=TYPE)
    assert (answer.status_code, answer.json()["code"]) == (408, "upload-stalled")
    assert leftovers(store) == []


async def test_slow_client_is_disconnected_although_data_keeps_coming(impatient: httpx.AsyncClient) -> None:
    async def drip() -> AsyncIterator[bytes]:
        yield HEAD
        for _ in range(200):
            await asyncio.sleep(0.02)
            yield b"x"

    answer = await impatient.post("/v1/jobs", content=drip(), headers=TYPE)
    assert (answer.status_code, answer.json()["code"]) == (408, "upload-stalled")


async def test_a_client_that_goes_away_leaves_no_temp_file(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    limits = ApiLimits(max_upload_bytes=10_000_000)
    async with serving(make_resources(store, limits=limits)) as app:
        messages = [
            {"type": "http.request", "body": HEAD + b"x" * 3_000_000, "more_body": True},
            {"type": "http.disconnect"},
        ]

        async def receive() -> Any:
            return messages.pop(0)

        async def send(message: Any) -> None:
            return None

        with caplog.at_level("ERROR", "quire.error"):
            await app(posted("/v1/jobs", (b"transfer-encoding", b"chunked")), receive, send)
        assert caplog.records == []  # nobody's fault
        async with client_of(app) as caller:
            assert (await caller.get("/v1/jobs")).json() == []
    assert leftovers(store) == []


async def test_too_many_bytes_at_once_are_refused_with_retry_after(store: Store) -> None:
    async with serving(make_resources(store, limits=LIMITS)) as app, client_of(app) as caller:
        await send_too_many_at_once(caller)


async def send_too_many_at_once(caller: httpx.AsyncClient) -> None:
    refused_one = asyncio.Event()

    async def held() -> AsyncIterator[bytes]:
        yield HEAD
        await refused_one.wait()
        yield b"%PDF\r\n--XX--\r\n"

    calls = [asyncio.create_task(caller.post("/v1/jobs", content=held(), headers=TYPE)) for _ in range(12)]
    await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    refused_one.set()
    answers = await asyncio.gather(*calls)
    refused = [answer for answer in answers if answer.status_code == 503]
    assert {answer.status_code for answer in answers} == {201, 503}
    assert all(answer.headers["retry-after"] == "1" for answer in refused)


@pytest.mark.parametrize("length", ["-1", "1e3", "0x10", "9" * 40])
async def test_non_numeric_length_is_refused(small: FastAPI, length: str) -> None:
    async with client_of(small) as caller:
        answer = await caller.post("/v1/jobs", content=b"x", headers={"Content-Length": length, **TYPE})
    assert answer.status_code in {400, 413}


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x.pdf", "x.pdf"),
        ("n" * 4000, "n" * 255),
        ("<img onerror>", "<img onerror>"),
    ],
)
async def test_a_hostile_name_is_cleaned_and_never_a_path(caller: httpx.AsyncClient, sent: str, shown: str) -> None:
    answer = await caller.post("/v1/jobs", files=[("files", (sent, PDF))])
    assert answer.json()["pending"][0]["source_file"] == shown


async def test_a_large_file_reaches_the_store_whole(store: Store) -> None:
    content = bytes(range(256)) * 12_000
    async with serving(make_resources(store)) as app, client_of(app) as caller:
        job = (await caller.post("/v1/jobs", files=files(content, PDF))).json()
    blobs = [path.read_bytes() for path in (store.workdir / "blobs").glob("??/*")]
    assert job["counts"]["queued"] == 2
    assert sorted(map(len, blobs)) == sorted([len(content), len(PDF)])
    assert content in blobs

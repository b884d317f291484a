"""Demands on the Python client: memory, errors, cancellation, streams, packaging."""

import asyncio
import os
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import quire_client
from quire_client import (
    ApiError,
    AsyncClient,
    Client,
    Invalid,
    NotFound,
    PaymentRequired,
    Retry,
    ServerFailed,
    TooManyRequests,
    Unauthenticated,
)

from quire.models.cdom.version import SERVICE_VERSION
from tests.packages.clients.conftest import CLIENTS

JOB = {"id": "job_a", "status": "queued", "documents": []}
BIG, MOST = 256 << 20, 8 << 20
KINDS = [
    (401, Unauthenticated),
    (402, PaymentRequired),
    (404, NotFound),
    (422, Invalid),
    (429, TooManyRequests),
    (503, ServerFailed),
    (418, ApiError),
]


class Counting(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Counts what is sent, piece by piece, and keeps nothing."""

    def __init__(self) -> None:
        self.sent = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        self.sent = sum(len(piece) for piece in request.stream)
        return httpx.Response(201, json=JOB)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        self.sent = 0
        async for piece in request.stream:
            self.sent += len(piece)
        return httpx.Response(201, json=JOB)


@pytest.fixture
def big(tmp_path: Path) -> Path:
    path = tmp_path / "big.pdf"
    with path.open("wb") as file:
        file.truncate(BIG)
    return path


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.usefixtures("traced")
async def test_a_big_file_is_sent_in_constant_memory(big: Path) -> None:
    counting = Counting()
    with Client("http://quire.test", "KEY", transport=counting) as quire:
        quire.create_job(big)
    assert counting.sent > BIG
    async with AsyncClient("http://quire.test", "KEY", transport=counting) as awaiting:
        await awaiting.create_job(big)
    assert counting.sent > BIG
    assert tracemalloc.get_traced_memory()[1] < MOST


@pytest.mark.parametrize(("status", "kind"), KINDS)
def test_an_error_has_a_class_by_its_status_and_the_whole_body(status: int, kind: type[ApiError]) -> None:
    body = {"code": "some-code", "detail": "why", "resets_at": "2026-12-01T00:00:00Z"}
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json=body))
    quire = Client("http://quire.test", "KEY", retry=Retry(attempts=1), transport=transport)
    with quire, pytest.raises(ApiError) as refused:
        quire.get_stats()
    assert type(refused.value) is kind
    assert (refused.value.code, refused.value.body["resets_at"]) == ("some-code", "2026-12-01T00:00:00Z")


async def test_cancelling_the_task_ends_the_request() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def answer(_: httpx.Request) -> httpx.Response:
        began.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()
        raise AssertionError("unreachable")

    async with AsyncClient("http://quire.test", "KEY", transport=httpx.MockTransport(answer)) as quire:
        task = asyncio.create_task(quire.wait("job_a"))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert ended.is_set()


async def test_progress_callback_may_be_a_coroutine() -> None:
    states = iter(["queued", "running", "succeeded"])
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=JOB | {"status": next(states)}))
    seen: list[str] = []

    async def note(job: quire_client.types.Job) -> None:
        seen.append(job["status"])

    async with AsyncClient("http://quire.test", "KEY", transport=transport) as quire:
        await quire.wait("job_a", on_change=note)
    assert seen == ["queued", "running", "succeeded"]


async def test_finetune_records_come_as_they_are_sent() -> None:
    pulled: list[int] = []

    async def lines() -> AsyncIterator[bytes]:
        for number in range(3):
            pulled.append(number)
            yield b'{"n": %d}\n' % number

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.params["min_chars"] == "5"
        return httpx.Response(200, content=lines())

    async with AsyncClient("http://quire.test", "KEY", transport=httpx.MockTransport(answer)) as quire:
        records = quire.stream_finetune("job_a", min_chars=5)
        assert await anext(records) == {"n": 0}
        assert len(pulled) < 3
        assert [record async for record in records] == [{"n": 1}, {"n": 2}]


def scanning() -> httpx.MockTransport:
    """A service that first says that names are being searched for."""
    busy = httpx.Response(
        202,
        content=b'{"code": "scan-running", "detail": ""}',
        headers={"Retry-After": "0", "Content-Type": "application/problem+json"},
    )
    answers = iter([busy, busy, httpx.Response(200, content=b'{"n": 1}\n')])
    return httpx.MockTransport(lambda request: next(answers))


async def test_finetune_stream_waits_for_the_scan_of_personal_data() -> None:
    with Client("http://quire.test", "KEY", transport=scanning()) as quire:
        assert list(quire.stream_finetune("job_a")) == [{"n": 1}]
    async with AsyncClient("http://quire.test", "KEY", transport=scanning()) as patient:
        assert [record async for record in patient.stream_finetune("job_a")] == [{"n": 1}]


async def test_redacted_output_waits_for_the_scan_of_personal_data() -> None:
    with Client("http://quire.test", "KEY", transport=scanning()) as quire:
        assert quire.get_tree("job_a", "doc_a", redacted=True) == {"n": 1}
    async with AsyncClient("http://quire.test", "KEY", transport=scanning()) as patient:
        assert await patient.get_tree("job_a", "doc_a", redacted=True) == {"n": 1}


def test_address_and_key_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIRE_URL", "https://quire.example/console")
    monkeypatch.setenv("QUIRE_TOKEN", "secret")
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={})

    with Client(transport=httpx.MockTransport(answer)) as quire:
        quire.get_stats()
    assert (str(seen[0].url), seen[0].headers["x-api-key"]) == ("https://quire.example/console/v1/stats", "secret")


def test_the_package_is_complete_and_of_the_services_version(tmp_path: Path) -> None:
    assert quire_client.__version__ == SERVICE_VERSION
    source = tmp_path / "source"
    subprocess.run(["cp", "-r", str(CLIENTS / "python"), str(source)], check=True)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w"]
    subprocess.run([*command, str(tmp_path), str(source)], check=True, capture_output=True, env=dict(os.environ))
    wheel = next(tmp_path.glob(f"quire_client-{SERVICE_VERSION}-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(f"quire_client-{SERVICE_VERSION}.dist-info/METADATA").decode()
    package = CLIENTS / "python"
    modules = {path.relative_to(package).as_posix() for path in (package / "quire_client").rglob("*.py")}
    assert modules | {"quire_client/py.typed"} <= names
    assert "Requires-Dist: httpx" in metadata
    assert "# quire-client" in metadata

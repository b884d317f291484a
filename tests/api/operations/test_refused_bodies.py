"""A refusal reaches a client that is still sending: the rest of a body is read first, up to a limit."""

import asyncio
from pathlib import Path

import httpx
import pytest

from quire.serve_apps.api.context.resources import ApiLimits
from quire.serve_apps.api.http import request_body
from quire.serve_apps.api.http.request_body import RequestBody
from quire.storage.store import Store
from tests.api.harness import make_resources
from tests.api.live import listening
from tests.waiting import PATIENCE_S

LIMITS = ApiLimits(max_upload_bytes=1_000_000)


@pytest.mark.parametrize("path", ["/v1/parse", "/v1/jobs", "/v1/nothing", "/v1/ingest"])
def test_a_refused_upload_of_many_megabytes_is_answered_and_not_reset(
    store: Store, dsn: str, tmp_path: Path, path: str
) -> None:
    large = tmp_path / "large.pdf"
    large.write_bytes(b"%PDF-1.4\n" + b"\0" * 24_000_000)
    with (
        listening(make_resources(store, dsn=dsn, limits=LIMITS)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE_S) as http,
    ):
        for _ in range(3):
            with large.open("rb") as file:
                answer = http.post(path, files={"file": file}, headers={"X-API-Key": "acme-write"}, timeout=60)
            assert answer.status_code in (404, 413, 422)


async def test_a_client_that_falls_silent_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "SILENCE_S", 0.01)

    async def silent() -> dict[str, object]:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async with asyncio.timeout(PATIENCE_S):
        await RequestBody(silent, 10).drop_unread()


async def test_an_endless_body_is_taken_in_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "MOST_DROPPED_BYTES", 1000)
    taken: list[int] = []

    async def endless() -> dict[str, object]:
        taken.append(100)
        return {"type": "http.request", "body": b"x" * 100, "more_body": True}

    await RequestBody(endless, 10).drop_unread()
    assert sum(taken) == 1000

"""Answers leave a replica in pieces that its connection to the proxy can carry, and no faster than it takes them."""

import asyncio
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest
from ray.serve._private import replica
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.serve_apps.api.http.pieces import PIECE_BYTES, InPieces
from quire.serve_apps.deployments import pace_answers

MOST_MESSAGE_BYTES = 4 << 20
"""Limit of gRPC for one message."""
SCOPE: Scope = {"type": "http", "method": "GET", "headers": [], "asgi": {"spec_version": "2.4"}}


class Metadata:
    call_method = "__call__"


class OwnReplica:
    """Stands for the part of Ray's replica that calls the app."""

    call_http_entrypoint: Any

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    def get_user_method_info(self, _: str) -> None:
        return None

    async def _call_http_entrypoint(self, _: None, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


@pytest.fixture
def paced(monkeypatch: pytest.MonkeyPatch) -> type[OwnReplica]:
    assert callable(replica.UserCallableWrapper.call_http_entrypoint)
    assert callable(replica.UserCallableWrapper._call_http_entrypoint)
    assert callable(replica.UserCallableWrapper.get_user_method_info)
    monkeypatch.setattr(replica, "UserCallableWrapper", OwnReplica)
    pace_answers()
    return OwnReplica


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


def app_of(random: Random) -> tuple[ASGIApp, bytes]:
    """Return an app that answers at once, in parts or as a stream of small parts, and its body."""
    size = random.choice((0, 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES, 5 * PIECE_BYTES + 7))
    body = random.randbytes(size)
    part = random.choice((size or 1, 100_000, 2 * PIECE_BYTES + 3))

    async def parts() -> AsyncIterator[bytes]:
        for start in range(0, size, part):
            yield body[start : start + part]

    return (Response(body) if part == size else StreamingResponse(parts())), body


@pytest.mark.parametrize("seed", range(24))
async def test_answer_arrives_whole_in_messages_below_the_limit(paced: type[OwnReplica], seed: int) -> None:
    app, body = app_of(Random(seed))
    statuses, received, ended = list[str](), bytearray(), list[bool]()
    running = paced(InPieces(app)).call_http_entrypoint(Metadata(), statuses.append, SCOPE, never)
    async for batch in running:
        assert sum(len(message.get("body", b"")) for message in batch) < MOST_MESSAGE_BYTES
        for message in batch:
            received += message.get("body", b"")
            if message["type"] == "http.response.body":
                ended.append(not message.get("more_body", False))
    assert bytes(received) == body
    assert statuses == ["200"]
    assert ended == [False] * (len(ended) - 1) + [True]


async def test_app_waits_while_the_proxy_does_not_take_its_answer(paced: type[OwnReplica]) -> None:
    made = 0

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal made
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": bytes(PIECE_BYTES), "more_body": True})
            made += 1

    running = paced(endless).call_http_entrypoint(Metadata(), lambda _: None, SCOPE, never)
    taken = 0
    for _ in range(20):
        taken += sum(bool(message.get("body")) for message in await anext(running))
        for _ in range(100):
            await asyncio.sleep(0)  # the app may run
        assert made <= taken + 2
    await running.aclose()


async def test_error_of_the_app_reaches_ray(paced: type[OwnReplica]) -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("broken")

    running = paced(failing).call_http_entrypoint(Metadata(), lambda _: None, SCOPE, never)
    with pytest.raises(RuntimeError, match="broken"):
        [batch async for batch in running]

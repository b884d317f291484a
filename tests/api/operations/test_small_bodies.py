"""A small body travels with its request from Serve's proxy to the replica."""

import asyncio
from collections import deque
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from quire.serve_apps import deployments
from quire.serve_apps.api.proxy import small_bodies
from quire.serve_apps.api.proxy.small_bodies import CARRIED, MOST_BYTES, SmallBodies
from tests.waiting import PATIENCE_S

LAST = {"type": "http.request", "body": b"", "more_body": False}


async def pass_on(headers: list[tuple[bytes, bytes]], messages: list[Message]) -> tuple[bytes | None, list[Message]]:
    """Return the carried body and the messages that a server behind the middleware receives."""
    waiting, carried, seen = deque(messages), None, list[Message]()

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        return waiting.popleft()

    async def server(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal carried
        carried = scope.get(CARRIED)
        with_body = [await receive() for _ in messages]
        seen.extend(with_body)

    async def send(message: Message) -> None:
        raise AssertionError(message)

    async with asyncio.timeout(PATIENCE_S):
        await SmallBodies(server)({"type": "http", "headers": headers}, receive, send)
    return carried, seen


async def test_small_body_is_carried_and_can_be_received_as_well() -> None:
    parts: list[Message] = [{"type": "http.request", "body": b"ab", "more_body": True}, {**LAST, "body": b"cd"}]
    assert await pass_on([(b"content-length", b"4")], parts) == (b"abcd", parts)


async def test_request_without_body_carries_an_empty_one() -> None:
    assert await pass_on([], [LAST]) == (b"", [LAST])


@pytest.mark.parametrize(
    "header",
    [
        (b"content-length", str(MOST_BYTES + 1).encode()),
        (b"content-length", b"9" * 30),
        (b"content-length", b"x"),
        (b"transfer-encoding", b"chunked"),
    ],
)
async def test_large_and_unstated_bodies_are_not_carried(header: tuple[bytes, bytes]) -> None:
    assert await pass_on([header], [LAST]) == (None, [LAST])


async def test_slow_body_is_left_to_the_api(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_bodies, "PATIENCE_S", 0.0)
    first = {"type": "http.request", "body": b"a", "more_body": True}
    assert await pass_on([(b"content-length", b"4")], [first]) == (None, [first])


async def test_client_that_leaves_carries_nothing() -> None:
    left = {"type": "http.disconnect"}
    assert await pass_on([(b"content-length", b"4")], [left]) == (None, [left])


class FakeRay:
    """Receives as Ray's replica does: by calls to the proxy, which are counted."""

    def __init__(self, scope: dict[str, Any], *messages: Message) -> None:
        self.messages, self.calls = deque(messages), 0

    async def fetch_until_disconnect(self) -> None:
        self.calls += 1

    async def __call__(self) -> Message:
        return self.messages.popleft()


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Any:
    from ray.serve._private import replica

    assert callable(replica.ASGIReceiveProxy.fetch_until_disconnect)
    monkeypatch.setattr(replica, "ASGIReceiveProxy", FakeRay)
    deployments.accept_carried_bodies()
    return replica.ASGIReceiveProxy


async def test_replica_reads_the_carried_body_before_it_calls_the_proxy(receiver: Any) -> None:
    scope = {CARRIED: b"abcd"}
    made = receiver(scope, {**LAST, "body": b"abcd"}, {"type": "http.disconnect"})
    fetching = asyncio.create_task(made.fetch_until_disconnect())
    assert await made() == {**LAST, "body": b"abcd"}
    assert (made.calls, scope) == (0, {})
    assert await made() == {"type": "http.disconnect"}
    fetching.cancel()


async def test_replica_calls_the_proxy_at_once_for_other_bodies(receiver: Any) -> None:
    made = receiver({}, {**LAST, "body": b"abcd"})
    await made.fetch_until_disconnect()
    assert (made.calls, await made()) == (1, {**LAST, "body": b"abcd"})

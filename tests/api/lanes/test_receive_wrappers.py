"""Every `receive` of the project ends or waits: none answers without end, which would stop the server's event loop."""

import ast
import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from ray.serve._private import replica
from starlette.types import Message, Receive, Scope, Send

from quire.serve_apps.api.http.middleware import _as_get, _nothing
from quire.serve_apps.api.http.request_body import RequestBody
from quire.serve_apps.api.proxy.expectation import CheckedExpectation
from quire.serve_apps.api.proxy.small_bodies import CARRIED, SmallBodies
from quire.serve_apps.deployments import accept_carried_bodies

PACKAGE = Path(__file__).resolve().parents[3] / "serve_apps"
TYPE = "http.request"
FUNCTION = ast.AsyncFunctionDef
MOST_CALLS = 64
"""More calls than any request of these tests has messages."""


class Waits(Exception):
    """A call of `receive` did not return: the event loop may serve others."""


def step(receive: Receive) -> Message:
    """Return the message of a call that returns at once. Raises `Waits` if it suspends."""
    call = receive()
    assert isinstance(call, Coroutine)
    try:
        call.send(None)
    except StopIteration as end:
        message: Message = end.value
        return message
    call.close()
    raise Waits


def client(random: Random) -> Receive:
    """Return the `receive` of a server: a body in parts, then a wait or a disconnect."""
    parts = [random.randbytes(random.choice((0, 1, 700))) for _ in range(random.randint(1, 5))]
    has_left = random.random() < 0.5
    messages: list[Message] = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    messages[-1]["more_body"] = random.random() < 0.2  # the client stops in the middle

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        if not has_left:
            await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    return receive


async def passed_on(middleware: Callable[[Any], Any], random: Random, headers: dict[bytes, bytes]) -> Receive:
    """Return the `receive` that a middleware gives to its application for a request."""
    passed = list[Receive]()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(receive)

    scope = {"type": "http", "method": "POST", "headers": list(headers.items())}
    await middleware(application)(scope, client(random), _ignore)
    return passed[0]


async def head(random: Random) -> Receive:
    _, receive, send_headers = _as_get({"type": "http", "method": "HEAD"}, client(random), _ignore)
    if random.random() < 0.5:
        await send_headers({"type": "http.response.start", "status": 200, "headers": []})
    return receive


async def refused(_: Random) -> Receive:
    return _nothing


async def limited(random: Random) -> Receive:
    return RequestBody(client(random), 1 << 20).receive


async def dropped(random: Random) -> Receive:
    return RequestBody(client(random), 1 << 20)._next


async def asked_ahead(random: Random) -> Receive:
    length = random.choice([{b"transfer-encoding": b"chunked"}, {b"content-length": b"9"}])
    return await passed_on(CheckedExpectation, random, {b"expect": b"100-continue"} | length)


async def small(random: Random) -> Receive:
    return await passed_on(SmallBodies, random, {b"content-length": b"3"})


async def carried(random: Random) -> Receive:
    class RayReceive:
        def __init__(self, scope: Scope, inner: Receive) -> None:
            self._inner = inner

        async def __call__(self) -> Message:
            return await self._inner()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replica, "ASGIReceiveProxy", RayReceive)
        accept_carried_bodies()
        scope = {CARRIED: b"abc"} if random.random() < 0.5 else {}
        receive: Receive = replica.ASGIReceiveProxy(scope, client(random)).__call__
    return receive


WRAPPERS = {
    "api/http/middleware.py:_as_get.receive_until_begun": head,
    "api/http/middleware.py:_nothing": refused,
    "api/http/request_body.py:RequestBody.receive": limited,
    "api/http/request_body.py:RequestBody._next": dropped,
    "api/http/request_body.py:received_whole.receive": asked_ahead,
    "api/proxy/small_bodies.py:SmallBodies.__call__.receive_again": small,
    "deployments.py:accept_carried_bodies.CarriedReceive.__call__": carried,
}
"""How to make each function of the package that returns the messages of a client."""


def receives(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the qualified names of functions without arguments that return a message or name its type."""
    for child in ast.iter_child_nodes(node):
        inner = f"{name}.{child.name}" if isinstance(child, ast.ClassDef | ast.FunctionDef | FUNCTION) else name
        if isinstance(child, FUNCTION) and not [each for each in child.args.args if each.arg != "self"]:
            is_typed = child.returns is not None and ast.unparse(child.returns) == "Message"
            if is_typed or any(isinstance(part, ast.Constant) and part.value == TYPE for part in ast.walk(child)):
                yield inner.removeprefix(".")
        yield from receives(child, inner)


def test_every_receive_of_the_package_is_called_below() -> None:
    names = set()
    for path in PACKAGE.rglob("*.py"):
        names |= {f"{path.relative_to(PACKAGE)}:{name}" for name in receives(ast.parse(path.read_text()), "")}
    assert names == set(WRAPPERS)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", WRAPPERS)
async def test_receive_waits_or_ends_when_it_is_called_until_the_client_leaves(name: str, seed: int) -> None:
    receive = await WRAPPERS[name](Random(f"{name} {seed}"))
    for _ in range(MOST_CALLS):
        try:
            if step(receive)["type"] == "http.disconnect":
                return
        except Waits:
            return
    raise AssertionError(f"{name} returned {MOST_CALLS} messages and never let others run")


@pytest.mark.parametrize("seed", range(20))
async def test_question_ahead_of_a_body_receives_an_empty_body_once(seed: int) -> None:
    receive = await asked_ahead(Random(seed))
    assert step(receive) == {"type": TYPE, "body": b"", "more_body": False}
    with pytest.raises(Waits):
        step(receive)


async def test_request_without_a_body_is_not_asked_ahead() -> None:
    methods = list[str]()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        methods.append(scope["method"])

    scope = {"type": "http", "method": "POST", "headers": [(b"expect", b"100-continue"), (b"content-length", b"0")]}
    await CheckedExpectation(application)(scope, client(Random(1)), _ignore)
    assert methods == ["POST"]


async def _ignore(_: Message) -> None: ...

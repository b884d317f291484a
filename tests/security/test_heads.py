"""Headers have an end: a stranger's may not fill memory or hold a connection, before any key is asked for."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from quire.serve_apps.api.proxy import heads
from quire.serve_apps.api.proxy.heads import MOST_HEAD_BYTES, BoundedHeads
from quire.serve_apps.api.proxy.middlewares import proxy_middlewares

START = b"POST / HTTP/1.1\r\nHost: x\r\n"


async def count(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await Response(f"{len(body)} {len(scope['headers'])}")(scope, receive, send)


@pytest.fixture
def port() -> Iterator[int]:
    config = uvicorn.Config(count, host="127.0.0.1", port=0, log_level="critical", lifespan="off", http=BoundedHeads)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=asyncio.run, args=(server.serve(),))
    thread.start()
    while not server.started:
        thread.join(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


async def say(port: int, *parts: bytes) -> tuple[bytes, int]:
    """Return the answer before the connection ended or fell silent, and the number of accepted parts."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    taken, answer = 0, b""
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
            taken += 1
        answer = await reader.read()
    except ConnectionError:
        pass
    finally:
        writer.close()
    return answer, taken


@pytest.mark.parametrize(
    "endless",
    [
        START + b"A: ",  # one header
        b"POST /",  # the path
        START + b"Transfer-Encoding: chunked\r\n\r\n1;",  # what may follow a chunk's size
        START + b"Transfer-Encoding: chunked\r\n\r\n0\r\nA: ",  # a trailer
    ],
)
async def test_a_head_without_end_is_not_kept(port: int, endless: bytes) -> None:
    answer, taken = await say(port, endless, *[b"a" * 65_536] * 2000)
    assert taken < 2000
    assert answer[:13] in (b"HTTP/1.1 431 ", b"HTTP/1.1 414 ", b"")  # reset while still sending


async def test_oversized_header_is_refused_with_431(port: int) -> None:
    answer, _ = await say(port, START + b"A: " + b"a" * MOST_HEAD_BYTES)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b"headers-too-large" in answer


async def test_large_bodies_whole_and_in_chunks_and_usual_headers_pass(port: int) -> None:
    whole = START + b"Connection: close\r\nContent-Length: 3000000\r\n\r\n" + b"x" * 3_000_000
    chunk = b"10000\r\n" + b"y" * 65_536 + b"\r\n"
    chunked = START + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * 40 + b"0\r\nT: 1\r\n\r\n"
    many = START + b"Connection: close\r\n" + b"A: b\r\n" * 500 + b"\r\n"
    assert (await say(port, whole))[0].endswith(b"3000000 3")
    assert (await say(port, chunked))[0].endswith(b"2621440 3")
    assert (await say(port, many))[0].endswith(b"0 502")


async def test_two_requests_on_one_connection_are_counted_apart(port: int) -> None:
    one = START + b"A: " + b"a" * (MOST_HEAD_BYTES - 200) + b"\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(3):
        writer.write(one)
        assert b"200 OK" in await reader.readuntil(b"0 2")
    writer.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HT"])
async def test_headers_that_do_not_come_end_the_connection(
    port: int, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heads, "HEAD_S", 0.1)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_serves_proxy_listens_with_this_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    auto = "uvicorn.protocols.http.auto.AutoHTTPProtocol"
    monkeypatch.setattr(auto, None)
    proxy_middlewares()
    config = uvicorn.Config(count)
    config.load()
    assert config.http_protocol_class is BoundedHeads


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"400", b"bad-request"),  # no Host
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400", b"bad-request"),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"414", b"address-too-long"),
        (b"no http\r\n\r\n", b"400", b"bad-request"),
    ],
)
async def test_heads_that_rfc_9112_refuses_get_a_problem(port: int, head: bytes, status: bytes, code: bytes) -> None:
    answer, _ = await say(port, head)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert b"application/problem+json" in answer
    assert code in answer


async def test_http_1_0_needs_no_host(port: int) -> None:
    answer, _ = await say(port, b"GET / HTTP/1.0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")

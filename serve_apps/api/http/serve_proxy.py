"""Middleware around Ray Serve's HTTP proxy (RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH).

It also limits the size and the duration of request headers: uvicorn accepts headers of any length before a key is
checked, and waits for them without a time limit.
"""

import asyncio
import json
from typing import Any

from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http import auto
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from serve_apps.api.http.request_id import OneRequestId

MOST_HEAD_BYTES = 64 << 10
"""Maximum consecutive bytes outside bodies (headers, trailers, chunk marks) plus one read: eight times a browser's."""
HEAD_S = 30.0  # seconds for the headers of one request
_REFUSALS = {
    431: ("headers-too-large", "Request Header Fields Too Large", "Request headers are limited to 64 KiB."),
    408: ("headers-stalled", "Request Timeout", "Request headers must arrive within 30 seconds."),
}
_ROUTE_LIST = "/-/routes"
_NOT_FOUND = {
    "type": "urn:quire:problem:not-found",
    "title": "Not Found",
    "status": 404,
    "detail": "There is no such resource.",
    "code": "not-found",
}
"""The API's answer, repeated here because the proxy's process does not load the API."""


class BoundedHeads(HttpToolsProtocol):
    """uvicorn's HTTP protocol with limits on the size and duration of headers."""

    _head_bytes, _past_head, _in_head = 0, False, False
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first request head."""
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count bytes that belong to a request head, and refuse a head that is too large."""
        self._past_head = False
        super().data_received(data)
        self._head_bytes = 0 if self._past_head else self._head_bytes + len(data)
        if self._head_bytes > MOST_HEAD_BYTES:
            self._refuse(431)

    def on_message_begin(self) -> None:
        """Start the time limit of a request head."""
        super().on_message_begin()
        self._in_head = True
        self._start_timer()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Pass headers on and drop trailers."""
        if self._in_head:  # trailers are dropped
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Cancel the time limit, because the head is complete."""
        self._past_head, self._in_head = True, False
        self._stop_timer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Note that the received bytes belong to a body."""
        self._past_head = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the received bytes completed a request."""
        self._past_head = True
        super().on_message_complete()

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(HEAD_S, self._refuse, 408)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int) -> None:
        """Send the reason, unless an answer is being sent on this connection, and close it."""
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            code, title, detail = _REFUSALS[status]
            body = json.dumps(
                {"type": f"urn:quire:problem:{code}", "title": title, "status": status, "detail": detail, "code": code}
            ).encode()
            head = f"HTTP/1.1 {status} {title}\r\ncontent-type: application/problem+json\r\nconnection: close\r\n"
            self.transport.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        self.transport.close()


class NoRouteList:
    """ASGI middleware that hides the proxy's list of applications. `/-/healthz` stays available for probes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer requests for the route list with 404 and pass on all others."""
        if scope["type"] == "http" and scope["path"] == _ROUTE_LIST:
            headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
            await Response(json.dumps(_NOT_FOUND), 404, headers, "application/problem+json")(scope, receive, send)
            return
        await self.app(scope, receive, send)


def proxy_middlewares() -> list[Any]:
    """Return the middlewares, outermost first.

    Serve calls it before the proxy listens, so this also replaces uvicorn's protocol, for which Serve has no setting.
    """
    auto.AutoHTTPProtocol = BoundedHeads
    return [Middleware(OneRequestId), Middleware(NoRouteList)]

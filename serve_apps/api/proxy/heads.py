"""uvicorn's HTTP protocol with limits on the size and the duration of request heads, and RFC 9112's refusals.

uvicorn accepts headers of any length before a key is checked, waits for them without a time limit, and serves HTTP/1.1
requests without Host.
"""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quire.serve_apps.api.proxy.problem import problem_bytes

MOST_HEAD_BYTES = 64 << 10
"""Maximum consecutive bytes outside bodies (headers, trailers, chunk marks) plus one read: eight times a browser's."""
MOST_TARGET_BYTES = (64 << 10) - 1
"""Maximum bytes of a request target: the parser's offsets have 16 bits."""
HEAD_S = 30.0  # seconds for the headers of one request
_REFUSALS = {
    400: ("bad-request", "Bad Request", "The request is not valid HTTP."),
    408: ("headers-stalled", "Request Timeout", "Request headers must arrive within 30 seconds."),
    414: ("address-too-long", "URI Too Long", "The address is limited to 64 KiB."),
    431: ("headers-too-large", "Request Header Fields Too Large", "Request headers are limited to 64 KiB."),
}


class BoundedHeads(HttpToolsProtocol):
    """uvicorn's HTTP protocol for one connection."""

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

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are not HTTP. The parser also fails on a target that is too long for it."""
        self._refuse(414 if self._in_head and len(self.url) >= MOST_TARGET_BYTES else 400)

    def on_message_begin(self) -> None:
        """Start the time limit of a request head."""
        super().on_message_begin()
        self._in_head = True
        self._start_timer()

    def on_url(self, url: bytes) -> None:
        """Refuse a target that is too long."""
        super().on_url(url)
        if len(self.url) > MOST_TARGET_BYTES:
            self._refuse(414)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Pass headers on and drop trailers."""
        if self._in_head:  # trailers are dropped
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Cancel the time limit, because the head is complete."""
        self._past_head, self._in_head = True, False
        self._stop_timer()
        if self.transport.is_closing():
            return
        if self.parser.get_http_version() == "1.1" and sum(name == b"host" for name, _ in self.headers) != 1:
            self._refuse(400)
            return
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
            body = problem_bytes(status, code, title, detail)
            head = f"HTTP/1.1 {status} {title}\r\ncontent-type: application/problem+json\r\nconnection: close\r\n"
            self.transport.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        self.transport.close()

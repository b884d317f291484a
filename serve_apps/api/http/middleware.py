"""Outermost layer, pure ASGI: request id, early refusals, bounded bodies, security headers, last error handler, log.

It refuses a body by its declared length before reading, and counts the received bytes. It logs no content, query or
path, only the route's template.
"""

import json
import logging
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.models.cdom.tracing import TRACING_OFF, Tracing
from quire.serve_apps.api.http.problems import answer, problem_response
from quire.serve_apps.api.http.refusals import EncodingRefused, UploadTooLarge
from quire.serve_apps.api.http.request_body import EXPECTED, RequestBody, expects_continue
from quire.serve_apps.api.http.request_id import request_id_of
from quire.serve_apps.api.http.request_span import begin_request, end_request
from quire.serve_apps.api.lanes.fair_places import Overloaded

access_log = logging.getLogger("quire.access")
error_log = logging.getLogger("quire.error")

_SAFE = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"), (b"x-frame-options", b"DENY")]
_NO_STORE = (b"cache-control", b"no-store")
_CONTENT_POLICY = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")

_PLAIN = frozenset({"", "identity"})
_SHOWN_CHARS = 64  # of an encoding's name in a refusal

BodyCap = Callable[[str], int]
"""Maximum total body bytes of a request by path."""
CallerCheck = Callable[[Scope], Awaitable[object]]
"""Raises if the caller of a request may not send its body."""


class OuterMiddleware:
    """Wraps the app.

    `max_inflight_bytes` limits the bodies received at once. One tenant has at most half of them, but always a single
    body. Without `check_caller` a question ahead of a body is an ordinary request.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        body_cap: BodyCap,
        max_inflight_bytes: int,
        check_caller: CallerCheck | None = None,
        find_tenant: Callable[[Scope], str] = lambda _: "",
        tracing: Tracing = TRACING_OFF,
    ) -> None:
        self.app, self.body_cap, self.max_inflight_bytes = app, body_cap, max_inflight_bytes
        self.check_caller, self.find_tenant = check_caller, find_tenant
        self.tracing = tracing
        self.inflight_bytes = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with a body limit, a trace span, an access log line and answers for all errors."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # the answer of GET without its body
            scope, receive, send = _as_get(scope, receive, send)
        exchange = _Exchange(scope, send)
        traced = begin_request(self.tracing, scope) if self.tracing.on else None
        reserved, tenant = 0, ""
        try:
            declared = _declared_length(scope["headers"])
            if declared:
                cap = self.body_cap(scope["path"])
                check_ahead = self.check_caller if is_asked_ahead(scope) else None
                if check_ahead is not None:
                    await check_ahead(scope)
                else:
                    exchange.body = RequestBody(receive, cap, declared, expected=expects_continue(scope["headers"]))
                    receive = exchange.body.receive
                _check_encoding(scope["headers"])
                tenant = self.find_tenant(scope)
                reserved = self._admit(tenant, cap, declared)
                if check_ahead is not None:
                    await Response(status_code=204)(scope, receive, exchange.send)
                    return
            await self.app(scope, receive, exchange.send)
        except (Exception, SystemExit) as error:
            await exchange.fail(error)
        finally:
            self.inflight_bytes[tenant] -= reserved
            exchange.log()
            if traced is not None:
                end_request(traced, scope, exchange.status)

    def _admit(self, tenant: str, cap: int, declared: int) -> int:
        """Return the bytes reserved for a body of `declared` length (-1: unknown), of at most `cap` bytes.

        Raises:
            UploadTooLarge: The declared length exceeds the limit.
            Overloaded: Too many bytes are reserved.
        """
        if declared > cap:
            raise UploadTooLarge(f"the request may have {cap} bytes")
        reserved = declared if declared > 0 else min(cap, self.max_inflight_bytes // 8)
        own, most = self.inflight_bytes[tenant], self.max_inflight_bytes
        if own and (own + reserved > most // 2 or self.inflight_bytes.total() + reserved > most):
            raise Overloaded("too many uploads at once")
        self.inflight_bytes[tenant] += reserved
        return reserved


class _Exchange:
    """One request and its answer: adds headers to the answer and records data for the log."""

    __slots__ = ("_scope", "_send", "_started", "_started_at", "body", "request_id", "status")

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope, self._send = scope, send
        self._started_at, self._started, self.status = time.perf_counter(), False, 499
        self.body: RequestBody | None = None
        self.request_id = request_id_of(scope["headers"])
        scope["request_id"] = self.request_id.decode()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started, self.status = True, message["status"]
            if self.body is not None:
                await self.body.drop_unread()
            headers = message["headers"] = [*message["headers"], *_SAFE, (b"x-request-id", self.request_id)]
            if not any(name == b"cache-control" for name, _ in headers):
                headers.append(_NO_STORE)
            if not any(name.lower() == _CONTENT_POLICY[0] for name, _ in headers):
                headers.append(_CONTENT_POLICY)
        await self._send(message)

    async def fail(self, error: BaseException) -> None:
        """Answer an uncaught error. Faults are logged by kind and place, never with their text."""
        if isinstance(error, ClientDisconnect):
            return
        if isinstance(error, SystemExit):  # raised by a client library when its cluster is gone
            response = problem_response(503, "unavailable", "The service is not available.", {"Retry-After": "2"})
        elif isinstance(error, Exception):
            response = answer(error)
        if response.status_code == 500:
            log_fault(self.request_id.decode(), error)
        if not self._started:
            await response(self._scope, _nothing, self.send)

    def log(self) -> None:
        if not access_log.isEnabledFor(logging.INFO):
            return
        route = self._scope.get("route")
        caller = self._scope.get("caller")
        line = {
            "request_id": self.request_id.decode(),
            "method": self._scope["method"],
            "route": getattr(route, "path", None),
            "status": self.status,
            "ms": round((time.perf_counter() - self._started_at) * 1000, 1),
            "key": getattr(caller, "key_name", None),
            "org": getattr(caller, "org", None),
        }
        access_log.info(json.dumps(line))


def log_fault(request_id: str, error: BaseException) -> None:
    """Log an internal error by its kind and place."""
    error_log.error(json.dumps({"request_id": request_id, "error": _where(error)}))


def _as_get(scope: Scope, receive: Receive, send: Send) -> tuple[Scope, Receive, Send]:
    """Turn a HEAD request into GET and drop the body; a stream sees a disconnect after the headers."""
    has_started = False

    async def receive_until_begun() -> Message:
        return {"type": "http.disconnect"} if has_started else await receive()

    async def send_headers(message: Message) -> None:
        nonlocal has_started
        if message["type"] == "http.response.start":
            has_started = True
            await send(message)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return {**scope, "method": "GET"}, receive_until_begun, send_headers


def _declared_length(headers: list[tuple[bytes, bytes]]) -> int:
    """Return Content-Length; -1 for a body of unknown length, 0 for none."""
    declared = 0
    for name, value in headers:
        if name == b"transfer-encoding":
            return -1
        if name == b"content-length":
            declared = int(value) if value.isdigit() and len(value) < 19 else 1 << 62
    return declared


def _check_encoding(headers: list[tuple[bytes, bytes]]) -> None:
    """Raise `EncodingRefused` if the body is compressed."""
    for name, value in headers:
        if name == b"content-encoding" and (encoding := value.decode("latin-1").strip().lower()) not in _PLAIN:
            raise EncodingRefused(f"send the body without Content-Encoding {encoding[:_SHOWN_CHARS]}")


def is_asked_ahead(scope: Scope) -> bool:
    """Return whether the proxy asks, on behalf of a client with `Expect: 100-continue`, if the body may be sent."""
    return scope["method"] == "OPTIONS" and any(name == EXPECTED for name, _ in scope["headers"])


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _where(error: BaseException) -> dict[str, Any]:
    """Return the kind of an error and its traceback locations, innermost last. Its text may quote a document."""
    places = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        places.append(f"{os.path.basename(code.co_filename)}:{traceback.tb_lineno} {code.co_name}")
        traceback = traceback.tb_next
    return {"kind": type(error).__name__, "places": places[-12:]}

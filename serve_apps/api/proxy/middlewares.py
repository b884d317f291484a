"""Middleware around Ray Serve's HTTP proxy (RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH)."""

import asyncio
import logging
from typing import Any

from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http import auto

from quire.serve_apps.api.http.request_id import OneRequestId
from quire.serve_apps.api.proxy.expectation import CheckedExpectation
from quire.serve_apps.api.proxy.heads import BoundedHeads
from quire.serve_apps.api.proxy.problem import problem_bytes
from quire.serve_apps.api.proxy.small_bodies import SmallBodies

log = logging.getLogger("quire.proxy")
_ROUTE_LIST = "/-/routes"
_PROBLEM_JSON = "application/problem+json"
_NOT_FOUND = problem_bytes(404, "not-found", "Not Found", "There is no such resource.")
UNAVAILABLE = problem_bytes(503, "unavailable", "Service Unavailable", "The service is starting, stopping or busy.")
RETRY_S = 2
"""Seconds after which a client may repeat a request that the service could not take."""
_OWN_ERRORS = frozenset({404, 500, 503})


class NoRouteList:
    """ASGI middleware that hides the proxy's list of applications. `/-/healthz` stays available for probes."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer requests for the route list with 404 and pass on all others."""
        if scope["type"] == "http" and scope["path"] == _ROUTE_LIST:
            headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
            await Response(_NOT_FOUND, 404, headers, _PROBLEM_JSON)(scope, receive, send)
            return
        await self.app(scope, receive, send)


class RetryableErrors:
    """ASGI middleware that replaces the proxy's own errors by 503 with Retry-After.

    The proxy answers 404 for every path until the API has started and after it has stopped. If a replica dies during a
    request, it answers 500, raises, is cancelled or does not answer. A client would not repeat any of these.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the answers of applications."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        has_started = is_replaced = False

        async def send_or_replace(message: Message) -> None:
            nonlocal has_started, is_replaced
            has_started = True
            if message["type"] == "http.response.start" and _is_own_error(message):
                is_replaced = True
                await _answer_unavailable(scope, receive, send)
            elif not is_replaced:
                await send(message)

        try:
            await self.app(scope, receive, send_or_replace)
        except (Exception, asyncio.CancelledError):
            task = asyncio.current_task()
            if has_started or (task is not None and task.cancelling()):
                raise
            log.exception("a request failed in the proxy")
        if not has_started:
            await _answer_unavailable(scope, receive, send)


async def _answer_unavailable(scope: Scope, receive: Receive, send: Send) -> None:
    headers = {"Retry-After": str(RETRY_S), "Cache-Control": "no-store"}
    await Response(UNAVAILABLE, 503, headers, _PROBLEM_JSON)(scope, receive, send)


def _is_own_error(message: Message) -> bool:
    """Return whether the proxy itself made this answer: plain text without a length, which no application sends."""
    if message["status"] not in _OWN_ERRORS:
        return False
    headers = {bytes(name).lower(): bytes(value) for name, value in message.get("headers", ())}
    return b"content-length" not in headers and headers.get(b"content-type", b"").startswith(b"text/plain")


def proxy_middlewares() -> list[Any]:
    """Return the middlewares, outermost first.

    Serve calls it before the proxy listens, so this also replaces uvicorn's protocol, for which Serve has no setting.
    """
    auto.AutoHTTPProtocol = BoundedHeads
    return [
        Middleware(OneRequestId),
        Middleware(NoRouteList),
        Middleware(RetryableErrors),
        Middleware(CheckedExpectation),
        Middleware(SmallBodies),
    ]

"""Sites whose pages may call `/v1` from a browser: those that the operator names, none by default.

They send a key, never a cookie: answers have no Access-Control-Allow-Credentials, so a dashboard session does not help
them, and only `/v1` answers. A preflight request of another site is handled as an ordinary OPTIONS request.
"""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.serve_apps.api.http.request_id import request_id_of

ANY = "*"
_METHODS = b"DELETE, GET, HEAD, PATCH, POST, PUT"
_SENT = (
    b"Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, "
    b"traceparent, X-API-Key, X-DE-Org, X-DE-Principals, X-Request-Id"
)
_SHOWN = (
    b"Content-Disposition, ETag, Idempotency-Replayed, Location, Retry-After, X-Left-Out, X-Next-Cursor, "
    b"X-Page-Count, X-Page-Height, X-Page-Width, X-Request-Id"
)
_KEPT_S = b"600"
"""Seconds a browser caches a preflight. Chromium allows two hours; a shorter time removes an origin sooner."""
_PREFIX = "/v1/"


class Cors:
    """Middleware around the app and everything that may refuse a request, so that browsers can read refusals too."""

    def __init__(self, app: ASGIApp, origins: Iterable[str]) -> None:
        self.app = app
        self._origins = frozenset(origin.lower().encode() for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer preflight requests of allowed sites and add CORS headers to the other responses."""
        if scope["type"] != "http" or not _is_served(scope):
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        allowed = self._allow(headers.get(b"origin"))
        if allowed is not None and scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
            await _answer_preflight(allowed, request_id_of(scope["headers"]), send)
            return
        marks = [(b"vary", b"Origin")]
        if allowed is not None:
            marks += [(b"access-control-allow-origin", allowed), (b"access-control-expose-headers", _SHOWN)]

        async def marking(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *marks]}
            await send(message)

        await self.app(scope, receive, marking)

    def _allow(self, origin: bytes | None) -> bytes | None:
        """Return the value of Access-Control-Allow-Origin for a page of `origin`, or None."""
        if origin is None:
            return None
        if ANY.encode() in self._origins:
            return ANY.encode()
        return origin if origin.lower() in self._origins else None


def _is_served(scope: Scope) -> bool:
    """Return whether the path belongs to `/v1`, also behind a prefix such as the console's."""
    path: str = scope["path"]
    return path.startswith((_PREFIX, scope.get("root_path", "") + _PREFIX))


async def _answer_preflight(allowed: bytes, request_id: bytes, send: Send) -> None:
    headers = [
        (b"access-control-allow-origin", allowed),
        (b"access-control-allow-methods", _METHODS),
        (b"access-control-allow-headers", _SENT),
        (b"access-control-max-age", _KEPT_S),
        (b"vary", b"Origin"),
        (b"x-request-id", request_id),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})

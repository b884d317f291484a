"""Request ids: the caller's id if it is well formed, otherwise a new one. A response carries it once.

Ray Serve's proxy also adds the header to every response, with the value the caller sent; `OneRequestId` wraps it.
"""

import os
import re
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = b"x-request-id"
_FORM = re.compile(rb"[A-Za-z0-9._-]{1,64}")
Headers = list[tuple[bytes, bytes]]


def request_id_of(headers: Headers) -> bytes:
    """Return the first well-formed id that was sent, or a new one."""
    for name, value in headers:
        if name.lower() == HEADER and _FORM.fullmatch(value):
            return value
    return os.urandom(12).hex().encode()


class OneRequestId:
    """ASGI middleware: the app gets one well-formed id, and the answer carries only that one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request id to the app and put exactly one on the response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        chosen = request_id_of(scope["headers"])
        inner = {**scope, "headers": [*_without(scope["headers"]), (HEADER, chosen)]}

        async def send_once(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*_without(message.get("headers", [])), (HEADER, chosen)]}
            await send(message)

        await self.app(inner, receive, send_once)


def _without(headers: Any) -> Headers:
    return [(name, value) for name, value in headers if name.lower() != HEADER]

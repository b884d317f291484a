"""Sends a small body to the replica together with the headers.

A replica of Ray Serve otherwise asks the proxy for the body by calls of its own, which cost more CPU time than the
upload. The body travels in the ASGI scope, from which `quire.serve_apps.deployments.accept_carried_bodies` takes it. A
server that does not know this receives the body as usual.
"""

import asyncio
from collections import deque
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.serve_apps.api.http.request_body import declared_bytes

CARRIED = "quire.body"
"""Key of the ASGI scope that holds the body."""
MOST_BYTES = 1 << 20  # largest declared length of a body that travels with its headers
PATIENCE_S = 0.05
"""Seconds to wait for a whole body. A slower one is received by the API, which has the time limits."""


class SmallBodies:
    """ASGI middleware that puts a small body into the scope."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Receive a small body, if it arrives at once, and pass the request on."""
        length = declared_bytes(scope["headers"]) if scope["type"] == "http" else None
        if length is None or length > MOST_BYTES:
            await self.app(scope, receive, send)
            return
        if not length:
            await self.app({**scope, CARRIED: b""}, receive, send)
            return
        received = deque[Message]()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                while not received or received[-1].get("more_body"):
                    received.append(await receive())
        if received and received[-1]["type"] == "http.request" and not received[-1].get("more_body"):
            scope = {**scope, CARRIED: b"".join(message.get("body", b"") for message in received)}

        async def receive_again() -> Message:
            return received.popleft() if received else await receive()

        await self.app(scope, receive_again, send)

"""A request's body as it arrives: count it against its limit, and receive it completely before an early answer.

A server that answers and closes while bytes are still arriving resets the connection, and the client never sees the
answer. Unread bytes are therefore received and dropped first, up to a limit.
"""

import asyncio
from contextlib import suppress

from starlette.types import Message, Receive

from quire.serve_apps.api.http.refusals import UploadTooLarge

MOST_DROPPED_BYTES = 64 << 20
"""Maximum bytes received only so that a refusal arrives: one file over the default limit."""
SILENCE_S = 2.0  # seconds without a byte before the connection is reset
IN_ALL_S = 30.0  # seconds in total, also for a client that sends slowly

EXPECTED = b"x-quire-expected"
"""Header of the preceding request; its value is the method of the real one."""


class RequestBody:
    """Body of a request, limited to `cap` bytes.

    `declared` is its stated length (-1: not stated). An `expected` body is sent by the client only once it is received.
    """

    def __init__(self, receive: Receive, cap: int, declared: int = -1, *, expected: bool = False) -> None:
        self._receive, self._cap, self._declared, self._expected = receive, cap, declared, expected
        self._taken, self._ended = 0, False

    async def receive(self) -> Message:
        """Return the next message.

        Raises:
            UploadTooLarge: The body exceeds its limit with this message.
        """
        message = await self._next()
        if self._taken > self._cap:
            raise UploadTooLarge(f"the request may have {self._cap} bytes")
        return message

    async def drop_unread(self) -> None:
        """Receive and drop the unread bytes, unless they are known to exceed the limit."""
        most = self._taken + MOST_DROPPED_BYTES
        if self._declared > most or (self._expected and not self._taken):
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(IN_ALL_S):
                while not self._ended and self._taken < most:
                    async with asyncio.timeout(SILENCE_S):
                        await self._next()

    async def _next(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        self._ended = message["type"] != "http.request" or not message.get("more_body", False)
        return message


def expects_continue(headers: list[tuple[bytes, bytes]]) -> bool:
    """Return whether the client waits for `100 Continue` before it sends the body."""
    return any(name == b"expect" and value.lower() == b"100-continue" for name, value in headers)


def declared_bytes(headers: list[tuple[bytes, bytes]]) -> int | None:
    """Return the declared length of a body: 0 without a body, None if the length is not stated."""
    for name, value in headers:
        if name == b"transfer-encoding":
            return None
        if name == b"content-length":
            return int(value) if value.isdigit() and len(value) < 19 else None
    return 0


def received_whole(body: bytes) -> Receive:
    """Return the `receive` of a request whose body is known.

    After the body it waits until it is cancelled, like a client that stays. A server that waits for a disconnect would
    otherwise call it without end, and its event loop would stop.
    """
    is_taken = False

    async def receive() -> Message:
        nonlocal is_taken
        if is_taken:
            await asyncio.Event().wait()
        is_taken = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive

"""gzip for complete JSON and text answers. Large ones are compressed in a thread; streams are not compressed."""

import asyncio
import gzip

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SMALLEST, _INLINE, _LEVEL = 2048, 64 * 1024, 3
"""Bytes worth packing, bytes packed on the event loop, gzip level (higher costs more than it saves)."""
_PACKED_TYPES = (b"application/json", b"application/problem+json", b"text/")


class Gzip:
    """Middleware that compresses answers. Streams, pictures and encoded answers are not changed."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Compress responses of clients that accept gzip."""
        if scope["type"] != "http" or not _accepts_gzip(scope["headers"]):
            await self.app(scope, receive, send)
            return
        pending_start: Message | None = None

        async def packing(message: Message) -> None:
            nonlocal pending_start
            if message["type"] == "http.response.start":
                pending_start = message
                return
            if pending_start is not None:
                start, pending_start = pending_start, None
                message = await _pack(start, message)
                await send(start)
            await send(message)

        await self.app(scope, receive, packing)


async def _pack(start: Message, message: Message) -> Message:
    """Return the body message to send, compressed if that is useful, and update the headers of `start`."""
    headers = dict(start["headers"])
    body = message.get("body", b"")
    fits = headers.get(b"content-type", b"").startswith(_PACKED_TYPES) and b"content-encoding" not in headers
    fits = fits and start["status"] != 206  # Content-Range counts bytes of the file
    if message.get("more_body") or len(body) < _SMALLEST or not fits:
        return message
    packed = (
        gzip.compress(body, _LEVEL) if len(body) < _INLINE else await asyncio.to_thread(gzip.compress, body, _LEVEL)
    )
    headers |= {b"content-encoding": b"gzip", b"content-length": str(len(packed)).encode(), b"vary": b"Accept-Encoding"}
    if b"etag" in headers:  # a strong tag would promise the same bytes
        headers[b"etag"] = b"W/" + headers[b"etag"].removeprefix(b"W/")
    start["headers"] = list(headers.items())
    return {**message, "body": packed}


def _accepts_gzip(headers: list[tuple[bytes, bytes]]) -> bool:
    for name, value in headers:
        if name == b"accept-encoding":
            for coding in value.lower().split(b","):
                kind, _, quality = coding.partition(b";")
                if kind.strip() in {b"gzip", b"*"} and quality.replace(b" ", b"") not in {b"q=0", b"q=0.0"}:
                    return True
    return False

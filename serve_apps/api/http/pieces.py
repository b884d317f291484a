"""Sends response bodies in pieces.

A message between a replica and Serve's proxy may have 4 MiB, and a server buffers what it is given at once.
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PIECE_BYTES = 1 << 20  # bytes of one message: a quarter of the limit leaves room for its envelope


class InPieces:
    """ASGI middleware that splits body messages. It belongs around the whole app of a replica."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request and send its body in pieces of at most `PIECE_BYTES`."""

        async def send_pieces(message: Message) -> None:
            body = message.get("body", b"")
            if message["type"] != "http.response.body" or len(body) <= PIECE_BYTES:
                await send(message)
                return
            for start in range(0, len(body), PIECE_BYTES):
                more = start + PIECE_BYTES < len(body) or message.get("more_body", False)
                await send({**message, "body": body[start : start + PIECE_BYTES], "more_body": more})

        await self.app(scope, receive, send_pieces)

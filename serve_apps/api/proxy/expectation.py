"""`Expect: 100-continue`: the body is requested only after the API has checked the key and the size.

Serve's proxy starts to receive a body as soon as it has the headers, which makes uvicorn send `100 Continue`. The
middleware therefore first sends the headers alone, as an OPTIONS request with `EXPECTED`, which the API answers with
204 or with a refusal (`quire.serve_apps.api.http.middleware`).
"""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.serve_apps.api.http.request_body import (
    EXPECTED,
    RequestBody,
    declared_bytes,
    expects_continue,
    received_whole,
)


class CheckedExpectation:
    """ASGI middleware that checks requests with an expectation before their body is received."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the API about the headers, and pass on the request or the refusal."""
        headers = scope.get("headers", [])
        if scope["type"] != "http" or not expects_continue(headers) or declared_bytes(headers) == 0:
            await self.app(scope, receive, send)
            return
        answer: list[Message] = []

        async def keep(message: Message) -> None:
            answer.append(message)

        asked = [*headers, (EXPECTED, scope["method"].encode())]
        await self.app({**scope, "method": "OPTIONS", "headers": asked}, received_whole(b""), keep)
        if answer and answer[0].get("status") == 204:
            unconditional = [(name, value) for name, value in headers if name != b"expect"]
            await self.app({**scope, "headers": unconditional}, receive, send)
            return
        for message in answer:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
            else:
                message["more_body"] = True
            await send(message)
        if answer:  # a client that sends the body nevertheless would lose the answer if the connection were closed now
            await RequestBody(receive, 0, declared_bytes(headers) or 0).drop_unread()
            await send({"type": "http.response.body"})

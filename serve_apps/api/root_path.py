"""The path prefix under which a reverse proxy publishes the service (SVC_ROOT_PATH).

The proxy may remove the prefix or keep it. Links in pages, scripts and headers begin with `/`. They get the prefix
here, so neither templates nor routes need to know it. The guide is a built site whose links are relative.
"""

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LINK = re.compile(rb"""([=(,:?] ?)(["'`])(/(?:ui|v1|guide|docs|openapi\.json)\b|/(?=["'`]))""")
"""A quoted address of the service in an attribute, a call or an object; text of documents has its quotes escaped."""
_REWRITTEN = (b"text/html", b"text/javascript", b"application/javascript")
_RELATIVE = "/guide/"
_MOVED = frozenset({b"location", b"hx-redirect", b"hx-push-url", b"content-location"})


class RootPath:
    """ASGI middleware that removes the prefix from requests and adds it to links of answers."""

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self.app, self.prefix, self.written = app, prefix, prefix.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with or without the prefix."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        if path == self.prefix or path.startswith(f"{self.prefix}/"):
            path = path.removeprefix(self.prefix) or "/"
            scope = {**scope, "path": path, "raw_path": scope.get("raw_path", b"").removeprefix(self.written) or b"/"}
        held: Message | None = None
        body = bytearray()

        async def send_with_prefix(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start":
                message = {**message, "headers": [self._move(name, value) for name, value in message["headers"]]}
                if _is_rewritten(message["headers"]) and not path.startswith(_RELATIVE):
                    held = message
                    return
            elif held is not None:
                body.extend(message.get("body", b""))
                if message.get("more_body", False):
                    return
                message = {**message, "body": _LINK.sub(rb"\1\2" + self.written + rb"\3", bytes(body))}
                await send(_with_length(held, len(message["body"])))
            await send(message)

        await self.app(scope, receive, send_with_prefix)

    def _move(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        """Return a header with the prefix in its address."""
        if name.lower() in _MOVED and value.startswith(b"/") and not value.startswith(b"//"):
            return name, self.written + value
        if name.lower() == b"set-cookie":
            return name, value.replace(b"; Path=/ui", b"; Path=" + self.written + b"/ui")
        return name, value


def _is_rewritten(headers: list[tuple[bytes, bytes]]) -> bool:
    facts = {name.lower(): value for name, value in headers}
    return facts.get(b"content-type", b"").startswith(_REWRITTEN) and b"content-encoding" not in facts


def _with_length(start: Message, length: int) -> Message:
    headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
    return {**start, "headers": [*headers, (b"content-length", str(length).encode())]}

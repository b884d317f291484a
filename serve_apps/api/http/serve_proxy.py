"""What Ray Serve's HTTP proxy puts around everything (RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH)."""

import json
from typing import Any

from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from serve_apps.api.http.request_id import OneRequestId

_TOLD = "/-/routes"
_NOT_FOUND = {
    "type": "urn:quire:problem:not-found",
    "title": "Not Found",
    "status": 404,
    "detail": "There is no such resource.",
    "code": "not-found",
}
"""As the API answers; written out, because the proxy's process loads nothing of it."""


class NoRouteList:
    """ASGI: the proxy's list of applications is told to nobody; its `/-/healthz` stays, for whoever probes a node."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == _TOLD:
            headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
            await Response(json.dumps(_NOT_FOUND), 404, headers, "application/problem+json")(scope, receive, send)
            return
        await self.app(scope, receive, send)


def proxy_middlewares() -> list[Any]:
    """Outermost first."""
    return [Middleware(OneRequestId), Middleware(NoRouteList)]

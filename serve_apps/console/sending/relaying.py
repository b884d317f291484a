"""Pass a tenant's GET to the engine unchanged, in the tenant's organisation."""

from fastapi import Request
from starlette.responses import Response

from quire.serve_apps.console.callers.callers import ConsoleCaller


async def relay(request: Request, caller: ConsoleCaller, path: str, *, wait_s: float = 0.0) -> Response:
    """Return the engine's answer to the request with an unchanged query. Raises EngineFailed."""
    query = request.url.query
    target = f"{path}?{query}" if query else path
    return await caller.running.engine.relay(target, caller.org, request.headers, wait_s=wait_s)

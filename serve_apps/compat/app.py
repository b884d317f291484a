"""Compatible interfaces of docling-serve and unstructured: the engine parses each file, and answers have their form.

The caller's key is passed to the engine, so tenants, quotas and limits are the engine's. The app is stateless.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI

from quire.serve_apps.api.http.middleware import OuterMiddleware
from quire.serve_apps.api.http.problems import install
from quire.serve_apps.compat import docling_routes, unstructured_routes
from quire.serve_apps.compat.conversion import Converter
from quire.serve_apps.compat.docling_routes import MAX_FILES

MEGABYTE = 1024 * 1024  # bytes


def create_compat(engine_url: str, *, max_upload_bytes: int = 50 * MEGABYTE, wait_s: float = 120.0) -> FastAPI:
    """Build the compatible interfaces in front of the engine at `engine_url`.

    A conversion that takes longer than `wait_s` seconds is answered with 504.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        timeout = httpx.Timeout(wait_s + 30, connect=5.0)
        unbounded = httpx.Limits(max_keepalive_connections=64)  # the engine shares its places by tenant
        async with httpx.AsyncClient(base_url=engine_url, timeout=timeout, limits=unbounded, trust_env=False) as client:
            app.state.converter = Converter(client, wait_s)
            yield

    app = FastAPI(title="Quire for docling-serve clients", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.max_json_bytes = max_upload_bytes * 4 // 3 + MEGABYTE  # one upload in base64
    install(app)
    docling_routes.install(app)
    unstructured_routes.install(app)
    app.add_api_route("/health", health, methods=["GET"])
    cap = max_upload_bytes * MAX_FILES + MEGABYTE
    app.add_middleware(OuterMiddleware, body_cap=lambda _: cap, max_inflight_bytes=512 * MEGABYTE)
    return app


async def health() -> dict[str, str]:
    """Return the status that docling-serve clients check first."""
    return {"status": "ok"}

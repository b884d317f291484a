"""The console as one ASGI app, built from values: the hosted /v1, /api for sessions, pages. It reads no setting."""

from fastapi import FastAPI

from quire.models.cdom.version import INTERFACE_VERSION
from quire.serve_apps.api.http.cors import Cors
from quire.serve_apps.api.http.middleware import OuterMiddleware
from quire.serve_apps.console.context.console_state import ConsoleState
from quire.serve_apps.console.context.printable import NoNul
from quire.serve_apps.console.context.problems import install_problems
from quire.serve_apps.console.context.resources import MEGABYTE, ConsoleLimits, ConsoleResources
from quire.serve_apps.console.routes import (
    account,
    jobs,
    outputs,
    search,
    search_page,
    session_api,
    sessions,
    usage,
    viewer,
    views,
    webhooks,
)
from quire.serve_apps.guide.site import install as install_guide

_PARTS = (jobs, outputs, search, usage, session_api, sessions, account, views, viewer, search_page, webhooks)


def create_console(resources: ConsoleResources) -> FastAPI:
    """Build the hosted interface in front of `resources.engine_url`. Other paths (health, stats, …) return 404."""
    running = ConsoleState(resources)
    app = FastAPI(
        title="Quire console",
        version=INTERFACE_VERSION,
        description="The hosted part of the interface.",
        lifespan=running.lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.running = running
    for part in _PARTS:
        app.router.routes.extend(part.router.routes)
    install_guide(app)
    install_problems(app)
    limits = resources.limits
    app.add_middleware(NoNul)
    app.add_middleware(OuterMiddleware, body_cap=_ConsoleBodyCaps(limits), max_inflight_bytes=limits.max_inflight_bytes)
    if limits.cors_origins:
        app.add_middleware(Cors, origins=limits.cors_origins)
    return app


class _ConsoleBodyCaps:
    """Maximum total request body size in bytes, by the end of the path (a prefix may precede it)."""

    def __init__(self, limits: ConsoleLimits) -> None:
        batch = limits.max_file_bytes * limits.max_batch_files + MEGABYTE
        self._caps = {"/v1/jobs": batch, "/api/jobs": batch, "/v1/parse": limits.max_file_bytes + MEGABYTE}

    def __call__(self, path: str) -> int:
        return next((cap for end, cap in self._caps.items() if path.endswith(end)), MEGABYTE)

"""The API as one ASGI app, built from values: routes, error table, outer layer. It starts nothing."""

from functools import partial

from fastapi import FastAPI

from quire.models.cdom.version import INTERFACE_VERSION
from quire.serve_apps.access.operations import Operation, read_operations
from quire.serve_apps.api import docs_page
from quire.serve_apps.api.context.app_state import AppState
from quire.serve_apps.api.context.deps import check_caller, find_tenant
from quire.serve_apps.api.context.resources import MEGABYTE, ApiLimits, Resources
from quire.serve_apps.api.http import problems
from quire.serve_apps.api.http.compression import Gzip
from quire.serve_apps.api.http.cors import Cors
from quire.serve_apps.api.http.middleware import OuterMiddleware
from quire.serve_apps.api.openapi import describe
from quire.serve_apps.api.root_path import RootPath
from quire.serve_apps.api.routes.data import changes, sql
from quire.serve_apps.api.routes.jobs import documents, ephemeral, events, extract, ingest, jobs, parse, uploads
from quire.serve_apps.api.routes.operations import (
    audit,
    erasure,
    health,
    license,
    metrics,
    schemas,
    sources,
    stats,
    targets,
    token,
    usage,
    webhooks,
)
from quire.serve_apps.api.routes.results import (
    archive,
    derived,
    exports,
    finetune,
    flag_boxes,
    originals,
    pictures,
    plugin_exports,
    readings,
    review,
    search,
    tables,
    trees,
)
from quire.serve_apps.guide.site import install as install_guide
from quire.serve_apps.ui.routes import install as install_dashboard

_PARTS = (
    jobs,
    parse,
    uploads,
    trees,
    health,
    events,
    stats,
    token,
    license,
    ingest,
    tables,
    documents,
    changes,
    sql,
    originals,
    pictures,
    derived,
    exports,
    finetune,
    archive,
    usage,
    audit,
    erasure,
    webhooks,
    targets,
    sources,
    metrics,
    plugin_exports,
    ephemeral,
    extract,
    schemas,
    review,
    flag_boxes,
    readings,
    search,
)
_ROUTERS = tuple(part.router for part in _PARTS)


def list_operations() -> dict[str, Operation]:
    """Return all operations by id.

    Raises:
        LookupError: A route states no id and no scope.
    """
    return {operation.id: operation for router in _ROUTERS for operation in read_operations(router.routes)}


def create_app(resources: Resources) -> FastAPI:
    """Build the ASGI app that serves `/v1`, the guide and the dashboard.

    Raises:
        LookupError: A route states no id and no scope.
    """
    running = AppState(resources)
    app = FastAPI(
        title="Quire",
        version=INTERFACE_VERSION,
        description="Documents in, one canonical tree out.",
        lifespan=running.lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.running, limits = running, resources.limits
    for router in _ROUTERS:
        app.router.routes.extend(router.routes)  # flat: matching nested routers costs 30 µs of CPU per request
    app.state.operations = list_operations()
    problems.install(app)
    docs_page.install(app)
    install_guide(app)
    install_dashboard(app, resources)
    app.openapi = lambda: describe(app, limits.root_path)  # type: ignore[method-assign]
    if limits.root_path:
        app.add_middleware(RootPath, prefix=limits.root_path)
    app.add_middleware(Gzip)
    app.add_middleware(
        OuterMiddleware,
        body_cap=_BodyCaps(limits),
        check_caller=partial(check_caller, running),
        find_tenant=partial(find_tenant, running),
        max_inflight_bytes=limits.max_inflight_bytes,
        tracing=resources.tracing,
    )
    if limits.cors_origins:
        app.add_middleware(Cors, origins=limits.cors_origins)
    return app


class _BodyCaps:
    """Maximum total request body size in bytes, by path, for the API and for the dashboard under /ui."""

    def __init__(self, limits: ApiLimits) -> None:
        room = MEGABYTE  # part headers and form fields
        self._caps = {
            "/v1/jobs": limits.max_upload_bytes * limits.max_batch_files + room,
            "/v1/parse": limits.max_upload_bytes + room,
            "/v1/ingest": limits.max_ingest_bytes,
            "/v1/compare": limits.max_upload_bytes * 2 + room,
            "/v1/extract": limits.max_upload_bytes + room,
            "/check-upload": limits.max_upload_bytes + room,
            "/v1/evaluate": limits.max_upload_bytes * limits.max_batch_files + room,
        }

    def __call__(self, path: str) -> int:
        return self._caps.get(path.removeprefix("/ui"), MEGABYTE)

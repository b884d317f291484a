"""GET /v1/health: liveness without any access, or readiness after checking the service's dependencies."""

import asyncio
from typing import Any

from starlette.responses import Response

from quire.models.cdom.ports import PortUnavailable
from quire.models.cdom.version import RAG_GENERATOR_VERSION, SERVICE_VERSION, read_core_state
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.api.context.app_state import AppState
from quire.serve_apps.api.context.deps import RunningDep
from quire.serve_apps.api.lanes.fair_places import Overloaded
from quire.serve_apps.api.shapes.bodies import HealthBody
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.jobs.stats import is_standing
from quire.storage.objects.durable_files import UPLOAD_ROOM, require_free
from quire.storage.queue.usage import check_clock
from quire.storage.store import Store
from quire.storage.upkeep.deployment import check_stores
from quire.storage.values.errors import NoSpace, StorageError

router = Operations("health")
_COMPONENTS = {"engine": SERVICE_VERSION, "rag_generator": RAG_GENERATOR_VERSION}
_CLUSTER_TIMEOUT_S = 1.0  # seconds Ray may take to answer deep health
_INDEX_TIMEOUT_S = 3.0  # seconds the index may take to answer deep health
_STANDING_S = 60.0  # fair seconds of one batch at the embedder, which takes a third of one, that are a standing queue
Check = dict[str, str]
_MOVES: Check = {"status": "ok", "detail": "moves"}


@router.operation(
    "GET /v1/health", "get_health", None, responses={200: {"model": HealthBody}, 503: {"model": HealthBody}}
)
async def read_health(running: RunningDep, deep: bool = False) -> Response:
    """Report liveness; deep=true checks every store that an upload needs, and each queue. 503 if one fails."""
    if not deep:
        return json_response({"status": "ok", **_facts()})
    body = await running.deep_health.get(lambda: _look_deep(running))
    ready = body["status"] == "ok"
    return json_response(body, 200 if ready else 503, None if ready else {"Retry-After": "5"})


async def _look_deep(running: AppState) -> dict[str, Any]:
    found: Any
    *found, cluster = await asyncio.gather(
        _check_store(running),
        _check_disk(running),
        _check_originals(running),
        _check_index(running),
        _check_queue(running),
        _check_reading(running),
        _ask_cluster(running),
    )
    names = ("job_store", "disk", "originals", "search_index", "index_queue", "reading_queue")
    checks: dict[str, Check] = dict(zip(names, found, strict=True))
    good = all(check["status"] == "ok" for check in checks.values())
    facts, warnings = cluster
    return {
        "status": "ok" if good else "degraded",
        **_facts(),
        "checks": checks,
        "cluster": facts,
        "warnings": warnings,
    }


async def _check_store(running: AppState) -> Check:
    """Check that the store is writable by recording the highest time seen."""
    try:
        running.resources.license.observe(await running.sql.run(check_clock, running.resources.store.db))
    except (StorageError, Overloaded) as error:
        return {"status": "failed", "detail": error.code}
    return {"status": "ok", "detail": "writable"}


async def _check_disk(running: AppState) -> Check:
    try:
        await running.disk.run(require_free, running.resources.store.workdir, UPLOAD_ROOM)
    except NoSpace as error:
        return {"status": "failed", "detail": str(error)}
    except OSError:
        return {"status": "failed", "detail": "the workdir cannot be read"}
    return {"status": "ok", "detail": "headroom"}


async def _check_originals(running: AppState) -> Check:
    """Check that originals and derived files can be stored: their marks are there, and a file can be begun."""
    try:
        async with asyncio.timeout(_INDEX_TIMEOUT_S):
            await running.disk.run(_begin_upload, running.resources.store)
    except NoSpace:
        return {"status": "ok", "detail": "see disk"}
    except (TimeoutError, StorageError, Overloaded) as error:
        return {"status": "failed", "detail": f"uploads cannot be stored ({getattr(error, 'code', 'no answer')})"}
    return {"status": "ok", "detail": "writable"}


def _begin_upload(store: Store) -> None:
    check_stores(store.db, store.marked)
    writer = store.blobs.new_writer()
    try:
        writer.write(b"health")
    finally:
        writer.abort()


async def _check_reading(running: AppState) -> Check:
    """Check that documents are read: none waits for long while no reader holds one."""
    try:
        standing = await running.sql.run(is_standing, running.resources.store.db)
    except (StorageError, Overloaded) as error:
        return {"status": "failed", "detail": error.code}
    return {"status": "failed", "detail": "documents wait, and no reader takes one"} if standing else _MOVES


async def _check_index(running: AppState) -> Check:
    """Check that the search index answers, and report the delay of its keyword index; "off" without an index."""
    port = running.resources.ports.search
    if port is None:
        return {"status": "ok", "detail": "off"}
    try:
        async with asyncio.timeout(_INDEX_TIMEOUT_S):
            behind_s = await port.check()
    except (TimeoutError, PortUnavailable):
        return {"status": "failed", "detail": "the search index does not answer"}
    age = f", keyword index {behind_s:.0f} s behind" if behind_s >= 1 else ""
    return {"status": "ok", "detail": f"reachable{age}"}


async def _check_queue(running: AppState) -> Check:
    """Check that the embedder's queue moves, by the clock of the embedder's process; "off" without an embedder."""
    port = running.resources.ports.index_queue
    if port is None:
        return {"status": "ok", "detail": "off"}
    try:
        async with asyncio.timeout(_INDEX_TIMEOUT_S):
            state = await port.queue_state()
    except (TimeoutError, PortUnavailable):
        return {"status": "ok", "detail": "the embedder does not answer; documents wait"}
    if state.standing_s > _STANDING_S:
        return {"status": "failed", "detail": f"does not move; {state.waiting} chunks wait"}
    return {"status": "ok", "detail": f"{state.waiting} chunks wait"}


async def _ask_cluster(running: AppState) -> tuple[dict[str, object] | None, list[str]]:
    """Return the cluster's facts and warnings. A missing answer is a warning."""
    port = running.resources.ports.cluster_state
    if port is None:
        return None, []
    try:
        async with asyncio.timeout(_CLUSTER_TIMEOUT_S):
            facts = await port.cluster_state()
    except (TimeoutError, PortUnavailable):
        return None, ["the cluster does not answer"]
    warnings = facts.get("warnings")
    return facts, [str(warning) for warning in warnings] if isinstance(warnings, list) else []


def _facts() -> dict[str, Any]:
    return {"version": SERVICE_VERSION, "components": _COMPONENTS, "reading_core": read_core_state()}

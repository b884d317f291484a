"""GET /v1/stats: the length of the queue, and the caller's jobs by status."""

from starlette.responses import Response

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import CallDep
from quire.serve_apps.api.shapes.bodies import StatsBody
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.jobs.stats import my_jobs, queue_tasks

router = Operations("system")


@router.operation("GET /v1/stats", "get_stats", READ, StatsBody)
async def read_stats(call: CallDep) -> Response:
    """Return counts: tasks of the whole deployment, jobs of this tenant and organisation."""
    tasks = await call.running.sql.run(queue_tasks, call.store.db)
    jobs = await call.running.sql.run(my_jobs, call.store.db, call.scope)
    return json_response({"queue_tasks": tasks, "my_jobs": jobs})

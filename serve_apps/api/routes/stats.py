"""GET /v1/stats: how deep the queue is, and the caller's own jobs by status."""

from fastapi import APIRouter
from starlette.responses import Response

from serve_apps.api.bodies import StatsBody
from serve_apps.api.deps import CallerDep, RunningDep
from serve_apps.api.rendering import json_response
from storage.stats import my_jobs, queue_tasks

router = APIRouter(tags=["system"])


@router.get("/v1/stats", responses={200: {"model": StatsBody}})
async def read_stats(caller: CallerDep, running: RunningDep) -> Response:
    """Counts only: tasks of the whole deployment, jobs of this tenant and organisation."""
    db = running.resources.store.db
    tasks = await running.sql.run(queue_tasks, db)
    jobs = await running.sql.run(my_jobs, db, caller.data)
    return json_response({"queue_tasks": tasks, "my_jobs": jobs})

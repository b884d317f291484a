"""/v1/jobs: submit documents, list jobs, look at one."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from serve_apps.api.bodies import JobBody, JobListItem
from serve_apps.api.deps import CallerDep, JobIdDep, RequestIdDep, RunningDep
from serve_apps.api.pages import Cursor, Limit, page_response
from serve_apps.api.rendering import json_response, render_job, render_listed_job
from serve_apps.api.submitting import JOBS_UPLOAD, receive, submit
from storage.jobs import get_job, list_jobs
from storage.states import JobStatus, Priority

router = APIRouter(tags=["jobs"])


@router.post("/v1/jobs", status_code=201, responses={201: {"model": JobBody}}, openapi_extra=JOBS_UPLOAD)
async def create_job(request: Request, caller: CallerDep, running: RunningDep, request_id: RequestIdDep) -> Response:
    """Queue one or more files. Their type is judged by content when they are read, so any file is taken here."""
    upload = await receive(request, running, frozenset({"files", "file"}), running.resources.limits.max_batch_files)
    job = await submit(running, caller, request_id, upload, priority=Priority.JOB, kind="jobs")
    return json_response(render_job(job), 201, {"Location": f"/v1/jobs/{job.id}"})


@router.get("/v1/jobs", responses={200: {"model": list[JobListItem]}})
async def read_jobs(
    caller: CallerDep,
    running: RunningDep,
    status: JobStatus | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Most recent first; X-Next-Cursor is absent on the last page."""
    page = await running.sql.run(
        list_jobs, running.resources.store, caller.data, status=status, limit=limit, cursor=cursor
    )
    return page_response(page, render_listed_job)


@router.get("/v1/jobs/{job_id}", responses={200: {"model": JobBody}})
async def read_job(job_id: JobIdDep, caller: CallerDep, running: RunningDep) -> Response:
    """One job with its finished documents and those still waiting."""
    job = await running.sql.run(get_job, running.resources.store.db, caller.data, job_id)
    return json_response(render_job(job))

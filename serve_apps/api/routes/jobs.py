"""/v1/jobs: submit documents, list jobs, look at one."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from serve_apps.api.bodies import JobBody, JobListItem
from serve_apps.api.deps import CallDep, JobIdDep
from serve_apps.api.pages import Cursor, Limit, page_response
from serve_apps.api.rendering import JSON, json_response, render_job, render_listed_job
from serve_apps.api.submitting import JOBS_UPLOAD, receive, submit
from storage.jobs import list_jobs
from storage.states import JobStatus, Priority

router = APIRouter(tags=["jobs"])


@router.post("/v1/jobs", status_code=201, responses={201: {"model": JobBody}}, openapi_extra=JOBS_UPLOAD)
async def create_job(request: Request, call: CallDep) -> Response:
    """Queue one or more files. Their type is judged by content when they are read, so any file is taken here."""
    upload = await receive(request, call, frozenset({"files", "file"}), call.running.resources.limits.max_batch_files)
    job = await submit(call, upload, priority=Priority.JOB, kind="jobs")
    return json_response(render_job(job), 201, {"Location": f"/v1/jobs/{job.id}"})


@router.get("/v1/jobs", responses={200: {"model": list[JobListItem]}})
async def read_jobs(
    call: CallDep,
    status: JobStatus | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Most recent first; X-Next-Cursor is absent on the last page."""
    page = await call.running.sql.run(list_jobs, call.store, call.scope, status=status, limit=limit, cursor=cursor)
    return page_response(page, render_listed_job)


@router.get("/v1/jobs/{job_id}", responses={200: {"model": JobBody}})
async def read_job(job_id: JobIdDep, call: CallDep) -> Response:
    """One job with its finished documents and those still waiting."""
    return Response(await call.running.job_answers.get(call.scope, job_id), media_type=JSON)

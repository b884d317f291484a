"""/v1/jobs: submit documents, list jobs, read one or wait for it, cancel and delete."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from quire.serve_apps.access.operations import UPLOAD_CONFLICTS, Operations
from quire.serve_apps.access.scopes import READ, WRITE
from quire.serve_apps.api.context.deps import Call, CallDep, JobIdDep
from quire.serve_apps.api.context.job_answers import JobAnswer
from quire.serve_apps.api.intake.idempotency import IdempotencyKeyHeader, replayed
from quire.serve_apps.api.intake.submitting import JOBS_UPLOAD, receive, submit
from quire.serve_apps.api.shapes.bodies import DocumentAloneBody, JobBody, JobListItem
from quire.serve_apps.api.shapes.pages import Cursor, Limit, page_response
from quire.serve_apps.api.shapes.rendering import (
    JSON,
    json_response,
    render_document_alone,
    render_job,
    render_listed_job,
    render_submitted_job,
)
from quire.storage.jobs.documents import list_documents
from quire.storage.jobs.jobs import get_job
from quire.storage.jobs.lifecycle import cancel_job, delete_job
from quire.storage.jobs.listing import list_whole_jobs
from quire.storage.values.rows import JobId
from quire.storage.values.states import JobStatus, Priority

router = Operations("jobs")
Wait = Annotated[float, Query(ge=0, le=600, allow_inf_nan=False, description="Seconds to wait until the job ends.")]


@router.operation(
    "POST /v1/jobs",
    "create_job",
    WRITE,
    JobBody,
    status=201,
    refusals={409: UPLOAD_CONFLICTS},
    openapi_extra=JOBS_UPLOAD,
    principals=True,
)
async def create_job(request: Request, call: CallDep, idempotency_key: IdempotencyKeyHeader = None) -> Response:
    """Queue one or more files. Their type is judged by content when they are read, so any file is taken here."""
    upload = await receive(request, call, frozenset({"files", "file"}), call.running.resources.limits.max_batch_files)
    job = await submit(call, upload, priority=Priority.JOB, kind="jobs", idempotency_key=idempotency_key)
    headers = {"Location": f"/v1/jobs/{job.id}"} | replayed(job)
    return json_response(render_submitted_job(job) if job.replayed else render_job(job), 201, headers)


@router.operation("GET /v1/jobs", "list_jobs", READ, list[JobListItem])
async def read_jobs(
    call: CallDep, status: JobStatus | None = None, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    """List jobs, most recent first, with their finished documents. The last page has no X-Next-Cursor.

    A page ends early so that it contains at most 2,000 documents.
    """
    page = await call.running.sql.run(
        list_whole_jobs, call.store, call.scope, status=status, limit=limit, cursor=cursor
    )
    return page_response(page, render_listed_job)


@router.operation("GET /v1/jobs/{job_id}", "get_job", READ, JobBody)
async def read_job(job_id: JobIdDep, call: CallDep, wait: Wait = 0.0) -> Response:
    """Return a job with its finished and waiting documents; `wait` delays the answer until it ends."""
    answer = await call.running.job_answers.get(call.scope, job_id)
    if wait and not answer.ended:
        answer = await _wait(call, job_id, wait)
    return Response(answer.body, media_type=JSON)


async def _wait(call: Call, job_id: JobId, seconds: float) -> JobAnswer:
    latest = await call.running.job_answers.get(call.scope, job_id)

    async def look() -> JobAnswer | None:
        nonlocal latest
        latest = await call.running.job_answers.get(call.scope, job_id)
        return latest if latest.ended else None

    return await call.running.waiters.until(job_id, seconds, look) or latest


@router.operation(
    "DELETE /v1/jobs/{job_id}",
    "delete_job",
    WRITE,
    status=204,
    refusals={409: "A document of the job is not finished."},
)
async def remove_job(job_id: JobIdDep, call: CallDep) -> Response:
    """Delete a job with its originals, outputs and records. 409 while a document is unfinished."""
    await call.running.disk.run(delete_job, call.store.db, call.scope, call.actor, job_id)
    return Response(status_code=204)


@router.operation("POST /v1/jobs/{job_id}/cancel", "cancel_job", WRITE, JobBody, repeatable=True)
async def cancel(job_id: JobIdDep, call: CallDep) -> Response:
    """Cancel the unfinished documents of a job; finished ones stay unchanged."""
    job = await call.running.disk.run(cancel_job, call.store.db, call.scope, call.actor, job_id)
    return json_response(render_job(job))


@router.operation("GET /v1/jobs/{job_id}/documents", "list_documents", READ, list[DocumentAloneBody])
async def read_documents(job_id: JobIdDep, call: CallDep, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List the job's documents in the order they were sent, finished or not."""
    sql, store = call.running.sql, call.store
    await sql.run(get_job, store.db, call.scope, job_id, detail=False)
    page = await sql.run(list_documents, store, call.scope, job_id, limit=limit, cursor=cursor)
    return page_response(page, render_document_alone)

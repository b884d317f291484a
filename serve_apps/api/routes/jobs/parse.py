"""POST /v1/parse: one file in, its tree in the same answer, or a job to poll if it takes longer."""

from typing import Annotated

from fastapi import Query, Request
from pydantic_core import to_json
from starlette.responses import Response

from quire.models.cdom.errors import ErrorCode, NoSuchPage
from quire.models.extract.formats.sniffing.signatures import check_head
from quire.serve_apps.access.operations import UPLOAD_CONFLICTS, Operations
from quire.serve_apps.access.scopes import WRITE
from quire.serve_apps.api.context.deps import Call, CallDep
from quire.serve_apps.api.documents.published import find_published
from quire.serve_apps.api.documents.trees import read_tree_of
from quire.serve_apps.api.intake.idempotency import IdempotencyKeyHeader, replayed
from quire.serve_apps.api.intake.read_fields import EXTRACT_SCHEMA
from quire.serve_apps.api.intake.submitting import PARSE_UPLOAD, receive, submit
from quire.serve_apps.api.routes.jobs.extract import extract_by_job
from quire.serve_apps.api.shapes.bodies import AcceptedBody, ParsedBody
from quire.serve_apps.api.shapes.rendering import JSON, has_ended, json_response, render_job
from quire.storage.jobs.jobs import get_job
from quire.storage.jobs.lifecycle import delete_job
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import JobId, JobRow
from quire.storage.values.states import DocumentStatus, Priority

router = Operations("jobs")
Timeout = Annotated[float, Query(ge=0, le=600, allow_inf_nan=False, description="Seconds to wait for the tree.")]


@router.operation(
    "POST /v1/parse",
    "parse",
    WRITE,
    refusals={409: UPLOAD_CONFLICTS},
    responses={200: {"model": ParsedBody}, 202: {"model": AcceptedBody}},
    openapi_extra=PARSE_UPLOAD,
    principals=True,
)
async def parse(
    request: Request, call: CallDep, timeout_s: Timeout = 55.0, idempotency_key: IdempotencyKeyHeader = None
) -> Response:
    """Read one file and return its job and tree. It has the same queue, record and metering as a job.

    A client that disconnects does not cancel the job. The answer is 422 `no-such-page` if `pages` select no page of
    the file; the service then keeps nothing.
    """
    upload = await receive(request, call, frozenset({"file"}), 1)
    check_head(upload.heads[0])
    job = await submit(call, upload, priority=Priority.PARSE, kind="parse", idempotency_key=idempotency_key)
    sql = call.running.sql
    try:
        answer = await call.running.waiters.until(
            job.id, timeout_s, lambda: sql.run(_look, call, job.id), fresh=not has_ended(job)
        )
    except NoSuchPage:  # a refused request leaves no job
        await call.running.disk.run(delete_job, call.store.db, call.scope, call.actor, job.id)
        raise
    if answer is not None:
        if upload.fields.get(EXTRACT_SCHEMA, "").strip():
            answer = answer[:-1] + b',"extracted":' + await _extract(call, job) + b"}"
        return Response(answer, headers=replayed(job), media_type=JSON)
    latest = await sql.run(get_job, call.store.db, call.scope, job.id, detail=False)
    headers = {"Location": f"/v1/jobs/{job.id}"} | replayed(job)
    return json_response({"job_id": job.id, "status": latest.status}, 202, headers)


async def _extract(call: Call, job: JobRow) -> bytes:
    """Return the extracted values as JSON, null for a document without a tree."""
    try:
        return await extract_by_job(await find_published(call, job.id, job.documents[0].id, redacted=False), job.id)
    except NotFound:
        return b"null"


def _look(call: Call, job_id: JobId) -> bytes | None:
    """Return the whole answer if the job has ended, otherwise None. Blocks.

    Raises:
        NoSuchPage: The selected pages do not exist.
    """
    job = get_job(call.store.db, call.scope, job_id)
    if not has_ended(job):
        return None
    if job.documents[0].error == ErrorCode.NO_SUCH_PAGE:
        raise NoSuchPage(job.documents[0].error_detail or "")
    return b'{"job":' + to_json(render_job(job)) + b',"tree":' + _tree(call, job) + b"}"


def _tree(call: Call, job: JobRow) -> bytes:
    document = job.documents[0]
    if document.status is not DocumentStatus.SUCCEEDED or document.deleted_at:
        return b"null"
    return read_tree_of(call.store, call.scope, job.id, document.id)

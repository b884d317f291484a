"""/api: actions of a signed-in session: create and revoke tokens, upload, follow progress.

A browser's request must come from this console's page and carry the session's form token. A program's request has no
origin to check.
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from quire.serve_apps.api.shapes.rendering import JSON, json_response
from quire.serve_apps.console.callers.callers import Visitor, VisitorDep, check_form, check_origin
from quire.serve_apps.console.callers.forms import read_form, read_text
from quire.serve_apps.console.routes.jobs import JOBS_PARTS
from quire.serve_apps.console.routes.usage import render_usage
from quire.serve_apps.console.sending.paths import job_path
from quire.serve_apps.console.sending.relaying import relay
from quire.serve_apps.console.sending.submitting import receive, send_jobs
from quire.serve_apps.console.store.admission import usage_of
from quire.serve_apps.console.store.tokens import create_token, revoke_token

router = APIRouter(tags=["session"])
LONGEST_NAME = 100  # characters of a token's name


@router.post("/api/tokens", status_code=201)
async def make_token(request: Request, visitor: VisitorDep) -> Response:
    """Create an access token and show it in this answer only. Body: `name`, as form or JSON."""
    form = await read_form(request)
    _check_sender(request, visitor, form.get("csrf"))
    name = read_text(form, "name", LONGEST_NAME)
    running = visitor.running
    row, secret = await running.disk.run(create_token, running.db, visitor.account, name)
    return json_response({"id": row.id, "name": row.name, "token": secret, "created_at": row.created_at}, 201)


@router.delete("/api/tokens/{token_id}", status_code=204)
async def end_token(request: Request, token_id: str, visitor: VisitorDep) -> Response:
    """Revoke a token with immediate effect."""
    _check_sender(request, visitor, None)
    running = visitor.running
    await running.disk.run(revoke_token, running.db, visitor.account, token_id)
    return Response(status_code=204)


@router.post("/api/jobs", status_code=201)
async def upload(request: Request, visitor: VisitorDep) -> Response:
    """Submit files dropped on the page, as POST /v1/jobs does with a token."""
    _check_sender(request, visitor, None)
    running = visitor.running
    files = await receive(request, running, JOBS_PARTS, running.resources.limits.max_batch_files)
    answer = await send_jobs(visitor.caller, files, None)
    return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type", JSON))


@router.get("/api/jobs/{job_id}")
async def progress(request: Request, job_id: str, visitor: VisitorDep) -> Response:
    """Return a job's state for the page that follows it."""
    return await relay(request, visitor.caller, await job_path(visitor.caller, job_id))


@router.get("/api/usage")
async def usage(visitor: VisitorDep) -> Response:
    """Return the month's usage for the page's meter."""
    running, tenant = visitor.running, visitor.account.tenant
    return json_response(render_usage(tenant, await running.sql.run(usage_of, running.db, tenant.id)))


def _check_sender(request: Request, visitor: Visitor, sent: Any) -> None:
    if check_origin(request):
        check_form(visitor, request.headers.get("x-csrf-token") or sent)

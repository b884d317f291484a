"""Pages of a signed-in account: documents with upload and meter, and tokens."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from quire.serve_apps.api.http.refusals import InvalidField
from quire.serve_apps.console.callers.callers import RunningDep, Visitor, VisitorDep, read_our_form
from quire.serve_apps.console.callers.forms import read_text
from quire.serve_apps.console.context.page_rendering import FILES, page
from quire.serve_apps.console.routes.session_api import LONGEST_NAME
from quire.serve_apps.console.routes.usage import render_usage
from quire.serve_apps.console.store.admission import usage_of
from quire.serve_apps.console.store.sent import list_sent
from quire.serve_apps.console.store.tokens import create_token, list_tokens, revoke_token
from quire.storage.values.errors import NotFound

router = APIRouter(include_in_schema=False)
PAGE = 50  # documents a page


@router.get("/static/{version}/{name}")
async def read_static(version: str, name: str) -> Response:
    """Return a script, style or icon of the pages."""
    answer = FILES.answer(version, name)
    if answer is None:
        raise NotFound("no such file")
    return answer


@router.get("/healthz")
async def healthz(running: RunningDep) -> Response:
    """Answer a load balancer: 200 if the console's database answers, otherwise 503."""
    await running.sql.run(running.db.fetch_one, "select 1 as one")
    return Response("ok\n", media_type="text/plain")


@router.get("")
async def redirect_to_root(request: Request) -> Response:
    """Redirect the console's address without its final slash."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}/", 307)


@router.get("/")
async def show_documents(request: Request, visitor: VisitorDep, before: str | None = None) -> Response:
    """Show the upload form, the usage meter and the sent documents, newest first."""
    running, tenant = visitor.running, visitor.account.tenant
    sent = await running.sql.run(list_sent, running.db, tenant.id, limit=PAGE + 1, before=before)
    usage = render_usage(tenant, await running.sql.run(usage_of, running.db, tenant.id))
    last = sent[PAGE - 1].document_id if len(sent) > PAGE else None
    shown: dict[str, Any] = {"sent": sent[:PAGE], "usage": usage, "last": last, "first": before is None}
    return page(request, "documents.html", visitor=visitor, limits=running.resources.limits, **shown)


@router.get("/tokens")
async def show_tokens(request: Request, visitor: VisitorDep) -> Response:
    """Show the tokens."""
    return await _tokens(request, visitor)


@router.post("/tokens")
async def make_token(request: Request, visitor: VisitorDep) -> Response:
    """Create a token and show it, only on this page."""
    form = await read_our_form(request, visitor)
    try:
        name = read_text(form, "name", LONGEST_NAME)
    except InvalidField:
        return await _tokens(request, visitor, 422, error="Enter a name of 1 to 100 characters.")
    running = visitor.running
    row, secret = await running.disk.run(create_token, running.db, visitor.account, name)
    return await _tokens(request, visitor, 201, made=row, secret=secret)


@router.post("/tokens/{token_id}/revoke")
async def end_token(request: Request, token_id: str, visitor: VisitorDep) -> Response:
    """Revoke the token."""
    await read_our_form(request, visitor)
    await visitor.running.disk.run(revoke_token, visitor.running.db, visitor.account, token_id)
    return RedirectResponse(f"{request.scope.get('root_path', '')}/tokens", 303)


async def _tokens(request: Request, visitor: Visitor, status: int = 200, **values: Any) -> Response:
    tokens = await visitor.running.sql.run(list_tokens, visitor.running.db, visitor.account.tenant.id)
    address = visitor.running.resources.public_url or str(request.base_url).rstrip("/")
    return page(request, "tokens.html", status, visitor=visitor, tokens=tokens, address=address, **values)

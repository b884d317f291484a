"""Pages of a signed-in account: documents with upload and meter, one document's results, tokens."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from serve_apps.api.refusals import InvalidField
from serve_apps.console.callers import Visitor, VisitorDep, check_form, check_origin
from serve_apps.console.forms import read_form, read_text
from serve_apps.console.pages import page, static
from serve_apps.console.routes.session_api import LONGEST_NAME
from serve_apps.console.routes.usage import render_usage
from storage.console.admission import usage_of
from storage.console.rows import SentDocument
from storage.console.sent import find_sent, list_sent
from storage.console.tokens import create_token, list_tokens, revoke_token
from storage.errors import NotFound

router = APIRouter(include_in_schema=False)
PAGE = 50
DOWNLOADS = {"tree": "tree", "chunks": "chunks", "graph": "export/graph", "context": "export/context"}


@router.get("/static/{name}")
async def read_static(name: str) -> Response:
    """Script and style of the pages."""
    found = static(name)
    if found is None:
        raise NotFound("no such file")
    return found


@router.get("/")
async def show_documents(request: Request, visitor: VisitorDep, before: str | None = None) -> Response:
    """Upload, meter, and what was sent, newest first."""
    running, tenant = visitor.running, visitor.account.tenant
    sent = await running.sql.run(list_sent, running.db, tenant.id, limit=PAGE + 1, before=before)
    usage = render_usage(tenant, await running.sql.run(usage_of, running.db, tenant.id))
    last = sent[PAGE - 1].document_id if len(sent) > PAGE else None
    return page(request, "documents.html", visitor=visitor, sent=sent[:PAGE], usage=usage, last=last)


@router.get("/documents/{document_id}")
async def show_document(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """What was read: its chunks as text, and every output to download."""
    sent = await _find(visitor, document_id)
    chunks: list[dict[str, Any]] = []
    if sent.status == "succeeded":
        answer = await visitor.running.engine.get(f"{_path(sent)}/chunks", sent.org)
        chunks = answer.json() if answer.status_code == 200 else []
    return page(request, "document.html", visitor=visitor, sent=sent, chunks=chunks, downloads=DOWNLOADS)


@router.get("/documents/{document_id}/html")
async def show_html(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """The document as one page, in a sandbox of its own."""
    sent = await _find(visitor, document_id)
    return await visitor.running.engine.relay(f"{_path(sent)}/export/html", sent.org, request.headers)


@router.get("/documents/{document_id}/{output}.json")
async def download(request: Request, document_id: str, output: str, visitor: VisitorDep) -> Response:
    """One output as a file."""
    if output not in DOWNLOADS:
        raise NotFound("no such output")
    sent = await _find(visitor, document_id)
    answer = await visitor.running.engine.relay(f"{_path(sent)}/{DOWNLOADS[output]}", sent.org, request.headers)
    answer.headers["Content-Disposition"] = f'attachment; filename="{document_id}-{output}.json"'
    return answer


@router.get("/tokens")
async def show_tokens(request: Request, visitor: VisitorDep) -> Response:
    return await _tokens(request, visitor)


@router.post("/tokens")
async def make_token(request: Request, visitor: VisitorDep) -> Response:
    """The page with the new token on it: shown now and never again."""
    form = await _form(request, visitor)
    try:
        name = read_text(form, "name", LONGEST_NAME)
    except InvalidField:
        return await _tokens(request, visitor, 422, error="A name of 1 to 100 characters is needed.")
    running = visitor.running
    row, secret = await running.disk.run(create_token, running.db, visitor.account.tenant.id, name)
    return await _tokens(request, visitor, 201, made=row, secret=secret)


@router.post("/tokens/{token_id}/revoke")
async def end_token(request: Request, token_id: str, visitor: VisitorDep) -> Response:
    await _form(request, visitor)
    await visitor.running.disk.run(revoke_token, visitor.running.db, visitor.account.tenant.id, token_id)
    return RedirectResponse(f"{request.scope.get('root_path', '')}/tokens", 303)


async def _tokens(request: Request, visitor: Visitor, status: int = 200, **values: Any) -> Response:
    tokens = await visitor.running.sql.run(list_tokens, visitor.running.db, visitor.account.tenant.id)
    return page(request, "tokens.html", status, visitor=visitor, tokens=tokens, **values)


async def _form(request: Request, visitor: Visitor) -> dict[str, Any]:
    check_origin(request)
    form = await read_form(request)
    check_form(visitor, form.get("csrf"))
    return form


async def _find(visitor: Visitor, document_id: str) -> SentDocument:
    sent = await visitor.running.sql.run(find_sent, visitor.running.db, visitor.account.tenant.id, document_id)
    if sent is None:
        raise NotFound("no such document")
    return sent


def _path(sent: SentDocument) -> str:
    return f"/v1/jobs/{sent.job_id}/documents/{sent.document_id}"

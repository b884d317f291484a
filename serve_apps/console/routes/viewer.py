"""One document for its owner, in the dashboard's viewer: view, unlock with a password, delete."""

import re
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from quire.models.export import OUTPUTS
from quire.serve_apps.console.callers.callers import ConsoleCaller, Visitor, VisitorDep, read_our_form
from quire.serve_apps.console.context.page_rendering import page
from quire.serve_apps.console.sending.removing import remove_document
from quire.serve_apps.console.sending.unlocking import unlock
from quire.serve_apps.console.store.rows import SentDocument
from quire.serve_apps.console.store.sent import find_sent
from quire.serve_apps.viewer.document_view import DocumentView, NoPageToShow, ViewPlace, preview_document, view_document
from quire.storage.values.errors import NotFound

router = APIRouter(include_in_schema=False)
_OUTPUTS = re.compile(
    "|".join(output.path for output in OUTPUTS.values())
    + r"|tables|coverage|original|pages/[0-9]{1,6}|assets/[A-Za-z0-9._-]{1,200}"
)
"""Outputs of a document that a session may fetch: those that the viewer shows or offers for download."""
_LONGEST_PASSWORD = 255  # characters, as on the upload's form


class OutputRefused(Exception):
    """The engine refused an output: it was deleted, or it cannot be redacted."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class EngineDocument:
    """Outputs of a document in the engine."""

    def __init__(self, visitor: Visitor, sent: SentDocument) -> None:
        self._engine, self._sent = visitor.running.engine, sent

    async def read_json(self, output: str, *, redacted: bool) -> Any:
        """Return a JSON output of the document. Raises OutputRefused, EngineFailed."""
        return (await self._read(output, redacted=redacted)).json()

    async def read_text(self, output: str, *, redacted: bool) -> str:
        """Return a text output of the document. Raises OutputRefused, EngineFailed."""
        return str((await self._read(output, redacted=redacted)).text)

    async def _read(self, output: str, *, redacted: bool) -> Any:
        masked = "?redacted=true" if redacted else ""
        answer = await self._engine.get(f"{_path(self._sent)}/{output}{masked}", self._sent.org)
        if answer.status_code != 200:
            raise OutputRefused(str(answer.json().get("code", "")))
        return answer


@router.get("/documents/{document_id}")
async def show_document(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """Show the document's page next to the text read from it, or its error, or that it is being read."""
    sent = await _find(visitor, document_id)
    shown: dict[str, Any] = {"sent": sent, "view": None, "refused": "", "document": None}
    facts = await visitor.running.engine.get(f"/v1/documents/{sent.document_id}", sent.org)
    if facts.status_code == 200:
        shown["document"] = facts.json()
    if sent.status == "succeeded" and shown["document"] is not None:
        try:
            shown["view"] = await _view(request, visitor, sent, shown["document"])
        except OutputRefused as refused:
            shown["refused"] = refused.code
    return page(request, "document.html", visitor=visitor, again=bool(request.query_params.get("again")), **shown)


@router.get("/documents/{document_id}/preview")
async def show_preview(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """Return the HTML export or the rendered Markdown, for the viewer's frame."""
    sent = await _find(visitor, document_id)
    try:
        return await preview_document(EngineDocument(visitor, sent), request.query_params)
    except OutputRefused:
        raise NotFound("no such output") from None


@router.get("/documents/{document_id}/outputs/{output:path}")
async def read_output(request: Request, document_id: str, output: str, visitor: VisitorDep) -> Response:
    """Return a page picture, a part of the document or one of its downloads."""
    if _OUTPUTS.fullmatch(output) is None:
        raise NotFound("no such output")
    sent = await _find(visitor, document_id)
    query = f"?{request.url.query}" if request.url.query else ""
    return await visitor.running.engine.relay(f"{_path(sent)}/{output}{query}", sent.org, request.headers)


@router.post("/documents/{document_id}/unlock")
async def open_locked(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """Read a locked document with its password and redirect to the new document."""
    form = await read_our_form(request, visitor)
    sent = await _find(visitor, document_id)
    if sent.status != "failed":
        raise NotFound("no such locked document")
    password = form.get("password")
    if not isinstance(password, str) or not 0 < len(password) <= _LONGEST_PASSWORD:
        return _onward(request, f"/documents/{document_id}?again=1")
    opened = await visitor.running.finish(unlock(_owner(visitor, sent), sent, password))
    return _onward(request, f"/documents/{opened or document_id}?again=1")


@router.post("/documents/{document_id}/delete")
async def delete(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """Delete the document with everything made from it and redirect to the list."""
    await read_our_form(request, visitor)
    sent = await _find(visitor, document_id)
    await visitor.running.finish(remove_document(_owner(visitor, sent), document_id))
    return _onward(request, "/")


async def _view(request: Request, visitor: Visitor, sent: SentDocument, document: dict[str, Any]) -> DocumentView:
    address = place_of(request, sent.document_id)
    try:
        return await view_document(EngineDocument(visitor, sent), address, document, request.query_params)
    except NoPageToShow as none:
        raise NotFound(str(none)) from None


def place_of(request: Request, document_id: str) -> ViewPlace:
    """Return the addresses of a document's view and of its outputs."""
    address = f"{request.scope.get('root_path', '')}/documents/{document_id}"
    return ViewPlace(address=address, outputs=f"{address}/outputs")


def _owner(visitor: Visitor, sent: SentDocument) -> ConsoleCaller:
    return ConsoleCaller(visitor.running, visitor.account.tenant, sent.org)


def _onward(request: Request, path: str) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)


async def _find(visitor: Visitor, document_id: str) -> SentDocument:
    sent = await visitor.running.sql.run(find_sent, visitor.running.db, visitor.account.tenant.id, document_id)
    if sent is None:
        raise NotFound("no such document")
    return sent


def _path(sent: SentDocument) -> str:
    return f"/v1/jobs/{sent.job_id}/documents/{sent.document_id}"

"""One document for its owner: its page beside blocks, Markdown, chunks or digest; downloads; deleting."""

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from models.export.page_blocks import blocks_of_page
from serve_apps.console.callers.callers import ConsoleCaller, Visitor, VisitorDep, read_our_form
from serve_apps.console.context.page_rendering import page
from serve_apps.console.sending.removing import remove_document
from storage.console.rows import SentDocument
from storage.console.sent import find_sent
from storage.values.errors import NotFound

router = APIRouter(include_in_schema=False)
TABS = ("blocks", "markdown", "chunks", "digest")
DOWNLOADS = {"tree": "tree", "chunks": "chunks", "graph": "export/graph", "context": "export/context"}
_MARKDOWN = "export/markdown"
_CONTENT = {"chunks": "chunks", "digest": "export/context?max_tokens=20000"}
_DPI = 110  # pixels an inch of the page beside the text


@router.get("/documents/{document_id}")
async def show_document(
    request: Request, document_id: str, visitor: VisitorDep, tab: str = TABS[0], at: int = 1
) -> Response:
    """Page picture with the blocks' boxes, and one of TABS beside it."""
    sent = await _find(visitor, document_id)
    shown: dict[str, Any] = {"sent": sent, "tab": tab if tab in TABS else TABS[0], "tabs": TABS, "tree": None}
    if sent.status == "succeeded" and (tree := await _get(visitor, sent, "tree")) is not None:
        shown |= _page_of(tree, at) | {"tree": tree}
        if shown["tab"] == "markdown":
            shown["content"] = await _get_text(visitor, sent, _MARKDOWN)
        elif shown["tab"] in _CONTENT:
            shown["content"] = await _get(visitor, sent, _CONTENT[shown["tab"]])
    elif sent.ended_at is not None:
        shown["failure"] = await _failure(visitor, sent)
    return page(request, "document.html", visitor=visitor, downloads=DOWNLOADS, **shown)


@router.get("/documents/{document_id}/pages/{number}")
async def show_picture(request: Request, document_id: str, number: int, visitor: VisitorDep) -> Response:
    """The page as a picture."""
    sent = await _find(visitor, document_id)
    return await visitor.running.engine.relay(f"{_path(sent)}/pages/{number}?dpi={_DPI}", sent.org, request.headers)


@router.get("/documents/{document_id}/assets/{asset:path}")
async def show_asset(request: Request, document_id: str, asset: str, visitor: VisitorDep) -> Response:
    """A picture that stands on a page."""
    sent = await _find(visitor, document_id)
    target = f"{_path(sent)}/assets/{quote(asset)}"
    return await visitor.running.engine.relay(target, sent.org, request.headers)


@router.get("/documents/{document_id}/html")
async def show_html(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """The document as one page, in a sandbox of its own."""
    sent = await _find(visitor, document_id)
    return await visitor.running.engine.relay(f"{_path(sent)}/export/html", sent.org, request.headers)


@router.get("/documents/{document_id}/markdown.md")
async def download_markdown(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """The document as Markdown, as a file."""
    sent = await _find(visitor, document_id)
    answer = await visitor.running.engine.relay(f"{_path(sent)}/{_MARKDOWN}", sent.org, request.headers)
    answer.headers["Content-Disposition"] = f'attachment; filename="{document_id}.md"'
    return answer


@router.post("/documents/{document_id}/delete")
async def delete(request: Request, document_id: str, visitor: VisitorDep) -> Response:
    """The document with everything made from it; back to the list."""
    await read_our_form(request, visitor)
    sent = await _find(visitor, document_id)
    caller = ConsoleCaller(visitor.running, visitor.account.tenant, sent.org)
    await visitor.running.finish(remove_document(caller, document_id))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)


@router.get("/documents/{document_id}/{output}.json")
async def download(request: Request, document_id: str, output: str, visitor: VisitorDep) -> Response:
    """One output as a file."""
    if output not in DOWNLOADS:
        raise NotFound("no such output")
    sent = await _find(visitor, document_id)
    answer = await visitor.running.engine.relay(f"{_path(sent)}/{DOWNLOADS[output]}", sent.org, request.headers)
    answer.headers["Content-Disposition"] = f'attachment; filename="{document_id}-{output}.json"'
    return answer


def _page_of(tree: dict[str, Any], at: int) -> dict[str, Any]:
    """The page numbered `at`, else the first, with its blocks; Word has no pages to draw."""
    numbers = [one["number"] for one in tree["pages"]]
    number = at if at in numbers else (numbers[0] if numbers else 1)
    return {
        "number": number,
        "numbers": numbers,
        "paper": next((one for one in tree["pages"] if one["number"] == number), None),
        "blocks": blocks_of_page(tree, number),
        "drawn": tree["source"]["format"] != "docx",
    }


async def _get(visitor: Visitor, sent: SentDocument, output: str) -> Any:
    """One output; None where the engine no longer has it."""
    answer = await visitor.running.engine.get(f"{_path(sent)}/{output}", sent.org)
    return answer.json() if answer.status_code == 200 else None


async def _get_text(visitor: Visitor, sent: SentDocument, output: str) -> str | None:
    """One output as text; None where the engine no longer has it."""
    answer = await visitor.running.engine.get(f"{_path(sent)}/{output}", sent.org)
    return answer.text if answer.status_code == 200 else None


async def _failure(visitor: Visitor, sent: SentDocument) -> Any:
    """What the engine says of a document that was not read; None where it has forgotten."""
    answer = await visitor.running.engine.get(f"/v1/jobs/{sent.job_id}", sent.org)
    told = answer.json()["documents"] if answer.status_code == 200 else []
    return next((one for one in told if one["document_id"] == sent.document_id), None)


async def _find(visitor: Visitor, document_id: str) -> SentDocument:
    sent = await visitor.running.sql.run(find_sent, visitor.running.db, visitor.account.tenant.id, document_id)
    if sent is None:
        raise NotFound("no such document")
    return sent


def _path(sent: SentDocument) -> str:
    return f"/v1/jobs/{sent.job_id}/documents/{sent.document_id}"

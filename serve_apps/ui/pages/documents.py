"""The pages about one document: its page beside what was read from it, as it is or redacted, and its HTML preview."""

from typing import Any

from starlette.responses import Response

from models.export.page_blocks import blocks_of_page, flagged_pages
from models.redaction.redact import REDACTABLE
from serve_apps.ui.browser.gateway import ApiRefused
from serve_apps.ui.browser.lookups import find_names
from serve_apps.ui.browser.markdown_page import render_markdown
from serve_apps.ui.browser.visit import Visit

TABS = {
    "blocks": "Blocks",
    "fields": "Fields",
    "semantics": "Entities",
    "chunks": "Chunks",
    "markdown": "Markdown",
    "html": "HTML",
    "details": "Details",
}
FOLLOWING = ("fields", "chunks")
"""Tabs that show what stands on the page beside them, and the whole document when asked."""
PREVIEW_POLICY = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"
_OUTPUTS = {"fields": "fields", "semantics": "semantics", "chunks": "chunks", "markdown": "export/markdown"}
_SHOWN = 1000  # blocks written into a page before it points to the tree


async def show_document(visit: Visit) -> Response:
    """A page picture with block boxes, and what was read beside it."""
    path, document = document_path(visit), await read_document(visit)
    if document["status"] != "succeeded" or document["deleted_at"]:
        return visit.page("document_failed.html", document=document, job_name=await _name_job(visit, document))
    redacted = True if visit.query("redacted") else None
    try:
        tree = await visit.api.get(f"{path}/tree", redacted=_flag(redacted))
    except ApiRefused as refused:
        if refused.code != "pii-incomplete":
            raise
        facts = document | {"refused": refused}
        return visit.page("document_failed.html", document=facts, job_name=await _name_job(visit, document))
    number = _page_number(visit.query("page"), tree)
    tab = visit.query("tab") if visit.query("tab") in TABS else "blocks"
    marked = (visit.query("blocks") or "").split(",")
    content = await _tab_content(visit, path, str(tab), redacted)
    follows = tab in FOLLOWING and len(tree["pages"]) > 1 and not visit.query("all")
    return visit.page(
        "document.html",
        document=document,
        path=path,
        tree=tree,
        redacted=bool(redacted),
        redactable=REDACTABLE,
        name="Redacted document" if redacted else document["source_file"],
        page=next((page for page in tree["pages"] if page["number"] == number), None),
        pages=tree["pages"],
        flagged=flagged_pages(tree),
        blocks=blocks_of_page(tree, number),
        drawn=_has_pictures(tree),
        tab=tab,
        tabs=TABS,
        shown=_SHOWN,
        source=visit.query("as") == "source",
        job_name=await _name_job(visit, document),
        content=_of_page(content, number) if follows else content,
        follows=follows,
        following=FOLLOWING,
        reviewable=visit.may("GET", "/v1/review"),
        marked=marked,
        places={block["id"]: block["page"] for block in tree["blocks"]},
    )


async def preview(visit: Visit) -> Response:
    """The HTML export, or the Markdown rendered, for a frame of ours: without script, without origin."""
    redacted = _flag(True if visit.query("redacted") else None)
    if visit.query("as") == "markdown":
        text = render_markdown(await visit.api.text(f"{document_path(visit)}/export/markdown", redacted=redacted))
    else:
        text = await visit.api.text(f"{document_path(visit)}/export/html", redacted=redacted)
    return Response(text, 200, {"Content-Security-Policy": PREVIEW_POLICY, "Cache-Control": "no-store"}, "text/html")


async def read_document(visit: Visit) -> Any:
    """Its row. Raises `ApiRefused` where it belongs to another job."""
    document = await visit.api.get(f"/v1/documents/{visit.segment('document_id')}")
    if document["job_id"] != visit.request.path_params["job_id"]:
        raise ApiRefused(404, "not-found", "There is no such resource.")
    return document


async def _name_job(visit: Visit, document: dict[str, Any]) -> str:
    names = await find_names(visit, [{"id": document["job_id"]}])
    return str(names.get(document["job_id"], document["job_id"]))


def document_path(visit: Visit) -> str:
    """The document's path in the API."""
    return f"/v1/jobs/{visit.segment('job_id')}/documents/{visit.segment('document_id')}"


def _has_pictures(tree: dict[str, Any]) -> bool:
    """False for formats without pages: nothing in them has a place."""
    placed = any(block["bbox"] for block in tree["blocks"])
    return tree["source"]["format"] != "docx" and (placed or not tree["blocks"])


async def _tab_content(visit: Visit, path: str, tab: str, redacted: bool | None) -> Any:
    if tab not in _OUTPUTS:
        return None
    address = f"{path}/{_OUTPUTS[tab]}"
    if tab == "markdown":
        return await visit.api.text(address, redacted=_flag(redacted))
    found = await visit.api.get(address, redacted=_flag(redacted))
    return _objects(found["objects"]) if tab == "semantics" else found


def _of_page(content: list[dict[str, Any]], page: int) -> list[dict[str, Any]]:
    """The chunks or fields that stand on a page, and those that stand on none."""
    return [one for one in content if (span := _pages_of(one)) is None or span[0] <= page <= span[-1]]


def _pages_of(one: dict[str, Any]) -> list[int] | None:
    """Of a chunk the first and last page, of a field the page of its evidence."""
    if "evidence" in one:
        page = one["evidence"].get("page")
        return None if page is None else [page]
    return one["pages"] or None


def _objects(found: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Objects by their type, in the order in which the types first come."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        groups.setdefault(one["type"], []).append(one)
    return groups


def _flag(value: bool | None) -> str | None:
    return "true" if value else None


def _page_number(text: str | None, tree: dict[str, Any]) -> int:
    numbers = [page["number"] for page in tree["pages"]]
    if text is None:
        return int(numbers[0]) if numbers else 1
    if not text.isdecimal() or int(text) not in numbers:
        raise ApiRefused(404, "not-found", "The document has no such page.")
    return int(text)

"""The pages about one document: its page beside what was read from it, and the review of its personal data."""

from itertools import groupby
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from serve_apps.ui.gateway import ApiRefused
from serve_apps.ui.visit import Visit

TABS = ("blocks", "chunks", "fields", "markdown")
_INBOX = 500


async def show_document(visit: Visit) -> Response:
    """A page picture with block boxes, and the blocks, chunks, fields or Markdown beside it."""
    path, query = document_path(visit), visit.request.query_params
    document = await visit.api.get(f"/v1/documents/{_segment(visit, 'document_id')}")
    if document["status"] != "succeeded":
        return visit.page("document_failed.html", document=document)
    tree = await visit.api.get(f"{path}/tree")
    tab = query.get("tab") if query.get("tab") in TABS else TABS[0]
    number = _page_number(query.get("page"), tree)
    return visit.page(
        "document.html",
        document=document,
        path=path,
        tree=tree,
        page=next((page for page in tree["pages"] if page["number"] == number), None),
        page_numbers=[page["number"] for page in tree["pages"]],
        blocks=[block for block in tree["blocks"] if block["page"] == number],
        drawn=tree["source"]["format"] != "docx",
        tab=tab,
        tabs=TABS,
        content=await _tab_content(visit, path, str(tab)),
        reviewable=visit.may("GET", "/v1/review"),
        marked=query.get("blocks", "").split(","),
    )


async def list_inbox(visit: Visit) -> Response:
    """Documents with flags that wait for a decision, the newest job first."""
    items, more = await visit.api.page("/v1/review", cursor=visit.request.query_params.get("cursor"), limit=_INBOX)
    groups = [list(group) for _, group in groupby(items, key=lambda item: item["document_id"])]
    return visit.page("inbox.html", groups=groups, more=more, waiting=len(items))


async def review_document(visit: Visit) -> Response:
    """One document's pending flags, each with its text in context and its place on the page."""
    path, document_id = document_path(visit), visit.request.path_params["document_id"]
    pending = await visit.api.get(f"/v1/jobs/{_segment(visit, 'job_id')}/review")
    items = [item | {"parts": split_spans(item)} for item in pending if item["document_id"] == document_id]
    tree = await visit.api.get(f"{path}/tree")
    return visit.page(
        "review.html",
        document=await visit.api.get(f"/v1/documents/{_segment(visit, 'document_id')}"),
        path=path,
        items=items,
        pages=[page for page in tree["pages"] if any(item["page"] == page["number"] for item in items)],
        drawn=tree["source"]["format"] != "docx",
        onward=await _next_document(visit, document_id),
    )


def split_spans(item: dict[str, Any]) -> list[tuple[str, bool]]:
    """The item's text as stretches, flagged or not."""
    parts, at, text = [], 0, item["text"]
    for span in sorted(item["spans"], key=lambda span: int(span["start"])):
        start, end = max(at, span["start"]), max(at, span["end"])
        parts += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [part for part in [*parts, (text[at:], False)] if part[0]]


def document_path(visit: Visit) -> str:
    """The document's path in the API."""
    return f"/v1/jobs/{_segment(visit, 'job_id')}/documents/{_segment(visit, 'document_id')}"


async def _next_document(visit: Visit, document_id: str) -> str:
    """Where a reviewer goes after this document: the next one that waits, or the inbox."""
    waiting = await visit.api.get("/v1/review", limit=_INBOX)
    other = next((item for item in waiting if item["document_id"] != document_id), None)
    return f"/ui/jobs/{other['job_id']}/documents/{other['document_id']}/review" if other else "/ui/review"


async def _tab_content(visit: Visit, path: str, tab: str) -> Any:
    if tab == "markdown":
        return await visit.api.text(f"{path}/export/markdown")
    return await visit.api.get(f"{path}/{tab}") if tab in {"chunks", "fields"} else None


def _page_number(text: str | None, tree: dict[str, Any]) -> int:
    numbers = [page["number"] for page in tree["pages"]]
    if text is None:
        return int(numbers[0]) if numbers else 1
    if not text.isdecimal() or int(text) not in numbers:
        raise ApiRefused(404, "not-found", "The document has no such page.")
    return int(text)


def _segment(visit: Visit, name: str) -> str:
    return quote(visit.request.path_params[name], safe="")

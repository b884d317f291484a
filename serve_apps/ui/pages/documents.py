"""Pages about one document: its page next to the text read from it, original or redacted, and its HTML preview."""

from typing import Any

from starlette.responses import Response

from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.lookups import find_names, find_rows
from quire.serve_apps.ui.browser.visit import Visit
from quire.serve_apps.viewer.document_view import NoPageToShow, ViewPlace, preview_document, view_document


class ApiDocument:
    """Outputs of the document that a page's address names."""

    def __init__(self, visit: Visit) -> None:
        self._api, self._path = visit.api, document_path(visit)

    async def read_json(self, output: str, *, redacted: bool) -> Any:
        """Return a JSON output of the document. Raises `ApiRefused`."""
        return await self._api.get(f"{self._path}/{output}", redacted=_flag(redacted))

    async def read_text(self, output: str, *, redacted: bool) -> str:
        """Return a text output of the document. Raises `ApiRefused`."""
        return await self._api.text(f"{self._path}/{output}", redacted=_flag(redacted))


async def show_document(visit: Visit) -> Response:
    """Show a page picture with block boxes next to the text read from it."""
    document = await read_document(visit)
    if document["status"] != "succeeded" or document["deleted_at"]:
        return visit.page("document_failed.html", document=document, wrong=visit.query("password") == "wrong")
    path, exports = document_path(visit), visit.resources.exports
    address = path.replace("/v1/", "/ui/", 1)
    pages = [(f"{address}/extract", "Extract")] if visit.may("extract") else []
    place = ViewPlace(
        address=address,
        outputs=f"/ui{path}",
        exports=list(exports),
        pages=pages,
        job=f"/ui/jobs/{document['job_id']}",
        job_name=await _name_job(visit, document),
    )
    try:
        view = await view_document(ApiDocument(visit), place, document, visit.request.query_params)
    except NoPageToShow as none:
        raise ApiRefused(404, "not-found", str(none)) from None
    except ApiRefused as refused:
        if refused.code not in ("pii-incomplete", "scan-running"):
            raise
        return visit.page("document_failed.html", document=document | {"refused": refused}, wrong=False)
    own, *inside = await find_rows(visit, [document], with_members=True)
    return visit.page("document.html", view=view, reviewable=visit.may("list_review"), own=own, inside=inside)


async def preview(visit: Visit) -> Response:
    """Return the HTML export or the rendered Markdown, for a frame of this site."""
    return await preview_document(ApiDocument(visit), visit.request.query_params)


async def read_document(visit: Visit) -> Any:
    """Return the document's row. Raises `ApiRefused` if it belongs to another job."""
    document = await visit.api.get(f"/v1/documents/{visit.segment('document_id')}")
    if document["job_id"] != visit.request.path_params["job_id"]:
        raise ApiRefused(404, "not-found", "There is no such resource.")
    return document


async def _name_job(visit: Visit, document: dict[str, Any]) -> str:
    names = await find_names(visit, [{"id": document["job_id"]}])
    return str(names.get(document["job_id"], document["job_id"]))


def document_path(visit: Visit) -> str:
    """Return the document's path in the API."""
    return f"/v1/jobs/{visit.segment('job_id')}/documents/{visit.segment('document_id')}"


def _flag(value: bool) -> str | None:
    return "true" if value else None

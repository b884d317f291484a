"""The first page: all documents, filtered, and actions on several of them at once."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response

from serve_apps.ui.browser.gateway import ApiRefused
from serve_apps.ui.browser.login import read_fields
from serve_apps.ui.browser.lookups import find_formats, find_names
from serve_apps.ui.browser.origin import require_same_site, require_token
from serve_apps.ui.browser.visit import Visit
from serve_apps.viewer.words import FLAGS

STATUSES = ("queued", "running", "succeeded", "failed", "canceled")
_FILTERS = ("name", "status", "type", "flag", "job_id", "since", "until")
_PER_PAGE = 50
"""Documents of one page of the list: what a screen scrolls in a few turns."""
_MOST_AT_ONCE = 100
"""Documents that one press may cancel or delete: the most one request may name."""


async def list_all(visit: Visit) -> Response:
    """List all documents, newest first, filtered by the query."""
    filters = {name: visit.query(name) for name in _FILTERS}
    query = urlencode({name: value for name, value in filters.items() if value})
    problem: ApiRefused | None = None
    rows: list[dict[str, Any]] = []
    more: str | None = None
    try:
        rows, more = await visit.api.page(
            "/v1/documents", **(filters | _days(filters)), cursor=visit.query("cursor"), limit=_PER_PAGE
        )
    except ApiRefused as refused:
        if refused.status not in (404, 422):
            raise
        problem = refused
    jobs = {row["job_id"]: {"id": row["job_id"]} for row in rows}
    return visit.page(
        "documents.html",
        rows=rows,
        names=await find_names(visit, list(jobs.values())),
        more=more,
        later=visit.query("cursor") is not None,
        filters=filters,
        query=query,
        problem=problem,
        formats=await find_formats(visit),
        statuses=STATUSES,
        kinds=FLAGS,
        live=any(row["status"] in ("queued", "running") for row in rows),
        limits=visit.resources.limits,
    )


async def act_on_many(visit: Visit) -> Response:
    """Run a form's action on the selected documents; those in an unsuitable state are skipped."""
    require_same_site(visit.request.headers)
    form = await read_fields(visit.request)
    require_token(_first(form, "csrf"), visit.session.csrf)
    chosen = [tuple(pair.split("/", 1)) for pair in form.get("id", [])[:_MOST_AT_ONCE] if "/" in pair]
    act, onward = _first(form, "act"), "/ui?" + _first(form, "query")
    if act == "download" and chosen:
        return RedirectResponse(
            "/ui/v1/archive?" + urlencode([("document_id", document_id) for _, document_id in chosen]), 303
        )
    if act == "compare":
        named = zip("ab", (document_id for _, document_id in chosen), strict=False)
        return RedirectResponse("/ui/compare?" + urlencode(list(named)), 303)
    for job, document in chosen:
        job, document = quote(job, safe=""), quote(document, safe="")
        try:
            if act == "requeue":
                await visit.api.post(f"/v1/jobs/{job}/documents/{document}/requeue")
            elif act == "delete":
                await visit.api.delete(f"/v1/documents/{document}")
        except ApiRefused as refused:
            if refused.status not in (404, 409):
                raise
    return RedirectResponse(onward, 303)


def _days(filters: Mapping[str, str | None]) -> dict[str, str]:
    """Return the filter for a form's last day, which is included. Invalid dates are passed to the API unchanged."""
    try:
        return {"until": (date.fromisoformat(filters["until"] or "") + timedelta(days=1)).isoformat()}
    except ValueError:
        return {}


def _first(form: Mapping[str, list[str]], name: str) -> str:
    return form.get(name, [""])[0]

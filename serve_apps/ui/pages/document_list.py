"""The first page: all documents, filtered, sorted and counted, and actions on several of them at once."""

import asyncio
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from starlette.responses import RedirectResponse, Response

from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.login import read_fields
from quire.serve_apps.ui.browser.lookups import find_formats, find_rows
from quire.serve_apps.ui.browser.origin import require_same_site, require_token
from quire.serve_apps.ui.browser.visit import Visit
from quire.serve_apps.viewer.words import FLAGS, format_count

NEWEST = "-created_at"
STATUSES = ("queued", "running", "succeeded", "failed", "canceled")
_FILTERS = ("name", "status", "type", "flag", "sha256", "since", "until")
_FLAT = frozenset({"name", "status", "type", "flag", "sha256"})
"""Filters that may match a file inside a document without the document, so that each match is a row of its own."""
_PER_PAGE = 50
"""Documents of one page of the list: what a screen scrolls in a few turns."""
_MOST_AT_ONCE = 1_000
"""Documents that one press may read again or delete."""
_MOST_DOWNLOADED = 200
"""Documents of one archive, as the API limits them."""


async def list_all(visit: Visit) -> Response:
    """List all documents, filtered and sorted by the query."""
    filters = {name: visit.query(name) for name in _FILTERS}
    jobs = visit.request.query_params.getlist("job_id")
    chosen = {name: value for name, value in filters.items() if value} | ({"job_id": jobs} if jobs else {})
    sort = visit.query("sort") or NEWEST
    asked = filters | _days(filters) | {"job_id": jobs or None}
    with_members = not _FLAT & chosen.keys()
    part = {"sort": sort, "cursor": visit.query("cursor"), "limit": _PER_PAGE}
    part |= {"members": "false"} if with_members else {}
    problem: ApiRefused | None = None
    rows: list[dict[str, Any]] = []
    more: str | None = None
    counts = {"documents": 0, "pages": 0, "bytes": 0, "complete": True}
    try:
        (rows, more), counts = await asyncio.gather(
            visit.api.page("/v1/documents", **asked, **part), visit.api.get("/v1/documents/counts", **asked)
        )
    except ApiRefused as refused:
        if refused.status not in (404, 422):
            raise
        problem = refused
    shown, formats = await asyncio.gather(find_rows(visit, rows, with_members=with_members), find_formats(visit))
    return visit.page(
        "documents.html",
        rows=shown,
        counts=counts,
        more=more,
        later=visit.query("cursor") is not None,
        filters=filters,
        jobs=jobs,
        narrowing=urlencode(chosen, doseq=True),
        sort=sort,
        query=urlencode(chosen | ({"sort": sort} if sort != NEWEST else {}), doseq=True),
        problem=problem,
        act=_describe_act(visit),
        formats=formats,
        statuses=STATUSES,
        kinds=FLAGS,
        live=any(row["status"] in ("queued", "running") for row in rows),
        limits=visit.resources.limits,
        most_at_once=_MOST_AT_ONCE,
    )


async def act_on_many(visit: Visit) -> Response:
    """Run a form's action on the selected documents; those in an unsuitable state are skipped and counted."""
    require_same_site(visit.request.headers)
    form = await read_fields(visit.request)
    require_token(_first(form, "csrf"), visit.session.csrf)
    act, query = _first(form, "act"), _first(form, "query")
    if _first(form, "all") and act != "compare":
        most = _MOST_DOWNLOADED if act == "download" else _MOST_AT_ONCE
        chosen = await _choose_all(visit, query, most)
    else:
        chosen = [(job, document) for job, _, document in (pair.partition("/") for pair in form.get("id", []))]
        chosen = [pair for pair in chosen if pair[1]][:_MOST_AT_ONCE]
    if act == "download" and chosen:
        ids = [("document_id", document) for _, document in chosen[:_MOST_DOWNLOADED]]
        return RedirectResponse("/ui/v1/archive?" + urlencode(ids), 303)
    if act == "compare":
        named = zip("ab", (document for _, document in chosen), strict=False)
        return RedirectResponse("/ui/compare?" + urlencode(list(named)), 303)
    done = 0
    for job, document in chosen:
        done += await _act_on_one(visit, act, quote(job, safe=""), quote(document, safe=""))
    said = urlencode({"act": act, "done": done, "skipped": len(chosen) - done})
    return RedirectResponse(f"/ui?{query}&{said}" if query else f"/ui?{said}", 303)


async def _act_on_one(visit: Visit, act: str, job: str, document: str) -> bool:
    """Read the document again or delete it. Return whether its state allowed this."""
    try:
        if act == "requeue":
            await visit.api.post(f"/v1/jobs/{job}/documents/{document}/requeue")
        elif act == "delete":
            await visit.api.delete(f"/v1/documents/{document}")
    except ApiRefused as refused:
        if refused.status not in (404, 409):
            raise
        return False
    return True


async def _choose_all(visit: Visit, query: str, most: int) -> list[tuple[str, str]]:
    """Return job and id of the documents that the list's filter selects, in its order, at most `most`."""
    given = parse_qs(query)
    asked: dict[str, Any] = {name: given[name][0] for name in (*_FILTERS, "sort") if name in given}
    rows = await visit.api.get("/v1/documents", **asked | _days(asked), job_id=given.get("job_id"), limit=most)
    return [(row["job_id"], row["document_id"]) for row in rows]


def _describe_act(visit: Visit) -> str | None:
    """Return what the last press did to the selected documents."""
    verb = {"delete": "deleted", "requeue": "queued to be read again"}.get(visit.query("act") or "")
    numbers = [visit.query(name) or "" for name in ("done", "skipped")]
    if verb is None or not all(number.isdecimal() and len(number) < 7 for number in numbers):
        return None
    done, skipped = map(int, numbers)
    reason = "not finished, or deleted already" if verb == "deleted" else "only failed documents are read again"
    return f"{format_count(done, 'document')} {verb}." + (f" {skipped} skipped: {reason}." if skipped else "")


def _days(filters: Mapping[str, Any]) -> dict[str, str]:
    """Return the filter for a form's last day, which is included. Invalid dates are passed to the API unchanged."""
    try:
        return {"until": (date.fromisoformat(filters.get("until") or "") + timedelta(days=1)).isoformat()}
    except ValueError:
        return {}


def _first(form: Mapping[str, list[str]], name: str) -> str:
    return form.get(name, [""])[0]

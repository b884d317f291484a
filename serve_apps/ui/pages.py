"""The pages about work: overview, jobs, one job, dead letters, search, and the operator's lists."""

from urllib.parse import quote

from starlette.responses import Response

from serve_apps.access.scopes import KeyScope
from serve_apps.ui.gateway import ApiRefused
from serve_apps.ui.visit import Visit

ACTIVE = ("queued", "running")
STATUSES = ("queued", "running", "succeeded", "partial", "failed", "canceled")
MODES = ("hybrid", "vector", "fts")
LISTS = {
    "webhooks": ("/v1/webhooks", "Webhooks", ("url", "events", "created_at")),
    "deliveries": (
        "/v1/webhooks/deliveries",
        "Deliveries",
        ("event", "state", "response_status", "attempt", "error", "created_at", "next_attempt_at"),
    ),
    "sources": ("/v1/sources", "Sources", ("name", "kind", "path", "uri", "last_sync", "created_at")),
    "audit": ("/v1/audit", "Audit", ("seq", "at", "actor", "action", "object", "result")),
}
ROW_ACTS = {
    "webhooks": (("test-webhook", "Test"), ("delete-webhook", "Delete")),
    "deliveries": (("redeliver", "Send again"),),
    "sources": (("sync-source", "Sync now"), ("delete-source", "Delete")),
}
"""What an admin may do to a row."""


async def overview(visit: Visit) -> Response:
    """Queue, own jobs, licence, usage where it is metered, and the default token for an admin."""
    default = visit.resources.default_token
    token = default.token if default and visit.session.caller.scope is KeyScope.ADMIN else None
    usage = await visit.api.get("/v1/usage") if visit.may("GET", "/v1/usage") else None
    return visit.page(
        "overview.html",
        stats=await visit.api.get("/v1/stats"),
        license=await visit.api.get("/v1/license"),
        usage=usage,
        jobs=await visit.api.get("/v1/jobs", limit=8),
        token=token,
        limits=visit.resources.limits,
        active=ACTIVE,
    )


async def list_jobs(visit: Visit) -> Response:
    """Newest first, by status if asked."""
    query = visit.request.query_params
    status = query.get("status") or None
    jobs, more = await visit.api.page("/v1/jobs", status=status, cursor=query.get("cursor"), limit=50)
    return visit.page("jobs.html", jobs=jobs, more=more, chosen=status, statuses=STATUSES, active=ACTIVE)


async def show_job(visit: Visit) -> Response:
    """Its documents with their results, errors and progress."""
    job_id = _segment(visit, "job_id")
    job = await visit.api.get(f"/v1/jobs/{job_id}")
    documents, more = await visit.api.page(
        f"/v1/jobs/{job_id}/documents", cursor=visit.request.query_params.get("cursor"), limit=200
    )
    return visit.page("job.html", job=job, documents=documents, more=more, live=job["status"] in ACTIVE)


async def list_dead_letters(visit: Visit) -> Response:
    """Failed documents, each with a way to read it again."""
    letters, more = await visit.api.page("/v1/dead-letters", cursor=visit.request.query_params.get("cursor"), limit=100)
    return visit.page("dead_letters.html", letters=letters, more=more)


async def search(visit: Visit) -> Response:
    """Hits with a link to the page and blocks they come from; says so where no index is configured."""
    query = visit.request.query_params
    text, mode = query.get("q", "").strip(), query.get("mode", "hybrid")
    hits, problem = [], None
    if text:
        try:
            hits = await visit.api.get("/v1/search", q=text, mode=mode, limit=20)
        except ApiRefused as refused:
            problem = refused
    return visit.page("search.html", text=text, mode=mode, modes=MODES, hits=hits, problem=problem)


async def show_list(visit: Visit) -> Response:
    """Webhooks, deliveries, sources or the audit trail, as the API lists them."""
    name = visit.request.path_params["name"]
    if name not in LISTS or not visit.may("GET", LISTS[name][0]):
        raise ApiRefused(404, "not-found", "There is no such page for this key.")
    path, title, columns = LISTS[name]
    rows, more = await visit.api.page(path, cursor=visit.request.query_params.get("cursor"))
    return visit.page(
        "records.html", name=name, title=title, columns=columns, rows=rows, more=more, acts=ROW_ACTS.get(name, ())
    )


def _segment(visit: Visit, name: str) -> str:
    return quote(visit.request.path_params[name], safe="")

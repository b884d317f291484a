"""Operator pages: sources, webhooks and their deliveries, the audit trail."""

from typing import Any

from starlette.responses import Response

from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.login import read_form
from quire.serve_apps.ui.browser.lookups import check_chain
from quire.serve_apps.ui.browser.origin import require_same_site, require_token
from quire.serve_apps.ui.browser.visit import Visit

EVENTS = {"job.finished": "a job is finished", "document.finished": "a document is finished"}
_PER_PAGE = 50  # rows a page
_SYNCING = {"waiting": "Sync is waiting", "running": "Syncing"}
_SOURCE_FIELDS = ("name", "place", "include", "exclude", "every_minutes")


async def list_sources(visit: Visit) -> Response:
    """List the sources of documents, with the last sync of each."""
    return await _sources(visit)


async def add_source(visit: Visit) -> Response:
    """Add a source and show the list, or the form again with the result. Raises `ForeignRequest`."""
    form = await _checked(visit)
    is_test = bool(form.get("test"))
    try:
        made = await visit.api.post("/v1/sources/check" if is_test else "/v1/sources", _source_of(form))
    except ApiRefused as refused:
        return await _sources(visit, 200 if is_test else refused.status, form=form, problem=refused)
    return await _sources(visit, form=form, tested=True) if is_test else await _sources(visit, 201, made=made)


async def list_webhooks(visit: Visit) -> Response:
    """List the receivers of events."""
    return await _webhooks(visit)


async def add_webhook(visit: Visit) -> Response:
    """Add a receiver and show the list with its secret, shown only once, or the form again with the reason."""
    form = await _checked(visit)
    body: dict[str, Any] = {"url": form.get("url", "").strip(), "events": [e for e in EVENTS if form.get(e)]}
    if form.get("secret"):
        body["secret"] = form["secret"]
    try:
        created = await visit.api.post("/v1/webhooks", body)
    except ApiRefused as refused:
        return await _webhooks(visit, refused.status, form=form, problem=refused)
    return await _webhooks(visit, 201, made=created)


async def list_deliveries(visit: Visit) -> Response:
    """List the deliveries to all receivers, sent or pending, newest first."""
    hooks = {hook["id"]: hook for hook in await visit.api.get("/v1/webhooks")}
    rows, more = await visit.api.page("/v1/webhooks/deliveries", cursor=visit.query("cursor"), limit=_PER_PAGE)
    later = visit.query("cursor") is not None
    return visit.page("deliveries.html", hooks=hooks, hook=None, made=None, rows=rows, more=more, later=later)


async def show_webhook(visit: Visit) -> Response:
    """Show one receiver with its deliveries."""
    return await _webhook(visit)


async def rotate_secret(visit: Visit) -> Response:
    """Rotate the receiver's secret and show the new one, only once. Raises `ForeignRequest`."""
    await _checked(visit)
    created = await visit.api.post(f"/v1/webhooks/{visit.segment('webhook_id')}/rotate")
    return await _webhook(visit, created)


async def _webhook(visit: Visit, created: Any = None) -> Response:
    hooks = {hook["id"]: hook for hook in await visit.api.get("/v1/webhooks")}
    hook = hooks.get(visit.request.path_params["webhook_id"])
    if hook is None:
        raise ApiRefused(404, "not-found", "There is no such receiver.")
    rows, more = await visit.api.page(
        "/v1/webhooks/deliveries", webhook_id=hook["id"], cursor=visit.query("cursor"), limit=_PER_PAGE
    )
    later = visit.query("cursor") is not None
    return visit.page("deliveries.html", hooks=hooks, hook=hook, made=created, rows=rows, more=more, later=later)


async def list_audit(visit: Visit) -> Response:
    """List audit entries, newest first; on request also check that the chain is intact."""
    try:
        rows, more = await visit.api.page("/v1/audit", cursor=visit.query("cursor"), limit=_PER_PAGE)
    except ApiRefused as refused:
        if refused.code != "feature-not-licensed":
            raise
        return visit.page("audit.html", refused.status, licensed=False)
    verified = visit.query("verify") is not None
    broken = await check_chain(visit) if verified else None
    later = visit.query("cursor") is not None
    facts: dict[str, Any] = {"rows": rows, "more": more, "later": later, "verified": verified, "broken": broken}
    return visit.page("audit.html", licensed=True, **facts)


async def _sources(visit: Visit, status: int = 200, **facts: Any) -> Response:
    rows = await visit.api.get("/v1/sources")
    live = any(row["state"] in _SYNCING for row in rows)
    return visit.page(
        "sources.html",
        status,
        rows=rows,
        live=live,
        syncing=_SYNCING,
        kind="bucket" if (facts.get("form") or {}).get("kind", visit.query("kind")) == "bucket" else "folder",
        **({"form": None, "problem": None, "made": None, "tested": False} | facts),
    )


async def _webhooks(visit: Visit, status: int = 200, **facts: Any) -> Response:
    rows = await visit.api.get("/v1/webhooks")
    shown = {"form": None, "problem": None, "made": None, "events": EVENTS} | facts
    return visit.page("webhooks.html", status, rows=rows, **shown)


async def _checked(visit: Visit) -> dict[str, str]:
    """Return the form if it comes from this session's page."""
    require_same_site(visit.request.headers)
    form = await read_form(visit.request)
    require_token(form.get("csrf"), visit.session.csrf)
    return form


def _source_of(form: dict[str, str]) -> dict[str, Any]:
    """Return the API request for a source: the place is a path, or a URI if it has a scheme; one glob per line."""
    fields = {name: form.get(name, "").strip() for name in _SOURCE_FIELDS}
    body: dict[str, Any] = {"uri" if "://" in fields["place"] else "path": fields["place"]}
    if fields["name"]:
        body["name"] = fields["name"]
    if fields["every_minutes"]:
        body["every_minutes"] = fields["every_minutes"]
    for name in ("include", "exclude"):
        body[name] = [line.strip() for line in fields[name].splitlines() if line.strip()]
    return body

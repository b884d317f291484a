"""Targets and their dead letters."""

from typing import Any

from starlette.responses import Response

from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.login import read_form
from quire.serve_apps.ui.browser.origin import require_same_site, require_token
from quire.serve_apps.ui.browser.visit import Visit

_PER_PAGE = 50  # dead letters a page


async def list_targets(visit: Visit) -> Response:
    """List the targets with their lag."""
    return await _targets(visit)


async def add_target(visit: Visit) -> Response:
    """Add a target and show the list, or the form again with the reason. Raises `ForeignRequest`."""
    require_same_site(visit.request.headers)
    form = await read_form(visit.request)
    require_token(form.get("csrf"), visit.session.csrf)
    lines = [line.partition("=") for line in form.get("settings", "").splitlines() if line.strip()]
    body: dict[str, Any] = {
        "kind": form.get("kind", "").strip(),
        "settings": {name.strip(): value.strip() for name, _, value in lines},
    }
    body |= {name: form[name] for name in ("name", "secret") if form.get(name)}
    try:
        created = await visit.api.post("/v1/targets", body)
    except ApiRefused as refused:
        return await _targets(visit, refused.status, form=form, problem=refused)
    return await _targets(visit, 201, made=created)


async def show_target(visit: Visit) -> Response:
    """Show one target with the documents that it refused."""
    row = await visit.api.get(f"/v1/targets/{visit.segment('target_id')}")
    letters, more = await visit.api.page(
        f"/v1/targets/{row['id']}/dead-letters", cursor=visit.query("cursor"), limit=_PER_PAGE
    )
    later = visit.query("cursor") is not None
    return visit.page("target.html", row=row, letters=letters, more=more, later=later)


async def _targets(visit: Visit, status: int = 200, **facts: Any) -> Response:
    rows = await visit.api.get("/v1/targets")
    live = any(row["lag"]["documents"] and row["state"] == "active" for row in rows)
    shown = {"form": None, "problem": None, "made": None} | facts
    return visit.page("targets.html", status, rows=rows, live=live, kinds=visit.resources.targets.names(), **shown)

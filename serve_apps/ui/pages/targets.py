"""Targets and their dead letters."""

from typing import Any

from starlette.responses import Response

from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.login import read_form
from quire.serve_apps.ui.browser.origin import require_same_site, require_token
from quire.serve_apps.ui.browser.visit import Visit
from quire.serve_apps.ui.pages.target_form import FORMS, read_target

_PER_PAGE = 50  # dead letters a page


async def list_targets(visit: Visit) -> Response:
    """List the targets with their lag."""
    return await _targets(visit)


async def add_target(visit: Visit) -> Response:
    """Add a target and show the list, or the form again with the reason or the test's result.

    Raises:
        ForeignRequest: The form does not come from this session's page.
    """
    require_same_site(visit.request.headers)
    form = await read_form(visit.request)
    require_token(form.get("csrf"), visit.session.csrf)
    body, is_test = read_target(form), bool(form.get("test"))
    try:
        made = await visit.api.post("/v1/targets/check" if is_test else "/v1/targets", body)
    except ApiRefused as refused:
        return await _targets(visit, 200 if is_test else refused.status, form=form, problem=refused)
    if is_test:
        return await _targets(visit, form=form, tested=True)
    return await _targets(visit, 201, made=made)


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
    shown = {"form": None, "problem": None, "made": None, "tested": False} | facts
    kinds = visit.resources.targets.names()
    chosen = (facts.get("form") or {}).get("kind") or visit.query("kind")
    kind = chosen if chosen in kinds else "http"
    return visit.page("targets.html", status, rows=rows, live=live, kinds=kinds, kind=kind, forms=FORMS, **shown)

"""The page that compares two documents, or two readings of one; without a second one it offers a choice."""

from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from quire.models.cdom.tree import Tree
from quire.serve_apps.ui.browser.comparison import Comparison, compare_for_page
from quire.serve_apps.ui.browser.gateway import ApiRefused
from quire.serve_apps.ui.browser.lookups import app_state_of
from quire.serve_apps.ui.browser.visit import Visit
from quire.storage.jobs.documents import locate_tree

_OFFERED = 50
"""Documents offered for the second side: one page of the list; the others are found by name."""


async def show_comparison(visit: Visit) -> Response:
    """Compare documents `a` and `b` of the organisation; `name` filters the documents offered for `b`."""
    first = await _document(visit, visit.query("a"))
    second = await _document(visit, visit.query("b"))
    if first is None or second is None:
        offered = await _offered(visit, first)
        return visit.page("compare.html", first=first, second=None, comparison=None, offered=offered)
    comparison = await _compare(visit, first, second)
    return visit.page("compare.html", first=first, second=second, comparison=comparison, offered=[])


async def _document(visit: Visit, document_id: str | None) -> dict[str, Any] | None:
    """Return the document's row. Raises `ApiRefused` if it is unknown or was not read."""
    if document_id is None:
        return None
    row: dict[str, Any] = await visit.api.get(f"/v1/documents/{quote(document_id, safe='')}")
    if row["status"] != "succeeded" or row["deleted_at"]:
        raise ApiRefused(409, "not-finished", f"{row['source_file']} has not been read, so it cannot be compared.")
    return row


async def _offered(visit: Visit, first: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return documents that were read, those with the first one's name first."""
    name = visit.query("name")
    rows = await visit.api.get("/v1/documents", status="succeeded", name=name, limit=_OFFERED)
    if first is None:
        return list(rows)
    if not name:
        same = await visit.api.get("/v1/documents", status="succeeded", name=first["source_file"], limit=_OFFERED)
        rows = list({row["document_id"]: row for row in [*same, *rows]}.values())
    return [row for row in rows if row["document_id"] != first["document_id"]][:_OFFERED]


async def _compare(visit: Visit, first: dict[str, Any], second: dict[str, Any]) -> Comparison:
    running = app_state_of(visit)
    trees = (await _tree(visit, first), await _tree(visit, second))
    if running.work.is_heavy(*trees):
        return await running.heavy.run(partial(running.work.run_apart, compare_for_page), trees)
    return await running.disk.run(compare_for_page, trees)


async def _tree(visit: Visit, row: dict[str, Any]) -> Tree:
    running, store = app_state_of(visit), visit.resources.store
    job, document = row["job_id"], row["document_id"]
    where = await running.sql.run(locate_tree, store.db, visit.session.caller.data, job, document)
    return await running.disk.run(running.trees.get, store, document, where.attempt)

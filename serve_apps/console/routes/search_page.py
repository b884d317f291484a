"""The page that searches all documents of a tenant."""

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from quire.models.cdom.search import is_unrelated
from quire.serve_apps.console.callers.callers import Visitor, VisitorDep
from quire.serve_apps.console.context.page_rendering import page
from quire.serve_apps.console.routes.viewer import place_of
from quire.serve_apps.console.store.sent import filter_sent
from quire.serve_apps.viewer.hits import show_hits

router = APIRouter(include_in_schema=False)
_HITS = 20  # passages on the page
_LONGEST = 500  # characters of a question


@router.get("/search")
async def show_search(request: Request, visitor: VisitorDep, q: str = "") -> Response:
    """Show passages by meaning and by words, best first, each with a link to its page."""
    question = q.replace("\0", "").strip()[:_LONGEST]
    engine_hits = await _find(visitor, question) if question else []
    hits = show_hits(engine_hits or [], lambda hit: place_of(request, hit["document_id"]))
    unrelated, available = is_unrelated(question, engine_hits or []), engine_hits is not None
    shown: dict[str, Any] = {"text": question, "hits": hits, "far": unrelated, "offered": available}
    return page(request, "search.html", visitor=visitor, **shown)


async def _find(visitor: Visitor, question: str) -> list[dict[str, Any]] | None:
    """Return hits in documents that the tenant still has, or None if the engine has no search index."""
    running, tenant = visitor.running, visitor.account.tenant
    query = urlencode({"q": question, "mode": "hybrid", "limit": _HITS})
    answer = await running.engine.get(f"/v1/search?{query}", tenant.id)
    if answer.status_code != 200:
        return None
    hits: list[dict[str, Any]] = answer.json()
    ids = [hit["document_id"] for hit in hits]
    ours = await running.sql.run(filter_sent, running.db, tenant.id, ids)
    return [hit for hit in hits if hit["document_id"] in ours]

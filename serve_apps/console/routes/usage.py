"""GET /v1/usage: documents and pages of this month, and the position of the plan."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from quire.serve_apps.api.shapes.rendering import json_response
from quire.serve_apps.console.callers.callers import CallerDep
from quire.serve_apps.console.store.admission import usage_of
from quire.serve_apps.console.store.rows import Tenant, Usage

router = APIRouter(tags=["usage"])


@router.get("/v1/usage")
async def read_usage(caller: CallerDep) -> Response:
    """Return the usage of the current month (UTC)."""
    usage = await caller.running.sql.run(usage_of, caller.running.db, caller.tenant.id)
    return json_response(render_usage(caller.tenant, usage))


def render_usage(tenant: Tenant, usage: Usage) -> dict[str, Any]:
    """`limit` and `remaining` are null on a plan without a limit; a document in work holds one page."""
    limit = tenant.monthly_pages
    remaining = None if limit is None else max(0, limit - usage.pages - usage.open_documents)
    return {
        "plan": tenant.plan,
        "documents": usage.documents,
        "pages_this_month": usage.pages,
        "monthly_pages": {
            "used": usage.pages,
            "reserved": usage.open_documents,
            "limit": limit,
            "remaining": remaining,
            "resets_at": f"{usage.resets_on.isoformat()}T00:00:00Z",
        },
        "concurrent_documents": {"in_work": usage.open_documents, "limit": tenant.concurrent_documents},
        "retention_days": tenant.retention_days,
    }

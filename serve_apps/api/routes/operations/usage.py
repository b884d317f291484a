"""GET /v1/usage: the organisation's metered use in a month, by key, and the position of the quota."""

from dataclasses import asdict
from datetime import date
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import CallDep
from quire.serve_apps.api.shapes.operator_bodies import UsageBody
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.queue.usage import month_usage
from quire.storage.queue.usage_by_key import current_month, usage_by_key

router = Operations("system")
Month = Annotated[
    str | None,
    Query(
        pattern=r"^20\d\d-(0[1-9]|1[0-2])(-01)?$",
        description="Month such as 2026-05 or 2026-05-01. The default is the current month (UTC).",
    ),
]


@router.operation("GET /v1/usage", "get_usage", READ, UsageBody)
async def read_usage(call: CallDep, month: Month = None) -> Response:
    """Return documents, pages and bytes of the month by key; the quota covers the whole deployment."""
    db = call.store.db
    when = date.fromisoformat(f"{month[:7]}-01") if month else await call.running.sql.run(current_month, db)
    keys = await call.running.sql.run(usage_by_key, db, call.scope, when)
    now = await call.running.sql.run(month_usage, db)
    return json_response(
        {
            "month": when,
            "documents": sum(key.documents for key in keys),
            "pages": sum(key.pages for key in keys),
            "bytes": sum(key.bytes for key in keys),
            "keys": [asdict(key) for key in keys],
            "pages_used_this_month": now.used,
            "pages_reserved": now.reserved,
            "max_pages_per_month": call.running.resources.license.current.max_pages_per_month,
        }
    )

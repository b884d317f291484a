"""GET /v1/audit: the organisation's audit chain, for an admin of a deployment licensed for it."""

from dataclasses import asdict

from starlette.responses import Response

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import ADMIN
from quire.serve_apps.api.context.deps import CallDep
from quire.serve_apps.api.shapes.operator_bodies import AuditBody
from quire.serve_apps.api.shapes.pages import Cursor, Limit, page_response
from quire.storage.access.audit import list_audit

router = Operations("system")
FEATURE = "audit_export"


@router.operation("GET /v1/audit", "list_audit", ADMIN, list[AuditBody])
async def read_audit(call: CallDep, limit: Limit = 200, cursor: Cursor = None) -> Response:
    """List audit records, newest first. 403 `feature-not-licensed` without the feature audit_export."""
    call.require_feature(FEATURE)
    page = await call.running.disk.run(list_audit, call.store, call.scope, limit=limit, cursor=cursor)
    return page_response(page, asdict)

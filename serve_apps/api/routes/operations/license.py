"""GET /v1/license: the licence, its term and the pages used this month."""

from starlette.responses import Response

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import READ
from quire.serve_apps.api.context.deps import CallDep
from quire.serve_apps.api.shapes.bodies import LicenseBody
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.queue.usage import month_usage

router = Operations("system")


@router.operation("GET /v1/license", "get_license", READ, LicenseBody)
async def read_license(call: CallDep) -> Response:
    """Return the licence. `licensed` is false if it expired or the clock was set back; see `refusal`."""
    holder = call.running.resources.license
    usage = await call.running.sql.run(month_usage, call.store.db)
    license, refusal = holder.current, holder.refusal()
    return json_response(
        {
            "licensed": refusal is None,
            "plan": license.plan,
            "customer": license.customer,
            "license_id": license.license_id,
            "expires_at": license.expires_at,
            "days_left": max(0, (license.expires_at - holder.now()).days),
            "pages_used_this_month": usage.used,
            "pages_reserved": usage.reserved,
            "max_pages_per_month": license.max_pages_per_month,
            "features": list(license.features),
            "refusal": refusal,
            "token_refusal": holder.token_refusal,
        }
    )

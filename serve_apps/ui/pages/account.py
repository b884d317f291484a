"""Account pages: the month's usage and the licence, and how programs reach the API with this key."""

from datetime import date, timedelta

from starlette.responses import Response

from quire.serve_apps.ui.browser.lookups import plot_day, plot_month
from quire.serve_apps.ui.browser.visit import Visit


async def show_usage(visit: Visit) -> Response:
    """Show documents and pages of a month by key, next to the licence's quota."""
    usage = await visit.api.get("/v1/usage", month=visit.query("month"))
    month = date.fromisoformat(usage["month"])
    this_month = await visit.api.get("/v1/usage") if visit.query("month") else usage
    return visit.page(
        "usage.html",
        usage=usage,
        by_day=await plot_month(visit, month),
        by_hour=await plot_day(visit),
        license=await visit.api.get("/v1/license"),
        month=f"{month:%B %Y}",
        before=f"{month - timedelta(days=1):%Y-%m}",
        after=f"{month + timedelta(days=32):%Y-%m}" if usage["month"] < this_month["month"] else None,
    )


async def show_access(visit: Visit) -> Response:
    """Show the signed-in caller, the API's address, a first call, and to an admin the default token if one exists."""
    default = visit.resources.default_token
    token = default.token if default and visit.is_admin else None
    url = visit.request.url
    return visit.page("access.html", token=token, base_url=f"{url.scheme}://{url.netloc}")

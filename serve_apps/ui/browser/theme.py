"""Theme choice, light, dark or the system's, stored in a cookie of this browser."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quire.serve_apps.ui.browser.login import next_page, read_form
from quire.serve_apps.ui.browser.origin import ForeignRequest, over_tls, require_same_site
from quire.serve_apps.ui.browser.visit import THEME_COOKIE, THEMES

_YEAR_S = 365 * 86_400  # seconds


async def choose_theme(request: Request) -> Response:
    """Store the choice and redirect to the page it was made on; an unknown value means the system's theme."""
    try:
        require_same_site(request.headers)
    except ForeignRequest:
        return Response("This form belongs to another site.", 403)
    theme = (await read_form(request)).get("theme", "")
    answer = RedirectResponse(_page_of(request.headers.get("referer", "")), 303)
    answer.set_cookie(
        THEME_COOKIE,
        theme if theme in THEMES else "",
        max_age=_YEAR_S if theme in THEMES else 0,
        path="/ui",
        secure=over_tls(request),
        httponly=True,
        samesite="strict",
    )
    return answer


def _page_of(referer: str) -> str:
    """Return the page of this site that was shown."""
    parts = urlsplit(referer)
    return next_page(parts.path + (f"?{parts.query}" if parts.query else ""))

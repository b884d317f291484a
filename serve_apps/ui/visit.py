"""One request of a browser: who is signed in, what the API says, and how a page is answered."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from serve_apps.access.scopes import REQUIRED, KeyScope
from serve_apps.api.resources import Resources
from serve_apps.ui.gateway import Api, ApiRefused
from serve_apps.ui.guard import CONTENT_POLICY, ForeignRequest, over_tls
from serve_apps.ui.session import Session, Sessions, read_cookie

HERE = Path(__file__).parent
STATIC = {path.name: path.read_bytes() for path in sorted((HERE / "static").iterdir()) if path.is_file()}
VERSION = sha256(b"".join(STATIC.values())).hexdigest()[:12]
_PAGES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass
class Visit:
    """A request of somebody who is signed in."""

    request: Request
    session: Session
    resources: Resources
    router: ASGIApp

    @cached_property
    def api(self) -> Api:
        return Api(self.router, self.request, self.session.caller)

    def may(self, method: str, path: str) -> bool:
        """True when this service has the operation and this key's scope covers it."""
        needed = REQUIRED.get((method, path), ...)
        if needed is ...:
            return False
        return needed is None or self.session.caller.scope.covers(needed)

    @property
    def may_write(self) -> bool:
        return self.session.caller.scope.covers(KeyScope.WRITE)

    def page(self, template: str, status: int = 200, **facts: Any) -> Response:
        """The page with navigation and this session's form token."""
        return page(template, status, visit=self, caller=self.session.caller, csrf=self.session.csrf, **facts)


Handler = Callable[[Visit], Awaitable[Response]]


def page(template: str, status: int = 200, **facts: Any) -> Response:
    """A private page: never stored, never framed, no script but ours."""
    text = _PAGES.get_template(template).render(version=VERSION, **({"visit": None} | facts))
    headers = {"Content-Security-Policy": CONTENT_POLICY, "Cache-Control": "no-store"}
    return Response(text, status, headers, "text/html")


class SignedIn:
    """A handler behind the sign-in: strangers are sent to the form, refusals become pages."""

    def __init__(self, sessions: Sessions, resources: Resources, router: ASGIApp) -> None:
        self._sessions, self._resources, self._router = sessions, resources, router

    def __call__(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            session = self._sessions.read(read_cookie(request.scope["headers"], tls=over_tls(request)))
            if session is None:
                here = request.url.path if request.method == "GET" else "/ui"
                return RedirectResponse(f"/ui/login?next={quote(here)}", 303)
            request.scope["caller"] = session.caller
            visit = Visit(request, session, self._resources, self._router)
            try:
                return await handler(visit)
            except ApiRefused as refused:
                return visit.page("refused.html", refused.status, refused=refused)
            except ForeignRequest as foreign:
                return visit.page("refused.html", 403, refused=ApiRefused(403, foreign.code, str(foreign)))

        return handle

"""One request of a browser: its session, its access to the API, and the rendering of its page."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from quire.models.cdom.version import SERVICE_VERSION
from quire.serve_apps.access.browser import CONTENT_POLICY
from quire.serve_apps.access.scopes import KeyScope
from quire.serve_apps.api.context.resources import Resources
from quire.serve_apps.api.http.middleware import log_fault
from quire.serve_apps.api.lanes.fair_places import TENANT
from quire.serve_apps.ui.browser.gateway import ApiRefused, BrowserApi, refusal_of
from quire.serve_apps.ui.browser.origin import ForeignRequest, over_tls
from quire.serve_apps.ui.browser.session import SESSION_COOKIE, BrowserSession, Sessions
from quire.serve_apps.viewer.kit import STATIC as SHARED_STATIC
from quire.serve_apps.viewer.kit import TEMPLATE_FILTERS, TEMPLATE_GLOBALS, TEMPLATES, PageFiles

HERE = Path(__file__).parents[1]
FILES = PageFiles(SHARED_STATIC, HERE / "static")
THEMES = ("light", "dark")
THEME_COOKIE = "quire_theme"
PAGES = Environment(
    loader=ChoiceLoader([FileSystemLoader(HERE / "templates"), FileSystemLoader(TEMPLATES)]),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
PAGES.filters.update(TEMPLATE_FILTERS)
PAGES.globals.update(TEMPLATE_GLOBALS, static=f"/ui/static/{FILES.version}")


@dataclass
class Visit:
    """A request with a signed-in session."""

    request: Request
    session: BrowserSession
    resources: Resources
    router: ASGIApp

    @cached_property
    def api(self) -> BrowserApi:
        """Return the API as called by this session."""
        return BrowserApi(self.router, self.request, self.session.caller)

    def may(self, id: str) -> bool:
        """Return whether this key's scope covers the operation."""
        needed = self.request.app.state.operations[id].needed
        return needed is None or self.session.caller.scope.covers(needed)

    @property
    def may_write(self) -> bool:
        """Return whether the session's key has the write scope."""
        return self.session.caller.scope.covers(KeyScope.WRITE)

    @property
    def is_admin(self) -> bool:
        """Return whether the session's key has the admin scope."""
        return self.session.caller.scope.covers(KeyScope.ADMIN)

    def has_feature(self, feature: str) -> bool:
        """Return whether the licence includes the feature."""
        return feature in self.resources.license.current.features

    def query(self, name: str) -> str | None:
        """Return a query parameter, or None if it is missing or empty."""
        return self.request.query_params.get(name) or None

    def segment(self, name: str) -> str:
        """Return a path parameter of this page, quoted as one path segment."""
        return quote(self.request.path_params[name], safe="")

    def page(self, template: str, status: int = 200, **facts: Any) -> Response:
        """Return the page with navigation and this session's form token."""
        own = {"visit": self, "caller": self.session.caller, "csrf": self.session.csrf, "may_write": self.may_write}
        return page(self.request, template, status, service_version=SERVICE_VERSION, **own, **facts)

    def refuse(self, refused: ApiRefused) -> Response:
        """Return a page that shows the reason of a refusal."""
        answer = self.page("refused.html", refused.status, refused=refused)
        if refused.retry_after is not None:
            answer.headers["Retry-After"] = refused.retry_after
        return answer


Handler = Callable[[Visit], Awaitable[Response]]


def page(request: Request, template: str, status: int = 200, **facts: Any) -> Response:
    """Return a private page: never stored, never framed, with this site's scripts only."""
    theme = request.cookies.get(THEME_COOKIE)
    shown = {"visit": None, "here": request.url.path, "theme": theme if theme in THEMES else ""}
    text = PAGES.get_template(template).render(**(shown | facts))
    headers = {"Content-Security-Policy": CONTENT_POLICY, "Cache-Control": "no-store"}
    return Response(text, status, headers, "text/html")


class SignedIn:
    """Wraps handlers behind the sign-in: unknown browsers are sent to the form, refusals and faults become pages."""

    def __init__(self, sessions: Sessions, resources: Resources, router: ASGIApp) -> None:
        self._sessions, self._resources, self._router = sessions, resources, router

    def __call__(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """Wrap a page handler: require a session and show errors as pages."""

        async def handle(request: Request) -> Response:
            session = self._sessions.read(SESSION_COOKIE.read(request.scope["headers"], tls=over_tls(request)))
            if session is None:
                return RedirectResponse(f"/ui/login?next={quote(_return_to(request), safe='/')}", 303)
            request.scope["caller"] = session.caller
            TENANT.set(session.caller.tenant)
            visit = Visit(request, session, self._resources, self._router)
            try:
                return await handler(visit)
            except ApiRefused as refused:
                return visit.refuse(refused)
            except ForeignRequest as foreign:
                return visit.refuse(ApiRefused(403, foreign.code, str(foreign)))
            except Exception as error:  # the API's table maps known errors; others are logged as faults
                refusal = refusal_of(error)
                if refusal.status == 500:
                    log_fault(request.scope.get("request_id", ""), error)
                return visit.refuse(refusal)

        return handle


def _return_to(request: Request) -> str:
    """Return the page to show after sign-in. A change is not repeated."""
    if request.method != "GET":
        return "/ui"
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")

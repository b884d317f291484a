"""Sign-in and sign-out. The key is sent once; the browser keeps only a session cookie."""

from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quire.serve_apps.access.caller import Caller, find_key, org_of
from quire.serve_apps.access.errors import InvalidOrg, RateLimited, Unauthenticated
from quire.serve_apps.access.keys import ApiKey
from quire.serve_apps.api.context.app_state import AppState
from quire.serve_apps.api.context.resources import Resources
from quire.serve_apps.api.routes.operations.token import is_own_caller
from quire.serve_apps.ui.browser.origin import ForeignRequest, over_tls, require_same_site, require_token
from quire.serve_apps.ui.browser.session import LIFETIME_S, SESSION_COOKIE, Sessions
from quire.serve_apps.ui.browser.visit import page

_LONGEST_FORM = 16_384  # bytes; ours has three short fields
_STATUS = {Unauthenticated: 401, InvalidOrg: 422, RateLimited: 429}


async def read_form(request: Request, longest: int = _LONGEST_FORM) -> dict[str, str]:
    """Return the first value of each field of a url-encoded form; empty if it has more than `longest` bytes."""
    return {name: values[0] for name, values in (await read_fields(request, longest)).items()}


async def read_fields(request: Request, longest: int = _LONGEST_FORM) -> dict[str, list[str]]:
    """Return all values of each field of a url-encoded form; empty if it has more than `longest` bytes."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > longest:
            return {}
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


class Login:
    """The sign-in form and its answers."""

    def __init__(self, sessions: Sessions, resources: Resources) -> None:
        self._sessions, self._resources = sessions, resources

    async def show(self, request: Request) -> Response:
        """Show the form; on this machine it also offers the default token."""
        return self._form(request, next_page(request.query_params.get("next")))

    async def sign_in(self, request: Request) -> Response:
        """Open a session for a valid key, or show the form again with the reason."""
        form = await read_form(request)
        onward = next_page(form.get("next"))
        try:
            require_same_site(request.headers)
            if not self._sessions.is_login_form(form.get("token", "")):
                raise ForeignRequest("the form has expired; try again")
            return await self._open(request, self._secret(request, form), form.get("org", ""), onward)
        except (Unauthenticated, InvalidOrg, ForeignRequest, RateLimited) as refused:
            status = _STATUS.get(type(refused), 403)
            answer = self._form(request, onward, status, problem=str(refused))
            if isinstance(refused, RateLimited):
                answer.headers["Retry-After"] = str(refused.retry_after)
            return answer

    async def sign_out(self, request: Request) -> Response:
        """Remove the session from this browser."""
        tls = over_tls(request)
        session = self._sessions.read(SESSION_COOKIE.read(request.scope["headers"], tls=tls))
        if session is not None:
            try:
                require_same_site(request.headers)
                require_token((await read_form(request)).get("csrf"), session.csrf)
            except ForeignRequest as foreign:
                return self._form(request, "/ui", 403, problem=str(foreign))
        answer = RedirectResponse("/ui/login", 303)
        answer.headers["Set-Cookie"] = SESSION_COOKIE.write("", tls=tls, lifetime_s=0)
        answer.headers["Clear-Site-Data"] = '"cache"'
        return answer

    async def _open(self, request: Request, secret: str, org: str, onward: str) -> Response:
        key = await self._find(request, secret)
        named = org_of([(b"x-de-org", org.encode())] if org else [])
        request.scope["caller"] = Caller(key.label, key.name, key.scope, named)
        answer = RedirectResponse(onward, 303)
        answer.headers["Set-Cookie"] = SESSION_COOKIE.write(
            self._sessions.open(key, named), tls=over_tls(request), lifetime_s=LIFETIME_S
        )
        return answer

    async def _find(self, request: Request, secret: str) -> ApiKey:
        """Return the key. As in the API, addresses that sent many unknown keys are refused before the next check."""
        running: AppState = request.app.state.running
        address = running.true_address(request.scope)
        if address is not None:
            running.failed_auth.check(address)
        try:
            return find_key(secret, self._resources.keys)
        except Unauthenticated:
            if address is not None:
                await running.failed_auth.note(address)
            raise

    def _secret(self, request: Request, form: dict[str, str]) -> str:
        token = self._local_token(request)
        return token if token and form.get("local") else form.get("key", "").strip()

    def _local_token(self, request: Request) -> str | None:
        default = self._resources.default_token
        return default.token if default and is_own_caller(request, self._resources.limits) else None

    def _form(self, request: Request, onward: str, status: int = 200, **facts: Any) -> Response:
        return page(
            request,
            "login.html",
            status,
            next=onward,
            token=self._sessions.login_form(),
            local_token=self._local_token(request),
            **({"problem": None} | facts),
        )


def next_page(path: str | None) -> str:
    """Return the page to show after sign-in, always one of this site."""
    return path if path and (path == "/ui" or path.startswith("/ui/")) and "\\" not in path else "/ui"

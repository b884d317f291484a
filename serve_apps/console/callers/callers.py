"""Who is calling: a token's tenant on /v1, a session's account elsewhere; and whether a form is really the session's.

Cookies are SameSite=Strict and HttpOnly; what browsers send is checked for its origin too, and forms carry a token.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request
from starlette.responses import Response

from serve_apps.access.caller import DEFAULT_ORG, org_of, secret_of
from serve_apps.access.errors import Unauthenticated
from serve_apps.console.callers.forms import read_form
from serve_apps.console.callers.hosts import is_known_host
from serve_apps.console.context.console_state import ConsoleState
from serve_apps.console.context.refusals import ForeignForm, SignInNeeded
from storage.console.rows import Account, Tenant
from storage.console.sessions import SESSION_S, find_session
from storage.console.tokens import find_tenant

_LONGEST_SECRET = 256  # characters; ours have 46
_DEVICE_S = 180 * 86_400  # seconds a browser is known after signing in: half a year
_LONGEST_ORG = 34  # tenant id + dot + this is the longest name an organisation may have


@dataclass(frozen=True, slots=True)
class ConsoleCaller:
    """One request of a tenant. `org` is the organisation at the engine that holds its data."""

    running: ConsoleState
    tenant: Tenant
    org: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """One request of a signed-in account. `csrf` goes into every form of its pages."""

    running: ConsoleState
    account: Account
    cookie: str

    @property
    def digest(self) -> bytes:
        """Under which the session is kept."""
        return digest_cookie(self.cookie)

    @property
    def csrf(self) -> str:
        return hmac.digest(self.cookie.encode(), b"quire console form", hashlib.sha256).hex()

    @property
    def caller(self) -> ConsoleCaller:
        return ConsoleCaller(self.running, self.account.tenant, self.account.tenant.id)


async def find_running(request: Request) -> ConsoleState:
    running: ConsoleState = request.app.state.running
    return running


async def admit(request: Request) -> ConsoleCaller:
    """Raises `Unauthenticated` (401) for a missing, doubled, unknown or revoked token, `RateLimited`, `InvalidOrg`."""
    running: ConsoleState = request.app.state.running
    headers = request.scope["headers"]
    secret = secret_of(headers)
    if not secret or len(secret) > _LONGEST_SECRET:
        raise Unauthenticated("an access token is required: send X-API-Key or Authorization: Bearer")
    tenant = await running.sql.run(find_tenant, running.db, secret)
    if tenant is None:
        raise Unauthenticated("the token is not known or was revoked")
    await running.rates.admit(f"console:{tenant.id}")
    return ConsoleCaller(running, tenant, engine_org(tenant.id, org_of(headers)))


def engine_org(tenant_id: str, org: str) -> str:
    """A tenant's organisations lie inside its own name: whatever X-DE-Org says, it opens no other tenant."""
    if org == DEFAULT_ORG:
        return tenant_id
    short = org if len(org) <= _LONGEST_ORG else hashlib.sha256(org.encode()).hexdigest()[:_LONGEST_ORG]
    return f"{tenant_id}.{short}"


async def visit(request: Request) -> Visitor:
    """Raises `SignInNeeded`."""
    running: ConsoleState = request.app.state.running
    cookie = request.cookies.get(cookie_name(running))
    if not cookie or len(cookie) > _LONGEST_SECRET:
        raise SignInNeeded("sign in first")
    account = await running.sql.run(find_session, running.db, digest_cookie(cookie))
    if account is None:
        raise SignInNeeded("the session has ended; sign in again")
    return Visitor(running, account, cookie)


def check_origin(request: Request) -> bool:
    """Raises `ForeignForm` for what another site's page sends. True: a browser sent it; programs say no origin."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is None and origin is None:
        return False
    if site in (None, "none", "same-origin") and _is_ours(request, site, origin):
        return True
    raise ForeignForm("sent by a page of another site; a name of this console is set as SVC_CONSOLE_URL")


async def read_our_form(request: Request, visitor: Visitor) -> dict[str, Any]:
    """The fields of a form of our own pages. Raises `ForeignForm`."""
    check_origin(request)
    form = await read_form(request)
    check_form(visitor, form.get("csrf"))
    return form


def check_form(visitor: Visitor, sent: object) -> None:
    """Raises `ForeignForm` unless the form's token is this session's."""
    if not isinstance(sent, str) or not secrets.compare_digest(sent.encode(), visitor.csrf.encode()):
        raise ForeignForm("the form is not of this session; load the page again")


def new_cookie() -> str:
    return secrets.token_urlsafe(32)


def digest_cookie(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode("utf-8", "surrogateescape")).digest()


def cookie_name(running: ConsoleState) -> str:
    return "__Host-quire_console" if _is_secure(running) else "quire_console"


def device_cookie(running: ConsoleState) -> str:
    return "__Host-quire_device" if _is_secure(running) else "quire_device"


def set_device(response: Response, running: ConsoleState, mark: str) -> None:
    """Outlives the session: it opens nothing, a password is asked for all the same."""
    response.set_cookie(
        device_cookie(running), mark, max_age=_DEVICE_S, httponly=True, secure=_is_secure(running), samesite="strict"
    )


def set_cookie(response: Response, running: ConsoleState, cookie: str) -> None:
    response.set_cookie(
        cookie_name(running), cookie, max_age=SESSION_S, httponly=True, secure=_is_secure(running), samesite="strict"
    )


def clear_cookie(response: Response, running: ConsoleState) -> None:
    response.delete_cookie(cookie_name(running), httponly=True, secure=_is_secure(running), samesite="strict")


def _is_secure(running: ConsoleState) -> bool:
    return (running.resources.public_url or "").startswith("https://")


def _is_ours(request: Request, site: str | None, origin: str | None) -> bool:
    """By the origin, else (a strict referrer policy makes it "null") by the host, if the browser vouches for the site.

    A name that anybody could point here (DNS rebinding) is ours only where the settings say so.
    """
    running: ConsoleState = request.app.state.running
    host = request.headers.get("host", "")
    if origin in (None, "null"):
        return site is not None and is_known_host(running.resources, host)
    named = urlsplit(origin).netloc
    public = urlsplit(running.resources.public_url or "").netloc
    return named == public or (named == host and is_known_host(running.resources, host))


CallerDep = Annotated[ConsoleCaller, Depends(admit)]
VisitorDep = Annotated[Visitor, Depends(visit)]
RunningDep = Annotated[ConsoleState, Depends(find_running)]

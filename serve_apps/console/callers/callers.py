"""Identify the caller: a token's tenant on /v1, a session's account elsewhere. Check that forms belong to the session.

Cookies are SameSite=Strict and HttpOnly. Browser requests are also checked for their origin, and forms carry a token.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request
from starlette.responses import Response

from quire.serve_apps.access.browser import BrowserCookie, Sender, find_sender, is_token
from quire.serve_apps.access.caller import DEFAULT_ORG, org_of, principals_of, secret_of
from quire.serve_apps.access.errors import PrincipalsUnsupported, Unauthenticated
from quire.serve_apps.api.lanes.fair_places import TENANT
from quire.serve_apps.console.callers.forms import read_form
from quire.serve_apps.console.callers.hosts import is_known_host
from quire.serve_apps.console.context.console_state import ConsoleState
from quire.serve_apps.console.context.refusals import ForeignForm, SignInNeeded
from quire.serve_apps.console.store.rows import Account, Tenant
from quire.serve_apps.console.store.sessions import SESSION_S, find_session
from quire.serve_apps.console.store.tokens import find_tenant

_SESSION = BrowserCookie("quire_console", "quire_console")
_DEVICE = BrowserCookie("quire_device", "quire_device")
_LONGEST_SECRET = 256  # characters; console tokens have 46
_DEVICE_S = 180 * 86_400  # seconds that a browser stays known after sign-in: half a year
_LONGEST_ORG = 34  # tenant id + dot + this is the longest name an organisation may have


@dataclass(frozen=True, slots=True)
class ConsoleCaller:
    """One request of a tenant. `org` is the engine's organisation with the tenant's data."""

    running: ConsoleState
    tenant: Tenant
    org: str


@dataclass(frozen=True, slots=True)
class Visitor:
    """One request of a signed-in account. Every form of its pages carries `csrf`."""

    running: ConsoleState
    account: Account
    cookie: str

    @property
    def digest(self) -> bytes:
        """Return the digest under which the session is stored."""
        return digest_cookie(self.cookie)

    @property
    def csrf(self) -> str:
        """Return the form token of this session."""
        return hmac.digest(self.cookie.encode(), b"quire console form", hashlib.sha256).hex()

    @property
    def caller(self) -> ConsoleCaller:
        """Return the account's tenant as a caller of /v1."""
        return ConsoleCaller(self.running, self.account.tenant, self.account.tenant.id)


async def find_running(request: Request) -> ConsoleState:
    """Return the state of the console that received the request."""
    running: ConsoleState = request.app.state.running
    return running


async def admit(request: Request) -> ConsoleCaller:
    """Identify the caller of /v1 by its token and count the request.

    Raises:
        Unauthenticated: The token is missing, doubled, unknown or revoked.
        RateLimited: The tenant has used up its requests.
        InvalidOrg: The organisation header is malformed.
        PrincipalsUnsupported: The request is limited to principals.
    """
    running: ConsoleState = request.app.state.running
    headers = request.scope["headers"]
    secret = secret_of(headers)
    if not secret or len(secret) > _LONGEST_SECRET:
        raise Unauthenticated("an access token is required: send X-API-Key or Authorization: Bearer")
    tenant = await running.sql.run(find_tenant, running.db, secret)
    if tenant is None:
        raise Unauthenticated("the token is unknown or was revoked")
    TENANT.set(tenant.id)
    await running.rates.admit(f"console:{tenant.id}")
    if principals_of(headers) is not None:
        raise PrincipalsUnsupported("the console does not limit requests to principals; send them to the engine")
    return ConsoleCaller(running, tenant, engine_org(tenant.id, org_of(headers)))


def engine_org(tenant_id: str, org: str) -> str:
    """Return the engine's organisation, which always starts with the tenant's id, so X-DE-Org opens no other tenant."""
    if org == DEFAULT_ORG:
        return tenant_id
    short = org if len(org) <= _LONGEST_ORG else hashlib.sha256(org.encode()).hexdigest()[:_LONGEST_ORG]
    return f"{tenant_id}.{short}"


async def visit(request: Request) -> Visitor:
    """Return the visitor of the session. Raises `SignInNeeded`."""
    running: ConsoleState = request.app.state.running
    cookie = session_of(request)
    if not cookie or len(cookie) > _LONGEST_SECRET:
        raise SignInNeeded("sign in first")
    account = await running.sql.run(find_session, running.db, digest_cookie(cookie))
    if account is None:
        raise SignInNeeded("the session has ended; sign in again")
    TENANT.set(account.tenant.id)
    return Visitor(running, account, cookie)


def check_origin(request: Request) -> bool:
    """Return whether a browser sent the request; programs state no origin.

    Raises:
        ForeignForm: A page of another site sent it.
    """
    match find_sender(request.headers, lambda host: _is_ours(request, host)):
        case Sender.FOREIGN:
            raise ForeignForm("the request comes from another site; set the console's address as SVC_CONSOLE_URL")
        case sender:
            return sender is Sender.OURS


async def read_our_form(request: Request, visitor: Visitor) -> dict[str, Any]:
    """Return the fields of a form of this console's pages. Raises `ForeignForm`."""
    check_origin(request)
    form = await read_form(request)
    check_form(visitor, form.get("csrf"))
    return form


def check_form(visitor: Visitor, sent: object) -> None:
    """Check that the form's token is this session's. Raises `ForeignForm`."""
    if not is_token(sent, visitor.csrf):
        raise ForeignForm("the form belongs to another session; reload the page")


def new_cookie() -> str:
    """Return a random session cookie."""
    return secrets.token_urlsafe(32)


def digest_cookie(cookie: str) -> bytes:
    """Return the cookie's SHA-256 digest, under which the session is stored."""
    return hashlib.sha256(cookie.encode("utf-8", "surrogateescape")).digest()


def session_of(request: Request) -> str | None:
    """Return the session cookie, or None."""
    return _SESSION.read(request.scope["headers"], tls=_is_secure(request.app.state.running))


def device_of(request: Request) -> str:
    """Return the mark of a browser that has signed in before; "" without one."""
    return _DEVICE.read(request.scope["headers"], tls=_is_secure(request.app.state.running)) or ""


def set_session(response: Response, running: ConsoleState, cookie: str) -> None:
    """Set the session cookie on the response."""
    response.headers.append("set-cookie", _SESSION.write(cookie, tls=_is_secure(running), lifetime_s=SESSION_S))


def set_device(response: Response, running: ConsoleState, mark: str) -> None:
    """Set the device mark, which outlives the session. It grants no access: a password is still required."""
    response.headers.append("set-cookie", _DEVICE.write(mark, tls=_is_secure(running), lifetime_s=_DEVICE_S))


def clear_session(response: Response, running: ConsoleState) -> None:
    """Remove the session cookie from the browser."""
    response.headers.append("set-cookie", _SESSION.write("", tls=_is_secure(running), lifetime_s=0))


def _is_secure(running: ConsoleState) -> bool:
    return (running.resources.public_url or "").startswith("https://")


def _is_ours(request: Request, host: str) -> bool:
    """Return whether `host` is the public name, or the requested host if the settings allow that name.

    Any other name could be pointed here by a third party (DNS rebinding).
    """
    running: ConsoleState = request.app.state.running
    public = urlsplit(running.resources.public_url or "").netloc
    return host == public or (host == request.headers.get("host", "") and is_known_host(running.resources, host))


CallerDep = Annotated[ConsoleCaller, Depends(admit)]
VisitorDep = Annotated[Visitor, Depends(visit)]
RunningDep = Annotated[ConsoleState, Depends(find_running)]

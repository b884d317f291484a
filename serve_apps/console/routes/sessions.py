"""Sign-up, sign-in and sign-out with forms and session cookies. Every sign-in creates a new cookie."""

import re
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from quire.serve_apps.console.callers import callers
from quire.serve_apps.console.callers.attempt_limits import (
    admit_password,
    admit_sign_in,
    admit_sign_up,
    device_mark,
    known_device,
    reset_attempts,
)
from quire.serve_apps.console.callers.callers import RunningDep, VisitorDep, check_origin, read_our_form
from quire.serve_apps.console.callers.forms import read_form
from quire.serve_apps.console.context.console_state import ConsoleState
from quire.serve_apps.console.context.page_rendering import page
from quire.serve_apps.console.context.passwords import LONGEST, SHORTEST
from quire.serve_apps.console.context.refusals import SignUpClosed, TooManyTries
from quire.serve_apps.console.context.resources import SignUp
from quire.serve_apps.console.store.accounts import create_account, find_password, use_link
from quire.serve_apps.console.store.errors import EmailTaken
from quire.serve_apps.console.store.rows import Credentials
from quire.serve_apps.console.store.sessions import close_session, open_session

router = APIRouter(include_in_schema=False)
_EMAIL = re.compile(r"[^@\s\x00-\x1f]{1,64}@[^@\s\x00-\x1f]{1,189}")
_WEAK = f"A password needs at least {SHORTEST} characters."


@router.get("/sign-up")
async def show_sign_up(request: Request, running: RunningDep) -> Response:
    """Show the sign-up form. Raises SignUpClosed if new accounts are not accepted."""
    return page(request, "sign_up.html", mode=_mode(running))


@router.get("/sign-in")
async def show_sign_in(request: Request, running: RunningDep) -> Response:
    """Show the sign-in form."""
    return page(request, "sign_in.html", mode=running.resources.sign_ups.mode)


@router.post("/sign-up")
async def sign_up(request: Request, running: RunningDep) -> Response:
    """Create an account with a first session, or one that awaits approval. Show the form again on an error."""
    check_origin(request)
    mode = _mode(running)
    email, password = _credentials(await read_form(request))
    if not _EMAIL.fullmatch(email) or not is_password(password):
        error = f"Enter an e-mail address and a password of at least {SHORTEST} characters."
        return page(request, "sign_up.html", 422, error=error, email=email, mode=mode)
    try:
        await admit_sign_up(request, running)
        hashed = await running.passwords.run(running.resources.passwords.hash, password)
        account = await running.disk.run(create_account, running.db, email, hashed, approved=mode is SignUp.OPEN)
    except EmailTaken as error:
        return page(request, "sign_up.html", 409, error=str(error), email=email, mode=mode)
    except TooManyTries as error:
        return _slow_down(page(request, "sign_up.html", 429, error=str(error), email=email, mode=mode), error)
    if mode is not SignUp.OPEN:
        return page(request, "waiting.html", 202)
    return await _begin(request, running, Credentials(account_id=account.id, password=hashed, approved=True))


@router.post("/sign-in")
async def sign_in(request: Request, running: RunningDep) -> Response:
    """Sign in. An unknown address and a wrong password get the same answer after the same work."""
    check_origin(request)
    mode = running.resources.sign_ups.mode
    email, password = _credentials(await read_form(request))
    try:
        await admit_sign_in(request, running)
        credentials = await running.sql.run(find_password, running.db, email)
        bucket = await admit_password(request, running, email, credentials)
    except TooManyTries as error:
        return _slow_down(page(request, "sign_in.html", 429, error=str(error), email=email, mode=mode), error)
    passwords = running.resources.passwords
    if not await running.passwords.run(
        passwords.check, password[:LONGEST], credentials.password if credentials else None
    ):
        return page(request, "sign_in.html", 401, error="Address or password is wrong.", email=email, mode=mode)
    assert credentials is not None
    await reset_attempts(running, bucket)
    if not credentials.approved:
        return page(request, "waiting.html", 403)
    return await _begin(request, running, credentials)


@router.post("/sign-out")
async def sign_out(request: Request, visitor: VisitorDep) -> Response:
    """End the session."""
    await read_our_form(request, visitor)
    running = visitor.running
    await running.disk.run(close_session, running.db, visitor.digest)
    response = RedirectResponse(f"{request.scope.get('root_path', '')}/sign-in", 303)
    callers.clear_session(response, running)
    return response


@router.get("/new-password")
async def show_new_password(request: Request, link: str = "") -> Response:
    """Show the form of an operator's link; this does not use up the link."""
    return page(request, "new_password.html", link=link)


@router.post("/new-password")
async def set_new_password(request: Request, running: RunningDep) -> Response:
    """Set a password with a one-time link and end all sessions of the account."""
    check_origin(request)
    form = await read_form(request)
    link, password = str(form.get("link", ""))[:100], str(form.get("password", ""))
    if not is_password(password):
        return page(request, "new_password.html", 422, link=link, error=_WEAK)
    await admit_sign_in(request, running)
    hashed = await running.passwords.run(running.resources.passwords.hash, password)
    if not await running.disk.run(use_link, running.db, callers.digest_cookie(link), hashed):
        error = "This link was used or has expired. Request another one."
        return page(request, "new_password.html", 410, link="", error=error)
    return page(request, "sign_in.html", notice="The new password is set. Sign in with it.", mode=SignUp.CLOSED)


def is_password(text: str) -> bool:
    """Return whether the text has an acceptable password length."""
    return SHORTEST <= len(text) <= LONGEST


async def _begin(request: Request, running: ConsoleState, credentials: Credentials) -> Response:
    old = callers.session_of(request)
    if old:
        await running.disk.run(close_session, running.db, callers.digest_cookie(old))
    cookie, agent = callers.new_cookie(), request.headers.get("user-agent", "")
    await running.disk.run(open_session, running.db, credentials.account_id, callers.digest_cookie(cookie), agent)
    response = RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)
    callers.set_session(response, running, cookie)
    if known_device(request, running, credentials) is None:
        callers.set_device(response, running, device_mark(credentials))
    return response


def _mode(running: ConsoleState) -> SignUp:
    mode = running.resources.sign_ups.mode
    if mode is SignUp.CLOSED:
        raise SignUpClosed("this console does not accept new accounts")
    return mode


def _slow_down(response: Response, error: TooManyTries) -> Response:
    response.headers["Retry-After"] = str(error.retry_after)
    return response


def _credentials(form: dict[str, Any]) -> tuple[str, str]:
    return str(form.get("email", "")).strip().lower()[:254], str(form.get("password", ""))

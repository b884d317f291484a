"""Signing up, in and out: forms in, a session's cookie out. Every sign-in makes a new cookie."""

import re
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from serve_apps.console import callers
from serve_apps.console.callers import RunningDep, VisitorDep, check_form, check_origin
from serve_apps.console.forms import read_form
from serve_apps.console.pages import page
from serve_apps.console.passwords import LONGEST, SHORTEST
from serve_apps.console.running import Running
from storage.console.accounts import close_session, create_account, find_password, note_failure, open_session
from storage.console.errors import EmailTaken

router = APIRouter(include_in_schema=False)
_EMAIL = re.compile(r"[^@\s\x00-\x1f]{1,64}@[^@\s\x00-\x1f]{1,189}")


@router.get("/sign-up")
async def show_sign_up(request: Request) -> Response:
    return page(request, "sign_up.html")


@router.get("/sign-in")
async def show_sign_in(request: Request) -> Response:
    return page(request, "sign_in.html")


@router.post("/sign-up")
async def sign_up(request: Request, running: RunningDep) -> Response:
    """An account and its first session; the form again when it cannot be."""
    check_origin(request)
    email, password = _credentials(await read_form(request))
    if not _EMAIL.fullmatch(email) or not SHORTEST <= len(password) <= LONGEST:
        error = f"An e-mail address and a password of at least {SHORTEST} characters are needed."
        return page(request, "sign_up.html", 422, error=error, email=email)
    hashed = await running.passwords.run(running.resources.passwords.hash, password)
    try:
        account = await running.disk.run(create_account, running.db, email, hashed)
    except EmailTaken as error:
        return page(request, "sign_up.html", 409, error=str(error), email=email)
    return await _begin(request, running, account.id)


@router.post("/sign-in")
async def sign_in(request: Request, running: RunningDep) -> Response:
    """The same answer for an unknown address, a wrong password and an account that rests."""
    check_origin(request)
    email, password = _credentials(await read_form(request))
    found = await running.sql.run(find_password, running.db, email)
    passwords = running.resources.passwords
    if not await running.passwords.run(passwords.check, password[:LONGEST], found[1] if found else None):
        if found:
            await running.disk.run(note_failure, running.db, found[0])
        return page(request, "sign_in.html", 401, error="Address or password is wrong.", email=email)
    assert found is not None
    return await _begin(request, running, found[0])


@router.post("/sign-out")
async def sign_out(request: Request, visitor: VisitorDep) -> Response:
    check_origin(request)
    check_form(visitor, (await read_form(request)).get("csrf"))
    running = visitor.running
    await running.disk.run(close_session, running.db, callers.digest_cookie(visitor.cookie))
    response = RedirectResponse(f"{request.scope.get('root_path', '')}/sign-in", 303)
    callers.clear_cookie(response, running)
    return response


async def _begin(request: Request, running: Running, account_id: str) -> Response:
    old = request.cookies.get(callers.cookie_name(running))
    if old:
        await running.disk.run(close_session, running.db, callers.digest_cookie(old))
    cookie = callers.new_cookie()
    await running.disk.run(open_session, running.db, account_id, callers.digest_cookie(cookie))
    response = RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)
    callers.set_cookie(response, running, cookie)
    return response


def _credentials(form: dict[str, Any]) -> tuple[str, str]:
    return str(form.get("email", "")).strip().lower()[:254], str(form.get("password", ""))

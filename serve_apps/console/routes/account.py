"""Account page: password, sessions, closing the account. Every step that ends access asks for the password again."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from quire.models.export.bar_plot import PlotBar, bar_plot
from quire.serve_apps.console.callers import callers
from quire.serve_apps.console.callers.attempt_limits import admit_sign_in
from quire.serve_apps.console.callers.callers import Visitor, VisitorDep, read_our_form
from quire.serve_apps.console.context.page_rendering import page
from quire.serve_apps.console.context.passwords import LONGEST, SHORTEST
from quire.serve_apps.console.routes.sessions import is_password
from quire.serve_apps.console.routes.usage import render_usage
from quire.serve_apps.console.store.accounts import change_password, close_account, password_of
from quire.serve_apps.console.store.admission import usage_by_month, usage_of
from quire.serve_apps.console.store.sessions import close_one, close_others, list_sessions

router = APIRouter(include_in_schema=False)
_WRONG = "The current password is wrong."


@router.get("/account")
async def show_account(request: Request, visitor: VisitorDep) -> Response:
    """Show the account page."""
    return await _account(request, visitor)


@router.post("/account/password")
async def set_password(request: Request, visitor: VisitorDep) -> Response:
    """Set a new password and sign out all other browsers."""
    form = await read_our_form(request, visitor)
    new = str(form.get("new", ""))
    if not is_password(new):
        return await _account(request, visitor, 422, error=f"A password needs at least {SHORTEST} characters.")
    if not await _has_password(request, visitor, form):
        return await _account(request, visitor, 403, error=_WRONG)
    running = visitor.running
    hashed = await running.passwords.run(running.resources.passwords.hash, new)
    await running.disk.run(change_password, running.db, visitor.account.id, hashed, visitor.digest)
    return await _account(request, visitor, notice="The password is changed. Every other browser is signed out.")


@router.post("/account/sessions/{session_id}/close")
async def close(request: Request, session_id: str, visitor: VisitorDep) -> Response:
    """Sign one browser out."""
    await read_our_form(request, visitor)
    await visitor.running.disk.run(close_one, visitor.running.db, visitor.account.id, session_id)
    return RedirectResponse(f"{request.scope.get('root_path', '')}/account", 303)


@router.post("/account/sessions/close")
async def close_everywhere(request: Request, visitor: VisitorDep) -> Response:
    """Sign every other browser out."""
    await read_our_form(request, visitor)
    ended = await visitor.running.disk.run(close_others, visitor.running.db, visitor.account.id, visitor.digest)
    notice = f"{ended} other browser{'' if ended == 1 else 's'} signed out."
    return await _account(request, visitor, notice=notice)


@router.post("/account/close")
async def leave(request: Request, visitor: VisitorDep) -> Response:
    """Account, tokens and receivers are gone now, documents within a minute of their end."""
    form = await read_our_form(request, visitor)
    if not await _has_password(request, visitor, form):
        return await _account(request, visitor, 403, error=_WRONG)
    running = visitor.running
    await running.disk.run(close_account, running.db, visitor.account.id)
    response = page(request, "left.html")
    callers.clear_session(response, running)
    return response


async def _account(request: Request, visitor: Visitor, status: int = 200, **values: Any) -> Response:
    running, account = visitor.running, visitor.account
    sessions = await running.sql.run(list_sessions, running.db, account.id, visitor.digest)
    usage = render_usage(account.tenant, await running.sql.run(usage_of, running.db, account.tenant.id))
    months = await running.sql.run(usage_by_month, running.db, account.tenant.id)
    plot = bar_plot("Pages by month", [PlotBar(f"{month:%b %Y}", pages) for month, pages in months])
    shown: dict[str, Any] = {"sessions": sessions, "usage": usage, "plot": plot}
    return page(request, "account.html", status, visitor=visitor, **(shown | values))


async def _has_password(request: Request, visitor: Visitor, form: dict[str, Any]) -> bool:
    await admit_sign_in(request, visitor.running)
    running, sent = visitor.running, str(form.get("password", ""))[:LONGEST]
    hashed = await running.sql.run(password_of, running.db, visitor.account.id)
    return await running.passwords.run(running.resources.passwords.check, sent, hashed)

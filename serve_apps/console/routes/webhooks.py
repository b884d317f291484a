"""Receivers of document.finished: registered by URL, listed with their deliveries. The secret is shown once."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from quire.serve_apps.api.shapes.rendering import json_response
from quire.serve_apps.console.callers.callers import Visitor, VisitorDep, check_form, check_origin, read_our_form
from quire.serve_apps.console.callers.forms import read_form, read_text
from quire.serve_apps.console.context.page_rendering import page
from quire.serve_apps.console.store.ports import Receiver
from quire.serve_apps.console.store.rows import Tenant
from quire.storage.values.errors import UrlRefused
from quire.storage.values.rows import Actor

router = APIRouter(tags=["session"])
SHOWN = 50  # deliveries listed, the newest
_LONGEST_URL = 8192  # characters; the receivers refuse longer ones too


@router.post("/api/webhooks", status_code=201)
async def register(request: Request, visitor: VisitorDep) -> Response:
    """Register a receiver. Body: `url`, as form or JSON. A private, loopback or unresolvable address is 422."""
    form = await read_form(request)
    if check_origin(request):
        check_form(visitor, request.headers.get("x-csrf-token") or form.get("csrf"))
    row, secret = await _register(visitor, form)
    shown = {"id": row.id, "url": row.url, "events": list(row.events), "secret": secret, "created_at": row.created_at}
    return json_response(shown, 201)


@router.get("/webhooks", include_in_schema=False)
async def show_webhooks(request: Request, visitor: VisitorDep, cursor: str | None = None) -> Response:
    """Show receivers and their deliveries, newest first; `cursor` selects older ones."""
    return await _webhooks(request, visitor, cursor=cursor)


@router.post("/webhooks", include_in_schema=False)
async def add_webhook(request: Request, visitor: VisitorDep) -> Response:
    """Add a receiver and show its secret, only on this page."""
    form = await read_our_form(request, visitor)
    try:
        row, secret = await _register(visitor, form)
    except UrlRefused as error:
        return await _webhooks(request, visitor, 422, error=f"This receiver cannot be used: {error}.")
    return await _webhooks(request, visitor, 201, made=row, secret=secret)


@router.post("/webhooks/{webhook_id}/delete", include_in_schema=False)
async def remove_webhook(request: Request, webhook_id: str, visitor: VisitorDep) -> Response:
    """Remove the receiver."""
    await read_our_form(request, visitor)
    hooks = _tenant(visitor).hooks
    await visitor.running.disk.run(visitor.running.resources.receivers.delete, hooks, _actor(visitor), webhook_id)
    return _back(request)


@router.post("/webhooks/{webhook_id}/test", include_in_schema=False)
async def send_test(request: Request, webhook_id: str, visitor: VisitorDep) -> Response:
    """Send a test event that names only the webhook."""
    await read_our_form(request, visitor)
    hooks = _tenant(visitor).hooks
    await visitor.running.disk.run(visitor.running.resources.receivers.send_test, hooks, _actor(visitor), webhook_id)
    return _back(request)


@router.post("/deliveries/{delivery_id}/redeliver", include_in_schema=False)
async def send_again(request: Request, delivery_id: str, visitor: VisitorDep) -> Response:
    """Send the same event under the same id again."""
    await read_our_form(request, visitor)
    hooks = _tenant(visitor).hooks
    await visitor.running.disk.run(visitor.running.resources.receivers.redeliver, hooks, _actor(visitor), delivery_id)
    return _back(request)


async def _register(visitor: Visitor, form: dict[str, Any]) -> tuple[Receiver, str]:
    running, url = visitor.running, read_text(form, "url", _LONGEST_URL)
    receivers = running.resources.receivers
    await running.disk.run(receivers.check, url)
    return await running.disk.run(receivers.register, _tenant(visitor).hooks, _actor(visitor), url)


async def _webhooks(
    request: Request, visitor: Visitor, status: int = 200, *, cursor: str | None = None, **values: Any
) -> Response:
    running, hooks = visitor.running, _tenant(visitor).hooks
    receivers = running.resources.receivers
    webhooks = await running.sql.run(receivers.list, hooks)
    sent = await running.sql.run(receivers.list_deliveries, hooks, SHOWN, cursor)
    shown = {"webhooks": webhooks, "deliveries": sent.items, "more": sent.next_cursor}
    return page(request, "webhooks.html", status, visitor=visitor, **shown, **values)


def _tenant(visitor: Visitor) -> Tenant:
    return visitor.account.tenant


def _actor(visitor: Visitor) -> Actor:
    return Actor(key_name=visitor.account.id)


def _back(request: Request) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/webhooks", 303)

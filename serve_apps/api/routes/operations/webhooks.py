"""/v1/webhooks: register receivers of events, rotate their secrets, list their deliveries, test and send again."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import ADMIN
from quire.serve_apps.api.context.deps import Call, CallDep
from quire.serve_apps.api.shapes.operator_bodies import DeliveryBody, WebhookBody, WebhookCreatedBody
from quire.serve_apps.api.shapes.pages import Cursor, Limit, page_response
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.values.errors import NotFound
from quire.storage.values.ids import is_id
from quire.storage.values.states import EventKind
from quire.storage.webhooks.receivers import (
    DeliveryRow,
    WebhookRow,
    delete_webhook,
    enable_webhook,
    list_deliveries,
    list_webhooks,
    redeliver,
    register_webhook,
    rotate_secret,
    test_webhook,
)
from quire.storage.webhooks.signatures import new_secret

router = Operations("webhooks")
_DISABLED = "The webhook is disabled, because its receiver answered 410."


Secret = Annotated[str, Field(min_length=24, max_length=256, pattern=r"^[\x21-\x7e]+$")]
MAX_OVERLAP_S = 2_592_000  # seconds both secrets of a rotation are signed with: thirty days


class WebhookRequest(BaseModel):
    """A receiver. `secret` signs every delivery and is shown once; it is generated if missing."""

    model_config = ConfigDict(extra="forbid")
    url: str = Field(max_length=8192)
    events: list[EventKind] = Field(default=[EventKind.JOB_FINISHED], min_length=1, max_length=2)
    secret: Secret | None = None


class RotationRequest(BaseModel):
    """A rotation. `secret` is generated if missing. The previous one also signs for `overlap_s` seconds."""

    model_config = ConfigDict(extra="forbid")
    secret: Secret | None = None
    overlap_s: int | None = Field(None, ge=0, le=MAX_OVERLAP_S)


_AS_USUAL = RotationRequest()
WebhookId = Annotated[str, Path(description="Opaque identifier of a webhook.")]
DeliveryId = Annotated[str, Path(description="Opaque identifier of a delivery.")]


@router.operation(
    "POST /v1/webhooks",
    "create_webhook",
    ADMIN,
    WebhookCreatedBody,
    status=201,
    refusals={409: "The organisation has its limit of webhooks."},
)
async def register(body: WebhookRequest, call: CallDep) -> Response:
    """Register a receiver. 422 `url-refused` if the address is not public."""
    secret = body.secret or new_secret()
    row = await call.running.disk.run(_register, call, body, secret)
    return json_response(_render(row) | {"secret": secret}, 201)


def _register(call: Call, body: WebhookRequest, secret: str) -> WebhookRow:
    call.running.resources.egress.check(body.url)
    events = list(dict.fromkeys(body.events))
    return register_webhook(call.store, call.scope, call.actor, body.url, events, secret)


@router.operation("GET /v1/webhooks", "list_webhooks", ADMIN, list[WebhookBody])
async def read_webhooks(call: CallDep) -> Response:
    """List the organisation's receivers; secrets are never shown again."""
    rows = await call.running.sql.run(list_webhooks, call.store.db, call.scope)
    return json_response([_render(row) for row in rows])


@router.operation("GET /v1/webhooks/deliveries", "list_deliveries", ADMIN, list[DeliveryBody])
async def read_deliveries(
    call: CallDep,
    limit: Limit = 100,
    cursor: Cursor = None,
    webhook_id: Annotated[str | None, Query(max_length=64)] = None,
) -> Response:
    """List deliveries, sent or pending, newest first."""
    page = await call.running.sql.run(
        list_deliveries, call.store, call.scope, webhook_id=webhook_id, limit=limit, cursor=cursor
    )
    return page_response(page, _render_delivery)


@router.operation("DELETE /v1/webhooks/{webhook_id}", "delete_webhook", ADMIN, status=204)
async def remove(webhook_id: WebhookId, call: CallDep) -> Response:
    """Remove the receiver and its deliveries. Nothing further is sent to it."""
    await call.running.disk.run(delete_webhook, call.store.db, call.scope, call.actor, _known("whk", webhook_id))
    return Response(status_code=204)


@router.operation("POST /v1/webhooks/{webhook_id}/rotate", "rotate_webhook", ADMIN, WebhookCreatedBody)
async def rotate(webhook_id: WebhookId, call: CallDep, body: RotationRequest = _AS_USUAL) -> Response:
    """Set a new secret, shown only once. Until the overlap ends, deliveries carry a signature of both secrets."""
    secret = body.secret or new_secret()
    overlap_s = call.running.resources.limits.webhook_overlap_s if body.overlap_s is None else body.overlap_s
    row = await call.running.disk.run(
        rotate_secret, call.store, call.scope, call.actor, _known("whk", webhook_id), secret, overlap_s
    )
    return json_response(_render(row) | {"secret": secret})


@router.operation("POST /v1/webhooks/{webhook_id}/enable", "enable_webhook", ADMIN, WebhookBody, repeatable=True)
async def enable(webhook_id: WebhookId, call: CallDep) -> Response:
    """Enable a receiver that its answer 410 disabled; it gets events from now on. An enabled receiver is unchanged."""
    row = await call.running.disk.run(enable_webhook, call.store.db, call.scope, call.actor, _known("whk", webhook_id))
    return json_response(_render(row))


@router.operation(
    "POST /v1/webhooks/{webhook_id}/test", "test_webhook", ADMIN, DeliveryBody, status=202, refusals={409: _DISABLED}
)
async def send_test(webhook_id: WebhookId, call: CallDep) -> Response:
    """Queue a `webhook.test` event for this receiver only."""
    row = await call.running.disk.run(test_webhook, call.store.db, call.scope, call.actor, _known("whk", webhook_id))
    return json_response(_render_delivery(row), 202)


@router.operation(
    "POST /v1/webhooks/deliveries/{delivery_id}/redeliver",
    "redeliver",
    ADMIN,
    DeliveryBody,
    status=202,
    refusals={409: _DISABLED},
)
async def send_again(delivery_id: DeliveryId, call: CallDep) -> Response:
    """Send the same event under the same id again, from the start of the schedule."""
    row = await call.running.disk.run(redeliver, call.store.db, call.scope, call.actor, _known("dlv", delivery_id))
    return json_response(_render_delivery(row), 202)


def _known(kind: str, text: str) -> str:
    if not is_id(kind, text):
        raise NotFound("no such webhook or delivery")
    return text


def _render(row: WebhookRow) -> dict[str, object]:
    return asdict(row)


def _render_delivery(row: DeliveryRow) -> dict[str, object]:
    return {name: value for name, value in asdict(row).items() if name != "seq"}

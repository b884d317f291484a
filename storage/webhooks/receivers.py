"""Receivers of events and their deliveries as callers see them: register, rotate, enable, delete, test, send again.

Every act is one transaction with its audit row. Unknown and foreign ids raise NotFound. Sending is `outbox.py`'s.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from quire.storage.access.audit import record
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.store import Store
from quire.storage.values.errors import Conflict, NotFound
from quire.storage.values.ids import new_delivery_id, new_event_id, new_webhook_id
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.rows import Actor, Scope
from quire.storage.values.states import EventKind
from quire.storage.webhooks.signatures import seal_secret

TEST_EVENT = "webhook.test"
MAX_WEBHOOKS = 100  # receivers of one organisation
_OWN = "tenant = %(tenant)s and org = %(org)s"


class DeliveryState(StrEnum):
    """State of a delivery; delivered and failed are final until a redelivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRow:
    """A receiver. `disabled_at`: it answered 410 and gets no events since.

    `old_secret_until`: until then the secret before the last rotation signs too.
    """

    id: str
    url: str
    events: tuple[str, ...]
    created_at: datetime
    disabled_at: datetime | None
    old_secret_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """One event on its way to one receiver; `attempt` counts ended attempts."""

    id: str
    seq: int
    webhook_id: str
    event: str
    event_id: str
    attempt: int
    attempts: list[dict[str, Any]]
    state: DeliveryState
    response_status: int | None
    error: str | None
    created_at: datetime
    delivered_at: datetime | None
    next_attempt_at: datetime | None


def register_webhook(
    store: Store, scope: Scope, actor: Actor, url: str, events: Sequence[EventKind], secret: str
) -> WebhookRow:
    """Store a receiver, whose `url` the caller has checked. Raises Conflict at the hundredth of one organisation."""
    webhook_id = new_webhook_id()
    params = _params(scope, id=webhook_id, url=url, events=[str(event) for event in events])
    params["secret"] = seal_secret(store.signer, webhook_id, secret)
    with store.db.transaction() as conn:
        registered = conn.execute(f"select count(*) as n from webhooks where {_OWN}", params).fetchall()[0]["n"]
        if registered >= MAX_WEBHOOKS:
            raise Conflict(f"an organisation may have {MAX_WEBHOOKS} webhooks")
        row = conn.execute(
            """insert into webhooks (id, tenant, org, url, events, secret)
               values (%(id)s, %(tenant)s, %(org)s, %(url)s, %(events)s, %(secret)s) returning *""",
            params,
        ).fetchall()[0]
        record(conn, scope, actor, "webhook.registered", webhook_id)
    return _webhook(row)


def list_webhooks(db: Database, scope: Scope) -> list[WebhookRow]:
    """Return all webhooks of one organisation, the newest first."""
    rows = db.fetch_all(f"select * from webhooks where {_OWN} order by created_at desc, id", _params(scope))
    return [_webhook(row) for row in rows]


def rotate_secret(store: Store, scope: Scope, actor: Actor, webhook_id: str, secret: str, overlap_s: int) -> WebhookRow:
    """Make `secret` the current one; the previous one signs too for `overlap_s` seconds (0: not at all).

    A second rotation within that time ends the oldest of the three at once.
    """
    params = _params(scope, id=webhook_id, secret=seal_secret(store.signer, webhook_id, secret), overlap_s=overlap_s)
    with store.db.transaction() as conn:
        row = conn.execute(
            f"""update webhooks set secret = %(secret)s,
                  old_secret = case when %(overlap_s)s > 0 then secret end, old_secret_until = case
                    when %(overlap_s)s > 0 then clock_timestamp() + %(overlap_s)s * interval '1 second' end
                where id = %(id)s and {_OWN} returning *""",
            params,
        ).fetchone()
        if row is None:
            raise NotFound("no such webhook")
        record(conn, scope, actor, "webhook.rotated", webhook_id)
    return _webhook(row)


def enable_webhook(db: Database, scope: Scope, actor: Actor, webhook_id: str) -> WebhookRow:
    """Send events again from now on; events that failed meanwhile can be redelivered. Repeating changes nothing."""
    params = _params(scope, id=webhook_id)
    with db.transaction() as conn:
        row = conn.execute(f"select * from webhooks where id = %(id)s and {_OWN} for update", params).fetchone()
        if row is None:
            raise NotFound("no such webhook")
        if row["disabled_at"] is not None:
            conn.execute("update webhooks set disabled_at = null where id = %(id)s", params)
            record(conn, scope, actor, "webhook.enabled", webhook_id)
    return _webhook(row | {"disabled_at": None})


def erase_old_secrets(db: Database) -> int:
    """Erase secrets whose overlap is over and return their number."""
    with db.transaction() as conn:
        return conn.execute(
            """update webhooks set old_secret = null, old_secret_until = null
               where old_secret_until <= clock_timestamp()"""
        ).rowcount


def delete_webhook(db: Database, scope: Scope, actor: Actor, webhook_id: str) -> None:
    """Delete a webhook and its deliveries; one that is being sent right now may still arrive."""
    with db.transaction() as conn:
        params = _params(scope, id=webhook_id)
        if not conn.execute(f"delete from webhooks where id = %(id)s and {_OWN} returning id", params).fetchall():
            raise NotFound("no such webhook")
        conn.execute("delete from deliveries where webhook_id = %(id)s", params)
        record(conn, scope, actor, "webhook.deleted", webhook_id)


def test_webhook(db: Database, scope: Scope, actor: Actor, webhook_id: str) -> DeliveryRow:
    """Queue a test event that names only the webhook. Raises Conflict if it is disabled."""
    body = json.dumps({"event": TEST_EVENT, "webhook_id": webhook_id}, separators=(",", ":")).encode()
    params = _params(scope, id=new_delivery_id(), webhook=webhook_id, event_id=new_event_id(), body=body)
    with db.transaction() as conn:
        _require_enabled(conn, scope, webhook_id)
        row = conn.execute(
            f"""insert into deliveries (id, webhook_id, tenant, org, event, event_id, body)
                values (%(id)s, %(webhook)s, %(tenant)s, %(org)s, '{TEST_EVENT}', %(event_id)s, %(body)s)
                returning *""",
            params,
        ).fetchall()[0]
        record(conn, scope, actor, "webhook.tested", webhook_id)
    return _delivery(row)


test_webhook.__test__ = False  # type: ignore[attr-defined]


def redeliver(db: Database, scope: Scope, actor: Actor, delivery_id: str) -> DeliveryRow:
    """Send the same event again now, under its own id, with a fresh schedule. Raises Conflict if disabled."""
    with db.transaction() as conn:
        row = conn.execute(
            f"""update deliveries set state = '{DeliveryState.PENDING}', attempt = 0, fence = fence + 1, worker = null,
                  next_attempt_at = clock_timestamp(), delivered_at = null, error = null, response_status = null
                where id = %(id)s and {_OWN} returning *""",
            _params(scope, id=delivery_id),
        ).fetchone()
        if row is None:
            raise NotFound("no such delivery")
        _require_enabled(conn, scope, row["webhook_id"])
        record(conn, scope, actor, "webhook.redelivered", delivery_id)
    return _delivery(row)


def list_deliveries(
    store: Store, scope: Scope, *, webhook_id: str | None = None, limit: int = 100, cursor: str | None = None
) -> ListPage[DeliveryRow]:
    """Return deliveries, the newest first, of one webhook if given."""
    cursors = Cursors(store.signer, "deliveries", scope)
    params = _params(scope, before=cursors.read(cursor)[0] if cursor else None, limit=limit + 1, webhook=webhook_id)
    rows = store.db.fetch_all(
        f"""select * from deliveries where {_OWN} and (%(before)s::bigint is null or seq < %(before)s)
            and (%(webhook)s::text is null or webhook_id = %(webhook)s) order by seq desc limit %(limit)s""",
        params,
    )
    return cursors.page([_delivery(row) for row in rows], limit, lambda delivery: (delivery.seq,))


def _require_enabled(conn: Connection, scope: Scope, webhook_id: str) -> None:
    row = conn.execute(
        f"select disabled_at from webhooks where id = %(id)s and {_OWN} for share", _params(scope, id=webhook_id)
    ).fetchone()
    if row is None:
        raise NotFound("no such webhook")
    if row["disabled_at"] is not None:
        raise Conflict("the receiver answered 410 Gone and is disabled; enable it first")


def _params(scope: Scope, **more: object) -> dict[str, object]:
    return {"tenant": scope.tenant, "org": scope.org, **more}


def _webhook(row: Row) -> WebhookRow:
    facts = {name: row[name] for name in ("id", "url", "created_at", "disabled_at", "old_secret_until")}
    return WebhookRow(**facts, events=tuple(row["events"]))


def _delivery(row: Row) -> DeliveryRow:
    state = DeliveryState(row["state"])
    facts = {name: row[name] for name in _DELIVERY_FIELDS}
    facts["next_attempt_at"] = row["next_attempt_at"] if state is DeliveryState.PENDING else None
    return DeliveryRow(**facts, state=state)


_DELIVERY_FIELDS = (
    *("id", "seq", "webhook_id", "event", "event_id", "attempt", "attempts", "response_status", "error"),
    *("created_at", "delivered_at"),
)

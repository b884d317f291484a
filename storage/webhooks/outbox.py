"""From events to deliveries to receivers: fan-out, claims under a lease, and the results of attempts.

Fan-out marks an event and makes its deliveries in one statement, so each is made exactly once. A claim raises `fence`;
results under an older fence are rejected. Sent at least once, always with the same id and body.
"""

import random
from collections.abc import Collection
from dataclasses import dataclass

from quire.storage.postgres.database import Database, Row
from quire.storage.postgres.target_marks import mark_documents
from quire.storage.queue.counters import DELIVERIES
from quire.storage.store import Store
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.ids import new_delivery_id
from quire.storage.webhooks.receivers import DeliveryState
from quire.storage.webhooks.signatures import open_secret

SCHEDULE_S = (0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds before each attempt: ten attempts over about 75.6 hours."""
JITTER = 0.2  # share of a pause by which attempts are spread
MAX_PAUSE_S = 86_400.0  # seconds between two attempts: a day
LEASE_S = 60.0  # seconds for which a claim holds a delivery
KEPT_TRIES = 30  # attempts listed with a delivery: three whole schedules
GONE = 410  # the status with which a receiver cancels its subscription

_FAN_OUT = """
with batch as (
  select seq, id, kind, tenant, org, created_at, document_id from events where not fanned_out order by seq
  limit %(limit)s for update skip locked
), marked as (update events e set fanned_out = true from batch where e.seq = batch.seq returning e.seq)
select batch.id as event_id, batch.kind, batch.document_id, w.id as webhook_id, w.tenant, w.org,
  (select count(*) from marked) as events
from batch left join webhooks w on w.tenant = batch.tenant and w.org = batch.org and batch.kind = any(w.events)
  and w.disabled_at is null and w.created_at <= batch.created_at
"""

_CLAIM = """
with due as (
  select d.seq from webhooks w cross join lateral (
    select seq from deliveries where webhook_id = w.id and state = 'pending' and next_attempt_at <= clock_timestamp()
    order by next_attempt_at limit %(per_webhook)s for update skip locked
  ) d where w.disabled_at is null and w.id <> all(%(busy)s) limit %(limit)s
), taken as (
  update deliveries d set fence = d.fence + 1, worker = %(worker)s,
    next_attempt_at = clock_timestamp() + %(lease_s)s * interval '1 second'
  from due where d.seq = due.seq
  returning d.seq, d.id, d.webhook_id, d.event, d.event_id, d.body, d.attempt, d.fence
)
select t.*, w.url, w.secret, coalesce(t.body, e.body) as bytes,
  case when w.old_secret_until > clock_timestamp() then w.old_secret end as old_secret
from taken t join webhooks w on w.id = t.webhook_id left join events e on e.id = t.event_id order by t.seq
"""

_TRIES = f"""
case when jsonb_array_length(attempts) >= {KEPT_TRIES} then attempts - 0 else attempts end
|| jsonb_build_object('at', to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  'response_status', %(status)s::bigint, 'error', %(error)s::text)
"""
_SETTLE = f"""
with settled as (
update deliveries set state = %(state)s, attempt = attempt + 1, attempts = {_TRIES},
  response_status = %(status)s, error = %(error)s,
  delivered_at = case when %(state)s = 'delivered' then clock_timestamp() end,
  next_attempt_at = clock_timestamp() + %(pause_s)s * interval '1 second'
where seq = %(seq)s and fence = %(fence)s and state = 'pending' returning seq
), counted as (
  insert into counter_deltas (name, label, value) select '{DELIVERIES}', %(state)s, 1 from settled
  where %(state)s <> 'pending'
)
select seq from settled
"""
_DISABLE = f"""
with failed as (
  update deliveries set state = 'failed', error = 'disabled' where webhook_id = %s and state = 'pending' returning seq
)
insert into counter_deltas (name, label, value)
select '{DELIVERIES}', 'failed', count(*) from failed having count(*) > 0
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryBatch:
    """A claimed delivery: everything needed to send it. `attempt` = attempts that ended before this one.

    `secrets`: the current one, and during a rotation the previous one.
    """

    seq: int
    fence: int
    webhook_id: str
    url: str
    secrets: tuple[str, ...]
    event: str
    event_id: str
    body: bytes
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of an attempt: `status` of the answer, or `error` without one. `retry_after_s`: the receiver's request."""

    status: int | None = None
    error: str | None = None
    retry_after_s: float = 0.0

    @property
    def delivered(self) -> bool:
        """Whether the receiver accepted the event (status 2xx)."""
        return self.status is not None and 200 <= self.status < 300


def fan_out(db: Database, limit: int = 500) -> int:
    """Create the deliveries of up to `limit` new events, mark their documents for targets, and count the events."""
    with db.transaction() as conn:
        rows = conn.execute(_FAN_OUT, {"limit": limit}).fetchall()
        deliveries = [row for row in rows if row["webhook_id"]]
        mark_documents(conn, sorted({row["document_id"] for row in rows if row["document_id"]}))
        if deliveries:
            conn.execute(
                """insert into deliveries (id, webhook_id, tenant, org, event, event_id)
                   select * from unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
                   on conflict (webhook_id, event_id) do nothing""",
                [
                    [new_delivery_id() for _ in deliveries],
                    *(
                        [row[name] for row in deliveries]
                        for name in ("webhook_id", "tenant", "org", "kind", "event_id")
                    ),
                ],
            )
    return int(rows[0]["events"]) if rows else 0


def claim_deliveries(
    store: Store, worker: str, *, limit: int, per_webhook: int = 2, busy: Collection[str] = (), lease_s: float = LEASE_S
) -> list[DeliveryBatch]:
    """Claim up to `limit` due deliveries for `lease_s` seconds, few of each receiver and none of `busy` ones."""
    params = {"worker": worker, "limit": limit, "per_webhook": per_webhook, "busy": list(busy), "lease_s": lease_s}
    with store.db.transaction() as conn:
        rows = conn.execute(_CLAIM, params).fetchall()
    return [delivery for row in rows if (delivery := _to_delivery(store, row)) is not None]


def settle(db: Database, delivery: DeliveryBatch, outcome: Outcome) -> bool:
    """Record the result of the attempt and the time of the next; False if another worker holds the delivery now.

    Status 410 disables the receiver and fails all its deliveries.
    """
    done = delivery.attempt + 1
    state = DeliveryState.DELIVERED if outcome.delivered else DeliveryState.PENDING
    if not outcome.delivered and (outcome.status == GONE or done >= len(SCHEDULE_S)):
        state = DeliveryState.FAILED
    params = {"seq": delivery.seq, "fence": delivery.fence, "state": str(state), "status": outcome.status}
    params |= {"error": outcome.error, "pause_s": pause_before(done, outcome.retry_after_s)}
    with db.transaction() as conn:
        if conn.execute(_SETTLE, params).fetchone() is None:
            return False
        if outcome.status == GONE:
            conn.execute(
                "update webhooks set disabled_at = clock_timestamp() where id = %s and disabled_at is null",
                (delivery.webhook_id,),
            )
            conn.execute(_DISABLE, (delivery.webhook_id,))
    return True


def pause_before(tries: int, retry_after_s: float = 0.0) -> float:
    """Return the seconds before the next attempt after `tries` ended ones.

    That is the schedule ± 20 %, or longer if the receiver asked for it.
    """
    if tries >= len(SCHEDULE_S):
        return 0.0
    planned = SCHEDULE_S[tries] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  (jitter)
    return max(planned, min(retry_after_s, MAX_PAUSE_S))


def _to_delivery(store: Store, row: Row) -> DeliveryBatch | None:
    """Return the delivery, or None if its secret cannot be opened: it stays due and does not delay the others."""
    names = ("seq", "fence", "webhook_id", "url", "event", "event_id", "attempt")
    sealed = [bytes(row[name]) for name in ("secret", "old_secret") if row[name] is not None]
    try:
        secrets = tuple(open_secret(store.signer, row["webhook_id"], each) for each in sealed)
    except StoreUnavailable:
        return None
    return DeliveryBatch(**{name: row[name] for name in names}, secrets=secrets, body=bytes(row["bytes"]))


class StoreOutbox:
    """The outbox of one store for one worker, as the dispatcher uses it."""

    def __init__(self, store: Store, worker: str, *, lease_s: float = LEASE_S) -> None:
        self._store, self._worker, self._lease_s = store, worker, lease_s

    def fan_out(self) -> int:
        """Create the deliveries of new events and return the number of events."""
        return fan_out(self._store.db)

    def claim(self, limit: int, busy: frozenset[str]) -> list[DeliveryBatch]:
        """Claim up to `limit` due deliveries of receivers that are not `busy`."""
        return claim_deliveries(self._store, self._worker, limit=limit, busy=busy, lease_s=self._lease_s)

    def settle(self, delivery: DeliveryBatch, outcome: Outcome) -> bool:
        """Record the result of an attempt; False if another worker holds the delivery now."""
        return settle(self._store.db, delivery, outcome)

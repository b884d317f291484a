"""The backlog of targets: claims of targets and documents under a lease, and the results of sending them.

A claim raises the target's `fence`; a result under an older fence marks its documents again instead of recording them,
because that sender may have written after a later one. Sent at least once; records have the same ids each time.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from quire.storage.postgres.database import Row
from quire.storage.postgres.target_marks import IS_PENDING, mark_uncertain
from quire.storage.store import Store
from quire.storage.targets.contract import SettingValue
from quire.storage.values.backoff import BackoffPolicy
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import DocumentId, Scope
from quire.storage.webhooks.signatures import open_secret

LEASE_S = 90.0  # seconds for which a claim holds a target: several calls that reach their time limit
MAX_TRIES = 6
"""Attempts of a document that a reachable target does not accept, over a minute; then it is a dead letter."""
RETRIES = BackoffPolicy(1, 60)
"""Delays of a document that failed at a reachable target."""
WAIT_S = 5.0  # seconds until a document is tried again whose tree or vectors cannot be read now
OUTAGES = BackoffPolicy(1, 60)
"""Delays of a target that cannot be reached. A target that is back gets its backlog within a minute."""

_CLAIM = f"""
with due as (
  select t.id from targets t
  where not t.paused and t.next_attempt_at <= clock_timestamp() and t.id <> all(%(busy)s)
    and (t.lease_until is null or t.lease_until <= clock_timestamp())
    and exists (select from target_documents d
                where d.target_id = t.id and d.next_attempt_at <= clock_timestamp() and {IS_PENDING})
  order by t.claimed_at nulls first limit %(limit)s for update skip locked
)
update targets t set fence = t.fence + 1, claimed_at = clock_timestamp(),
  lease_until = clock_timestamp() + %(lease_s)s * interval '1 second'
from due where t.id = due.id returning t.*
"""
_RENEW = """
update targets set lease_until = clock_timestamp() + %(lease_s)s * interval '1 second'
where id = %(target)s and fence = %(fence)s and not paused returning id
"""
_TAKE = f"""
with due as (
  select target_id, document_id from target_documents
  where target_id = %(target)s and next_attempt_at <= clock_timestamp() and {IS_PENDING}
  order by wanted_at, document_id limit %(limit)s for update skip locked
)
update target_documents d set claims = d.claims + 1 from due
where d.target_id = due.target_id and d.document_id = due.document_id
returning d.document_id, d.wanted, d.claims, d.tries
"""
_DOCUMENT = """
select d.published_attempt as attempt, d.chunker, d.source_file, d.principals, j.metadata
from documents d join jobs j on j.id = d.job_id and j.deleted_at is null
where d.id = %(id)s and d.tenant = %(tenant)s and d.org = %(org)s and d.status = 'succeeded'
  and d.deleted_at is null and d.published_attempt is not null
"""
_RESULTS = """
with result as materialized (
  select * from unnest(%(ids)s::text[], %(wanted)s::bigint[], %(states)s::text[], %(errors)s::text[],
                       %(pauses)s::float8[]) as r(document_id, wanted, state, error, pause_s)
), held as materialized (
  select document_id from target_documents
  where target_id = %(target)s and document_id = any(%(ids)s) order by document_id for update
), removed as (
  delete from target_documents d using result r, held h where d.target_id = %(target)s
    and d.document_id = r.document_id and h.document_id = r.document_id
    and r.state = 'deleted' and d.wanted = r.wanted
)
update target_documents d set
  done = case when r.state in ('sent', 'deleted') then r.wanted else d.done end,
  sent_at = case when r.state = 'sent' then clock_timestamp() else d.sent_at end,
  tries = case when r.state = 'failed' then d.tries + 1 else d.tries end,
  error = r.error,
  refused_at = case when r.state = 'refused' and d.wanted = r.wanted then clock_timestamp() end,
  next_attempt_at = clock_timestamp() + r.pause_s * interval '1 second'
from result r, held h where d.target_id = %(target)s and d.document_id = r.document_id
  and h.document_id = r.document_id and not (r.state = 'deleted' and d.wanted = r.wanted)
"""


class SendState(StrEnum):
    """Result of sending a document.

    `failed` is tried again, `waiting` too because the service itself lacks something, `refused` is a dead letter.
    """

    SENT = "sent"
    DELETED = "deleted"
    WAITING = "waiting"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedTarget:
    """A target held by this process, with what is needed to open it."""

    id: str
    fence: int
    scope: Scope
    kind: str
    settings: dict[str, SettingValue]
    secret: str | None
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingDocument:
    """A document to send. `wanted` is the mark that this attempt answers; `claims` counts attempts with this one."""

    document_id: DocumentId
    wanted: int
    claims: int
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SendResult:
    """Result for a document. `error` names the reason of a failure."""

    document: PendingDocument
    state: SendState
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFacts:
    """State of a document that a target must have."""

    attempt: int
    chunker: str | None
    source_file: str
    principals: list[str] | None
    metadata: Any


class TargetBacklog:
    """The backlog of a store, as the sender of one process uses it."""

    def __init__(self, store: Store, *, lease_s: float = LEASE_S) -> None:
        self._store, self._lease_s = store, lease_s

    def claim(self, limit: int, busy: Collection[str]) -> list[ClaimedTarget]:
        """Claim up to `limit` targets with documents that are due, and none of the `busy` ones."""
        with self._store.db.transaction() as conn:
            rows = conn.execute(_CLAIM, {"limit": limit, "busy": list(busy), "lease_s": self._lease_s}).fetchall()
        return [claimed for row in rows if (claimed := self._to_claimed(row)) is not None]

    def take(self, target: ClaimedTarget, limit: int) -> list[PendingDocument]:
        """Return up to `limit` due documents, the oldest mark first; none if the target is paused or lost."""
        with self._store.db.transaction() as conn:
            if conn.execute(_RENEW, self._fence(target)).fetchone() is None:
                return []
            rows = conn.execute(_TAKE, {"target": target.id, "limit": limit}).fetchall()
        return [PendingDocument(**row) for row in rows]

    def find(self, target: ClaimedTarget, document_id: DocumentId) -> PublishedFacts | None:
        """Return the state of a document, or None if the target must not have it any more."""
        params = {"id": document_id, "tenant": target.scope.tenant, "org": target.scope.org}
        row = self._store.db.fetch_one(_DOCUMENT, params)
        return None if row is None else PublishedFacts(**row)

    def settle(self, target: ClaimedTarget, results: Sequence[SendResult]) -> bool:
        """Record results. False if another sender holds the target; the documents are then marked again."""
        ids = [result.document.document_id for result in results]
        params: dict[str, Any] = {
            "target": target.id,
            "ids": ids,
            "wanted": [result.document.wanted for result in results],
            "states": [str(result.state) for result in results],
            "errors": [result.error for result in results],
            "pauses": [
                {SendState.FAILED: RETRIES.pause_s(result.document.tries), SendState.WAITING: WAIT_S}.get(
                    result.state, 0.0
                )
                for result in results
            ],
        }
        with self._store.db.transaction() as conn:
            held = conn.execute(
                "select id from targets where id = %(target)s and fence = %(fence)s for update", self._fence(target)
            ).fetchone()
            if held is None:
                mark_uncertain(conn, target.id, ids)
                return False
            conn.execute(_RESULTS, params)
        return True

    def release(self, target: ClaimedTarget, outage: str | None = None) -> None:
        """Return the target. `outage` names why it cannot be reached; it is tried again after a pause."""
        params = self._fence(target) | {"outage": outage, "pause_s": OUTAGES.pause_s(target.failures) if outage else 0}
        with self._store.db.transaction() as conn:
            conn.execute(
                """update targets set lease_until = null, error = %(outage)s,
                     failures = case when %(outage)s::text is null then 0 else failures + 1 end,
                     failing_since = case when %(outage)s::text is not null
                                     then coalesce(failing_since, clock_timestamp()) end,
                     next_attempt_at = clock_timestamp() + %(pause_s)s * interval '1 second'
                   where id = %(target)s and fence = %(fence)s""",
                params,
            )

    def _fence(self, target: ClaimedTarget) -> dict[str, Any]:
        return {"target": target.id, "fence": target.fence, "lease_s": self._lease_s}

    def _to_claimed(self, row: Row) -> ClaimedTarget | None:
        names = ("id", "fence", "kind", "settings", "failures")
        scope = Scope(tenant=row["tenant"], org=row["org"])
        try:
            secret = None if row["secret"] is None else open_secret(self._store.signer, row["id"], bytes(row["secret"]))
        except StoreUnavailable:
            claimed = ClaimedTarget(**{name: row[name] for name in names}, scope=scope, secret=None)
            self.release(claimed, "secret-unreadable")
            return None
        return ClaimedTarget(**{name: row[name] for name in names}, scope=scope, secret=secret)

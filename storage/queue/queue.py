"""Task queue operations for one worker: claim, heartbeat, release and retry. Leases expire by the database clock.

A task lives from intake to the end of its document. Every write carries the fence (`fence.py`). Rejected writes change
nothing: another worker has claimed the task.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from quire.storage.postgres.database import Database
from quire.storage.postgres.notices import notify_done, notify_tasks
from quire.storage.queue.claiming import CLAIM, to_claim
from quire.storage.queue.ending import end_documents, failed
from quire.storage.queue.fence import CLAIMS, claims_params, lock_held, locked_first
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.rows import Beat, Claim, DocumentId, WorkerId
from quire.storage.values.signing import Signer
from quire.storage.values.states import Phase

_ANY_STARTS = 1 << 30  # above every number of charged starts
GROUP_BYTES = 512 << 10
"""Most bytes of originals in one group: a fraction of a second of reading, since no other reader can claim them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasePolicy:
    """Seconds and counts. The n-th charged start is retried after `retry_delays_s[n - 1]`; the last delay repeats."""

    lease_s: float = 30
    retry_delays_s: tuple[float, ...] = (10, 60)
    max_starts: int = 3
    max_lapses: int = 10


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """Counts of tasks that are ready, held, and delayed for a retry, and the longest wait of a ready one in seconds."""

    queued: int
    running: int
    delayed: int
    oldest_wait_s: float


_PROGRESS = ("phase", "pages_done", "pages_total", "chunks_done", "chunks_total")
"""What a heartbeat reports of a document, in the table `page_progress`."""
_BEAT = f"""
with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
held as (
  select * from unnest(%(ids)s::text[], %(attempts)s::bigint[], %(phase)s::text[], %(pages_done)s::bigint[],
                       %(pages_total)s::bigint[], %(chunks_done)s::bigint[], %(chunks_total)s::bigint[])
    as h(document_id, attempt, {", ".join(_PROGRESS)}), (select %(worker)s::text as worker) as me
), {locked_first("held")}, alive as (
  update tasks t set lease_until = clock_timestamp() + %(lease_s)s * interval '1 second',
    phase = case when t.phase is null then null else held.phase end
  from mine join held using (document_id), relaxed where t.document_id = mine.document_id
  returning t.document_id, {", ".join(f"held.{name}" for name in _PROGRESS)}
), progress as (
  insert into page_progress as p (document_id, {", ".join(_PROGRESS)})
  select document_id, {", ".join(_PROGRESS)} from alive where pages_total > 0 or chunks_total > 0
  on conflict (document_id) do update set {", ".join(f"{name} = excluded.{name}" for name in _PROGRESS)}
  where ({", ".join(f"p.{name}" for name in _PROGRESS)})
    is distinct from ({", ".join(f"excluded.{name}" for name in _PROGRESS)})
)
select document_id from alive
"""

_PUT_BACK = f"""
with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
{locked_first(CLAIMS)}, task as (
  update tasks t set state = 'queued', worker = null, lease_until = null, phase = %(phase)s,
    starts = t.starts - (case when t.phase is null then 0 else %(refund)s end),
    available_at = clock_timestamp() + %(delay_s)s * interval '1 second'
  from mine, relaxed where t.document_id = mine.document_id and t.starts < %(below)s
  returning t.document_id, t.starts
), document as (
  update documents d set status = 'queued', attempts = task.starts from task where d.id = task.document_id
  returning d.job_id
), moved as (select job_id, count(*) as documents from document group by job_id
), locked as (
  select j.id, m.documents from jobs j join moved m on m.job_id = j.id order by j.id for update of j
), job as (
  update jobs j set n_running = n_running - l.documents, n_queued = n_queued + l.documents
  from locked l where j.id = l.id
)
select document_id from task
"""

# Only for a claim that another one followed: a finished task, or one still at the same attempt, is left unchanged.
_FORGIVE = f"""
with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
{locked_first(CLAIMS, "t.attempt > held.attempt and t.lapses > 0")}
update tasks t set lapses = t.lapses - 1 from mine, relaxed where t.document_id = mine.document_id
returning t.document_id
"""

_DEPTH = """
select count(*) filter (where state = 'queued' and available_at <= now()) as queued,
       count(*) filter (where state = 'running') as running,
       count(*) filter (where state = 'queued' and available_at > now()) as delayed,
       coalesce(extract(epoch from now() - min(available_at)
         filter (where state = 'queued' and available_at <= now())), 0)::float8 as oldest_wait_s
from tasks
"""


class Queue:
    """Queue operations of one worker. Thread-safe; every method may raise StoreUnavailable.

    `signer` opens the passwords of uploads.
    """

    def __init__(self, db: Database, worker: WorkerId, policy: LeasePolicy, signer: Signer) -> None:
        self._db = db
        self._signer = signer
        self._worker = worker
        self._policy = policy

    def claim(self, *, scans: bool = True) -> Claim | None:
        """Claim the next task; None if no task is ready or other workers are claiming the ready ones."""
        claims = self.claim_group(1, scans=scans)
        return claims[0] if claims else None

    def claim_group(self, most: int, *, scans: bool = True) -> list[Claim]:
        """Claim the next tasks, at most `most`, within the bytes of a group.

        Without `scans`, tasks known to need a recogniser are skipped.
        """
        params = {
            "most": most,
            "budget": GROUP_BYTES,
            "scans": scans,
            "worker": self._worker,
            "lease_s": self._policy.lease_s,
            "max_starts": self._policy.max_starts,
            "max_lapses": self._policy.max_lapses,
        }
        with self._db.autocommit() as conn:
            rows = conn.execute(CLAIM, params).fetchall()
        if rows:
            crash_point(CrashPoint.AFTER_CLAIM)
        return [to_claim(row, self._worker, self._signer) for row in rows]

    def beat(self, beats: Sequence[Beat]) -> frozenset[DocumentId]:
        """Renew the leases, store phase and progress, and return the lost ones, which the caller must stop."""
        if not beats:
            return frozenset()
        params = {
            "ids": [beat.document_id for beat in beats],
            "attempts": [beat.attempt for beat in beats],
            **{name: [getattr(beat, name) for beat in beats] for name in _PROGRESS},
            "worker": self._worker,
            "lease_s": self._policy.lease_s,
        }
        with self._db.autocommit() as conn:
            alive = {row["document_id"] for row in conn.execute(_BEAT, params).fetchall()}
        return frozenset(beat.document_id for beat in beats if beat.document_id not in alive)

    def forgive(self, claims: Sequence[Claim]) -> int:
        """Do not count the expired leases of claims whose reader lives; return their number."""
        with self._db.autocommit() as conn:
            return len(conn.execute(_FORGIVE, claims_params(claims)).fetchall())

    def release(self, claim: Claim, *, scan: bool = False) -> bool:
        """Return the task to the queue at once, as if never started; False if the lease was lost.

        `scan` marks the task as one that needs a recogniser.
        """
        return bool(self._put_back([claim], delay_s=0, refund=1, phase=Phase.RECOGNISING if scan else None))

    def release_all(self, claims: Sequence[Claim]) -> int:
        """Release several tasks at once and return how many were still held."""
        return self._put_back(claims, delay_s=0, refund=1) if claims else 0

    def retry(self, claim: Claim, error: str, detail: str) -> bool:
        """Charge the start and queue the task after a delay, or fail it with `error` after the last start.

        Returns:
            False if the lease was lost.
        """
        delays, most = self._policy.retry_delays_s, self._policy.max_starts
        delay = delays[min(claim.starts, len(delays)) - 1] if delays else 0
        # The database decides which start is the last one: an earlier start may have been refunded since the claim.
        if not claim.exhausted and self._put_back([claim], delay_s=delay, refund=0, below=most):
            return True
        return self._fail(claim, error, detail)

    def _put_back(
        self,
        claims: Sequence[Claim],
        *,
        delay_s: float,
        refund: int,
        phase: Phase | None = None,
        below: int = _ANY_STARTS,
    ) -> int:
        """Requeue claims with fewer charged starts than `below` and return how many were still held."""
        params = {**claims_params(claims), "delay_s": delay_s, "refund": refund, "phase": phase, "below": below}
        with self._db.autocommit() as conn:
            done = len(conn.execute(_PUT_BACK, params).fetchall())
        if done and not delay_s:
            notify_tasks(self._db)
        return done

    def _fail(self, claim: Claim, error: str, detail: str) -> bool:
        with self._db.transaction() as conn:
            row = lock_held(conn, [claim]).get(claim.document_id)
            jobs = end_documents(conn, [failed(row, error, detail)] if row else [])
        notify_done(self._db, jobs)
        return row is not None


def queue_depth(db: Database) -> QueueDepth:
    """Return the counts of the whole deployment."""
    row = db.fetch_one(_DEPTH)
    return QueueDepth(**row) if row else QueueDepth(0, 0, 0, 0.0)

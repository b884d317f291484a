"""The statement that takes a task: an expired lease first, else the next ready one. One round trip, one transaction.

It commits asynchronously: a database crash may forget a claim, and then the task is still queued or leased as before;
the fence refuses whoever believes in the forgotten claim.
"""

from storage.postgres.database import Row
from storage.values.reading_options import load_options
from storage.values.rows import Claim, DocumentId, JobId, Scope, WorkerId
from storage.values.signing import Signer
from storage.values.states import Phase, Priority

# A queued task keeps the phase `recognising` when a reader found that it needs a recogniser and had no room for it.
_WELCOME = f"(%(scans)s or phase is distinct from '{Phase.RECOGNISING}')"

# Accounting of one claim. A lapse while somebody was reading keeps its charge; any other lapse gives the start back and
# is counted apart. `phase` is null while an exhausted task is held: such a claim charged nothing and returns nothing.
CLAIM = f"""
with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
expired as (
  select document_id, starts, lapses, phase from tasks
  where state = 'running' and lease_until < statement_timestamp() and {_WELCOME}
  order by lease_until limit 1 for update skip locked
), ready as (
  select document_id, starts, lapses, phase from tasks
  where state = 'queued' and available_at <= statement_timestamp() and {_WELCOME} and not exists (select from expired)
  order by priority, vtime limit 1 for update skip locked
), picked as (
  select *, true as lapsed, (phase is not null and phase <> '{Phase.READING}')::int as refund from expired
  union all select *, false, 0 from ready
), costed as (
  select document_id, lapsed, starts - refund as starts, lapses + refund as lapses,
         starts - refund + 1 > %(max_starts)s or lapses + refund > %(max_lapses)s as exhausted from picked
), taken as (
  update tasks t set state = 'running', worker = %(worker)s, attempt = t.attempt + 1, lapses = c.lapses,
    starts = c.starts + (not c.exhausted)::int, phase = case when c.exhausted then null else '{Phase.READING}' end,
    lease_until = clock_timestamp() + %(lease_s)s * interval '1 second'
  from costed c, relaxed where t.document_id = c.document_id
  returning t.document_id, t.attempt, t.starts, t.priority, c.exhausted, c.lapsed, t.traceparent,
            greatest(0, extract(epoch from clock_timestamp() - t.available_at))::float8 as waited_s
), document as (
  update documents d set status = 'running', attempt = k.attempt, attempts = k.starts,
    started_at = coalesce(d.started_at, clock_timestamp())
  from taken k where d.id = k.document_id
  returning d.id, d.job_id, d.tenant, d.org, d.key_name, d.run, d.sha256, d.options, d.reserved_pages,
            k.attempt as task_attempt, k.starts, k.priority, k.exhausted, k.lapsed, k.traceparent, k.waited_s
), job as (
  update jobs j set n_queued = n_queued - 1, n_running = n_running + 1,
    started_at = coalesce(j.started_at, clock_timestamp())
  from document d where j.id = d.job_id and not d.lapsed
)
select * from document
"""


def to_claim(row: Row, worker: WorkerId, signer: Signer) -> Claim:
    return Claim(
        document_id=DocumentId(row["id"]),
        job_id=JobId(row["job_id"]),
        scope=Scope(tenant=row["tenant"], org=row["org"]),
        key_name=row["key_name"],
        run=row["run"],
        attempt=row["task_attempt"],
        worker=worker,
        starts=row["starts"],
        priority=Priority(row["priority"]),
        blob_sha256=row["sha256"],
        options=load_options(signer, row["id"], row["options"]),
        reserved_pages=row["reserved_pages"],
        exhausted=row["exhausted"],
        traceparent=row["traceparent"],
        waited_s=row["waited_s"],
    )

"""The statement that claims tasks: an expired lease first, else the next ready ones. One round trip, one transaction.

It commits asynchronously: a database crash may lose a claim, and then the task is still queued or leased as before. The
fence rejects writes under the lost claim.
"""

from quire.storage.postgres.database import Row
from quire.storage.values.reading_options import load_options
from quire.storage.values.rows import Claim, DocumentId, JobId, Scope, WorkerId
from quire.storage.values.signing import Signer
from quire.storage.values.states import Phase, Priority

# A queued task keeps the phase `recognising` if its reader had no capacity for the OCR that it needs.
_CLAIMABLE = f"(%(scans)s or phase is distinct from '{Phase.RECOGNISING}')"

# Two ranges of the index by tenant: the tasks of the tenant itself may be many, and none of them is read.
_OTHER_IS_READY = f"""exists (
    select from tasks other where other.tenant {{comparison}} running.tenant
      and other.state = 'queued' and other.available_at <= statement_timestamp() and {_CLAIMABLE})"""

# Accounting of a claim. Only a reader that lives charges a start: it saw how the document's child ended. A lease that
# expires refunds the start, because its reader died or lost the database, of which the document is rarely the cause.
# It counts in `lapses`, unless the document was not begun: one that ends its readers again and again fails in the end.
# `phase` is null while an exhausted task is held: such a claim charged nothing.
# A group is a run of the queue, in order: tasks of one priority that were never begun, of `budget` bytes together (the
# first may be larger). Its members are `claimed` until their reader reports `reading`. A task that was held before is
# claimed singly, so that a second expiry is attributed to it alone.
# A tenant that holds all running tasks, two or more, gets no further one while a task of another tenant is ready.
CLAIM = f"""
with relaxed as materialized (select set_config('synchronous_commit', 'off', true)),
expired as (
  select document_id, starts, lapses, phase, 1 as place from tasks
  where state = 'running' and lease_until < statement_timestamp() and {_CLAIMABLE}
  order by lease_until limit 1 for update skip locked
), running as materialized (
  select tenant from (select min(tenant) as tenant, max(tenant) as last from tasks where state = 'running') as held
  where tenant = last and (select count(*) from (select from tasks where state = 'running' limit 2) as two) > 1
), crowding as materialized (
  select tenant from running where {_OTHER_IS_READY.format(comparison="<")} or {_OTHER_IS_READY.format(comparison=">")}
), ready as materialized (
  select document_id, starts, lapses, phase, priority, vtime from tasks
  where state = 'queued' and available_at <= statement_timestamp() and {_CLAIMABLE} and not exists (select from expired)
    and not exists (select from crowding where crowding.tenant = tasks.tenant)
  order by priority, vtime limit %(most)s for update skip locked
), weighed as (
  select r.*, row_number() over line as place, sum(d.bytes) over line as weight,
         bool_or(starts + lapses > 0 or phase is not null) over line as known,
         first_value(priority) over line as first_priority
  from ready r join documents d on d.id = r.document_id window line as (order by priority, vtime, document_id)
), picked as (
  select document_id, starts, lapses, phase, place, true as lapsed,
         (phase is not null)::int as refund, coalesce(phase <> '{Phase.CLAIMED}', false)::int as counted from expired
  union all select document_id, starts, lapses, phase, place, false, 0, 0 from weighed
  where place = 1 or (weight <= %(budget)s and not known and priority = first_priority and priority > 0)
), costed as (
  select document_id, place, lapsed, starts - refund as starts, lapses + counted as lapses,
         starts - refund + 1 > %(max_starts)s or lapses + counted > %(max_lapses)s as exhausted,
         (select count(*) from picked) > 1 as grouped from picked
), taken as (
  update tasks t set state = 'running', worker = %(worker)s, attempt = t.attempt + 1, lapses = c.lapses,
    starts = c.starts + (not c.exhausted)::int,
    phase = case when c.exhausted then null when c.grouped then '{Phase.CLAIMED}' else '{Phase.READING}' end,
    lease_until = clock_timestamp() + %(lease_s)s * interval '1 second'
  from costed c, relaxed where t.document_id = c.document_id
  returning t.document_id, t.attempt, t.starts, t.priority, c.exhausted, c.lapsed, c.grouped, c.place, t.traceparent,
            greatest(0, extract(epoch from clock_timestamp() - t.available_at))::float8 as waited_s
), document as (
  update documents d set status = 'running', attempt = k.attempt, attempts = k.starts,
    started_at = coalesce(d.started_at, clock_timestamp())
  from taken k where d.id = k.document_id
  returning d.id, d.job_id, d.tenant, d.org, d.key_name, d.run, d.sha256, d.options, d.reserved_pages,
            k.attempt as task_attempt, k.starts, k.priority, k.exhausted, k.lapsed, k.grouped, k.place, k.traceparent,
            k.waited_s
), moved as (
  select job_id, count(*) as documents from document where not lapsed group by job_id
), locked as (
  select j.id, m.documents from jobs j join moved m on m.job_id = j.id order by j.id for update of j
), job as (
  update jobs j set n_queued = n_queued - l.documents, n_running = n_running + l.documents,
    started_at = coalesce(j.started_at, clock_timestamp())
  from locked l where j.id = l.id
)
select * from document order by place
"""


def to_claim(row: Row, worker: WorkerId, signer: Signer) -> Claim:
    """Return the claim of a row of CLAIM, with the password of the upload opened."""
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
        grouped=row["grouped"],
        traceparent=row["traceparent"],
        waited_s=row["waited_s"],
    )

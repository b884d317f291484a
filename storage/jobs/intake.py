"""Takes a submission into the store: ONE transaction for quota, job, documents, tasks and audit.

Order and crash safety: originals are on disk before (a crash leaves unreferenced blobs, which the sweeper removes); the
transaction is atomic; after its commit the job is accepted even if the caller dies. The API never opens a document.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from psycopg.types.json import Jsonb

from quire.storage.jobs.idempotency import IdempotencyKey, claim_key
from quire.storage.jobs.jobs import COUNTED, load_job
from quire.storage.postgres.database import Connection, Row
from quire.storage.postgres.notices import notify_tasks
from quire.storage.queue.disk_cap import require_room
from quire.storage.queue.usage import THIS_MONTH, admit, has_ample_room
from quire.storage.store import Store
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.ids import new_document_id, new_job_id
from quire.storage.values.reading_options import dump_options
from quire.storage.values.rows import Actor, DocumentId, DocumentRow, JobId, JobRow, NewDocument, PageQuota, Scope
from quire.storage.values.signing import Signer
from quire.storage.values.states import DocumentStatus, JobStatus, Priority

# Start-time fair queuing: a tenant's next task starts at its own last start + 1, but never before the queue's virtual
# time (the least start that is waiting, or else the greatest one in service). Delayed retries do not count.
VTIME = """
greatest(
  coalesce((select max(vtime) + 1 from tasks where tenant = %(tenant)s and priority = %(priority)s), 0),
  coalesce((select min(vtime) from tasks where state = 'queued' and priority = %(priority)s
            and available_at <= statement_timestamp()),
           (select max(vtime) from tasks where priority = %(priority)s), 0))
"""

_HOLD = """
select pg_advisory_xact_lock_shared(hashtextextended(sha256, 0)) from unnest(%s::text[]) as h(sha256)
"""
_INSERT = f"""
with given as materialized (
  select * from jsonb_to_recordset(%(documents)s) as g(id text, position bigint, source_file text, sha256 text,
                                                     bytes bigint, options jsonb, principals text[])
), month as materialized (select coalesce(%(month)s::date, {THIS_MONTH}) as month
), reserved as (  -- near the quota `admit` has done it
  insert into quota_deltas (month, reserved) select month, %(total)s from month where %(month)s::date is null
), document as (
  insert into documents (id, job_id, tenant, org, key_name, position, source_file, sha256, bytes, options,
                         principals, reserved_pages, reserved_month)
  select id, %(job_id)s, %(tenant)s, %(org)s, %(key_name)s, position, source_file, sha256, bytes, options, principals,
         1, month
  from given, month
), virtual as materialized (select {VTIME} as now
), task as (
  insert into tasks (document_id, job_id, tenant, priority, vtime, traceparent)
  select id, %(job_id)s, %(tenant)s, %(priority)s, virtual.now + position, %(traceparent)s from given, virtual
), act as (
  insert into audit (tenant, org, actor, action, object, request_id, result)
  values (%(tenant)s, %(org)s, %(key_name)s, 'job.submitted', %(job_id)s, %(request_id)s, 'ok')
)
insert into jobs (id, tenant, org, key_name, kind, n_total, n_queued, metadata, extract_schema)
values (%(job_id)s, %(tenant)s, %(org)s, %(key_name)s, %(kind)s, %(total)s, %(total)s, %(metadata)s,
        %(extract_schema)s)
returning id, seq, created_at
"""


@dataclass(frozen=True, slots=True)
class Submission:
    """A job as a caller sends it.

    Attributes:
        files: Documents, in order.
        priority: Queue of the tasks.
        quota: Limit on pages a month.
        cap_bytes: Most bytes of originals that the organisation may store; 0 means unlimited.
        kind: Kind of the job.
        metadata: JSON that the caller attached.
        extract_schema: JSON Schema of the values to extract from each document.
        idempotency: Key of the caller for this submission.
    """

    files: Sequence[NewDocument]
    priority: Priority
    quota: PageQuota
    cap_bytes: int = 0
    kind: str = "jobs"
    metadata: dict[str, Any] | None = None
    extract_schema: str | None = None
    idempotency: IdempotencyKey | None = None


def submit_job(
    store: Store,
    scope: Scope,
    actor: Actor,
    sent: Submission,
    within: Callable[[Connection, JobRow], None] | None = None,
) -> JobRow:
    """Queue a job, or return the first one for a replayed key. `within` writes more in the same transaction.

    A refusal is of all files. Raises QuotaExceeded, DiskFull, Conflict.
    """
    crash_point(CrashPoint.AFTER_BLOB)
    job_id, total = new_job_id(), len(sent.files)
    with store.db.transaction() as conn:
        first = claim_key(conn, scope, sent.idempotency, job_id)
        if first is not None:
            return replace(load_job(conn, scope, first), replayed=True)
        require_room(conn, scope, sent.cap_bytes, sum(file.blob.bytes for file in sent.files))
        keep_originals(store, conn, [file.blob.sha256 for file in sent.files])
        records = [_record(store.signer, *item) for item in enumerate(sent.files)]
        params: dict[str, Any] = {"job_id": job_id, "tenant": scope.tenant, "org": scope.org, "kind": sent.kind}
        params |= {"key_name": actor.key_name, "total": total, "priority": int(sent.priority)}
        params |= {"traceparent": actor.traceparent, "request_id": actor.request_id, "documents": Jsonb(records)}
        params |= {"metadata": Jsonb(sent.metadata) if sent.metadata is not None else None}
        params |= {"extract_schema": sent.extract_schema}
        month = None if has_ample_room(conn, sent.quota, total) else admit(conn, sent.quota, total)
        params |= {"month": month}
        job = _accepted(conn.execute(_INSERT, params).fetchall()[0], records, sent.metadata)
        if within is not None:
            within(conn, job)
        crash_point(CrashPoint.BEFORE_INTAKE_COMMIT)
    crash_point(CrashPoint.AFTER_INTAKE_COMMIT)
    notify_tasks(store.db)
    return job


def keep_originals(store: Store, conn: Connection, hashes: Sequence[str]) -> None:
    """Protect originals from erasure until the commit. Raises StoreUnavailable if one was already erased."""
    ordered = sorted(set(hashes))
    conn.execute(_HOLD, (ordered,))
    if not all(store.blobs.exists(sha256) for sha256 in ordered):
        raise StoreUnavailable("the original was erased while it was being submitted; send it again")


def lock_original(store: Store, conn: Connection, sha256: str) -> bool:
    """Protect one original from erasure until the commit, by a shared lock; return whether it is still stored."""
    conn.execute(_HOLD, ([sha256],))
    return store.blobs.exists(sha256)


def _accepted(row: Row, records: Sequence[dict[str, Any]], metadata: dict[str, Any] | None) -> JobRow:
    """Return the job as the database has it, made of the written values."""
    job_id = JobId(row["id"])
    return JobRow(
        id=job_id,
        status=JobStatus.QUEUED,
        created_at=row["created_at"],
        started_at=None,
        finished_at=None,
        counts={**dict.fromkeys(COUNTED, 0), "queued": len(records)},
        metadata=metadata,
        documents=tuple(_waiting(job_id, facts) for facts in records),
        seq=row["seq"],
    )


def _waiting(job_id: JobId, facts: dict[str, Any]) -> DocumentRow:
    nothing: dict[str, Any] = dict.fromkeys(
        ("error", "error_detail", "format", "pages", "started_at", "finished_at", "chunks", "confidence", "deleted_at")
    )
    return DocumentRow(
        id=DocumentId(facts["id"]),
        job_id=job_id,
        source_file=facts["source_file"],
        status=DocumentStatus.QUEUED,
        bytes=facts["bytes"],
        sha256=facts["sha256"],
        principals=facts["principals"],
        attempts=0,
        run=1,
        route_counts={},
        **nothing,
    )


def _record(signer: Signer, position: int, file: NewDocument) -> dict[str, Any]:
    document_id = new_document_id()
    return {
        "id": document_id,
        "position": position,
        "source_file": file.name,
        "sha256": file.blob.sha256,
        "bytes": file.blob.bytes,
        "options": dump_options(signer, document_id, file.options),
        "principals": None if file.principals is None else sorted(set(file.principals)),
    }

"""Takes a submission into the store: ONE transaction for quota, job, documents, tasks and audit.

Order and crash story: originals are on disk before (a crash leaves blobs nobody refers to, the sweeper removes them);
the transaction is all or nothing; once it committed, the job is accepted, whatever happens to the caller. The API never
opens a document.
"""

from collections.abc import Callable, Sequence
from typing import Any

from psycopg.types.json import Jsonb

from storage.access.audit import record
from storage.jobs.idempotency import IdempotencyKey, claim_key
from storage.jobs.jobs import load_job
from storage.postgres.database import Connection
from storage.postgres.notices import notify_tasks
from storage.queue.usage import admit
from storage.store import Store
from storage.values.crash_points import CrashPoint, crash_point
from storage.values.errors import StoreUnavailable
from storage.values.ids import new_document_id, new_job_id
from storage.values.reading_options import dump_options
from storage.values.rows import Actor, JobRow, NewDocument, PageQuota, Scope
from storage.values.signing import Signer
from storage.values.states import Priority

# Start-time fair queuing: a tenant's next task starts at its own last start + 1, but never before the queue's virtual
# time (the least start that is waiting; with nobody waiting the greatest one in service). Delayed retries do not count.
VTIME = """
greatest(
  coalesce((select max(vtime) + 1 from tasks where tenant = %(tenant)s and priority = %(priority)s), 0),
  coalesce((select min(vtime) from tasks where state = 'queued' and priority = %(priority)s
            and available_at <= statement_timestamp()),
           (select max(vtime) from tasks where priority = %(priority)s), 0))
"""

_INSERT = f"""
with given as materialized (
  select * from jsonb_to_recordset(%(documents)s) as g(id text, position bigint, source_file text, sha256 text,
                                                     bytes bigint, options jsonb)
), job as (
  insert into jobs (id, tenant, org, key_name, kind, n_total, n_queued, metadata)
  values (%(job_id)s, %(tenant)s, %(org)s, %(key_name)s, %(kind)s, %(total)s, %(total)s, %(metadata)s)
), document as (
  insert into documents (id, job_id, tenant, org, key_name, position, source_file, sha256, bytes, options,
                         reserved_pages, reserved_month)
  select id, %(job_id)s, %(tenant)s, %(org)s, %(key_name)s, position, source_file, sha256, bytes, options, 1, %(month)s
  from given
), virtual as materialized (select {VTIME} as now)
insert into tasks (document_id, job_id, tenant, priority, vtime, traceparent)
select id, %(job_id)s, %(tenant)s, %(priority)s, virtual.now + position, %(traceparent)s from given, virtual
"""


def submit_job(
    store: Store,
    scope: Scope,
    actor: Actor,
    files: Sequence[NewDocument],
    *,
    priority: Priority,
    quota: PageQuota,
    kind: str = "jobs",
    metadata: dict[str, Any] | None = None,
    idempotency: IdempotencyKey | None = None,
    within: Callable[[Connection, JobRow], None] | None = None,
) -> JobRow:
    """The accepted job, or the first one again for a replayed key. Raises QuotaExceeded (refusing all), Conflict.

    `within` writes more in the same transaction.
    """
    crash_point(CrashPoint.AFTER_BLOB)
    job_id = new_job_id()
    with store.db.transaction() as conn:
        first = claim_key(conn, scope, idempotency, job_id)
        if first is not None:
            return load_job(conn, scope, first)
        keep_originals(store, conn, [file.blob.sha256 for file in files])
        params: dict[str, Any] = {"job_id": job_id, "tenant": scope.tenant, "org": scope.org, "kind": kind}
        params |= {"key_name": actor.key_name, "total": len(files), "priority": int(priority)}
        params |= {"traceparent": actor.traceparent}
        params |= {"metadata": Jsonb(metadata) if metadata is not None else None}
        params |= {"documents": Jsonb([_record(store.signer, *item) for item in enumerate(files)])}
        params |= {"month": admit(conn, quota, len(files))}
        conn.execute(_INSERT, params)
        record(conn, scope, actor, "job.submitted", job_id)
        job = load_job(conn, scope, job_id)
        if within is not None:
            within(conn, job)
        crash_point(CrashPoint.BEFORE_INTAKE_COMMIT)
    crash_point(CrashPoint.AFTER_INTAKE_COMMIT)
    notify_tasks(store.db)
    return job


def keep_originals(store: Store, conn: Connection, hashes: Sequence[str]) -> None:
    """Makes sure that the originals stay. Raises StoreUnavailable where an eraser was faster."""
    for sha256 in sorted(set(hashes)):
        if not lock_original(store, conn, sha256):
            raise StoreUnavailable("the original was erased while it was being submitted; send it again")


def lock_original(store: Store, conn: Connection, sha256: str) -> bool:
    """Holds off the eraser (it locks a hash exclusively) until the commit; is the original still there?"""
    conn.execute("select pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", (sha256,))
    return store.blobs.exists(sha256)


def _record(signer: Signer, position: int, file: NewDocument) -> dict[str, Any]:
    document_id = new_document_id()
    return {
        "id": document_id,
        "position": position,
        "source_file": file.name,
        "sha256": file.blob.sha256,
        "bytes": file.blob.bytes,
        "options": dump_options(signer, document_id, file.options),
    }

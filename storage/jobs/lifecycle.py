"""Operations on existing jobs and documents: cancel, requeue, delete. Each is one transaction.

Lock order: task, document, job, usage. A delete only marks and notes a purge; `storage/upkeep/erase.py` does the
work later. Unknown and foreign ids raise NotFound.
"""

from collections.abc import Sequence
from dataclasses import replace

from psycopg.types.json import Jsonb

from quire.storage.access.audit import record
from quire.storage.jobs.intake import VTIME, lock_original
from quire.storage.jobs.jobs import load_job
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.postgres.notices import notify_done, notify_tasks
from quire.storage.postgres.target_marks import touch_documents
from quire.storage.queue.ending import DocumentEnd, end_documents
from quire.storage.queue.usage import admit
from quire.storage.store import Store
from quire.storage.values.errors import Conflict, NotFound, OriginalMissing
from quire.storage.values.reading_options import dump_options, load_options
from quire.storage.values.rows import Actor, JobRow, PageQuota, Scope
from quire.storage.values.scoping import OWNED, owned_by
from quire.storage.values.states import DocumentStatus, Priority

_UNFINISHED = f"""
select d.* from tasks t join documents d on d.id = t.document_id join jobs j on j.id = d.job_id and {OWNED}
where d.job_id = %(job_id)s order by d.id for update of t, d
"""

_REOPEN_JOB = """
update jobs set n_failed = n_failed - 1, n_queued = n_queued + 1, finished_at = null,
  epoch = epoch + (n_queued + n_running = 0)::int
where id = %(job_id)s and deleted_at is null returning id
"""

_REOPEN_DOCUMENT = f"""
with document as (
  update documents set status = 'queued', run = run + 1, attempts = 0, error = null, error_detail = null, pages = null,
    started_at = null, finished_at = null, key_name = %(key_name)s, reserved_pages = 1, reserved_month = %(month)s
  where id = %(document_id)s returning id, job_id, tenant, attempt
)
insert into tasks (document_id, job_id, tenant, priority, vtime, attempt, traceparent)
select id, job_id, tenant, %(priority)s, {VTIME}, attempt, %(traceparent)s from document
"""

_TOMBSTONE = """
with document as (
  update documents set deleted_at = clock_timestamp() where id = any(%(ids)s) and deleted_at is null
  returning id, tenant, org, sha256
)
insert into purges (document_id, tenant, org, sha256) select id, tenant, org, sha256 from document
on conflict do nothing
"""


def cancel_job(db: Database, scope: Scope, actor: Actor, job_id: str) -> JobRow:
    """End every unfinished document as canceled; its reader loses the lease. A finished job stays unchanged."""
    with db.transaction() as conn:
        load_job(conn, scope, job_id, detail=False)
        rows = conn.execute(_UNFINISHED, owned_by(scope, job_id=job_id)).fetchall()
        if rows:
            record(conn, scope, actor, "job.canceled", job_id)
        canceled = [
            DocumentEnd(document=row, status=DocumentStatus.CANCELED, request_id=actor.request_id) for row in rows
        ]
        jobs = end_documents(conn, canceled)
        job = load_job(conn, scope, job_id)
    notify_done(db, jobs)
    return job


def requeue_document(
    store: Store, scope: Scope, actor: Actor, job_id: str, document_id: str, *, quota: PageQuota,
    password: str | None = None,
) -> JobRow:  # fmt: skip
    """Start the next run of a failed document in the same job; `password` replaces the one it was sent with.

    Raises Conflict, OriginalMissing, QuotaExceeded.
    """
    with store.db.transaction() as conn:
        row = _lock_document(conn, scope, document_id)
        if row["job_id"] != job_id:
            raise NotFound("no such document")
        if row["status"] != DocumentStatus.FAILED:
            raise Conflict("only a failed document can be requeued")
        sha256 = row["sha256"] if row["deleted_at"] is None else None
        if sha256 is None or not lock_original(store, conn, sha256):
            raise OriginalMissing("the original is no longer stored")
        if password is not None:
            _keep_password(store, conn, row, password)
        _reopen(conn, row, actor, quota)
        record(conn, scope, actor, "document.requeued", document_id)
        job = load_job(conn, scope, job_id)
    notify_tasks(store.db)
    return job


def delete_job(db: Database, scope: Scope, actor: Actor, job_id: str) -> None:
    """Hide the job and its documents from every caller at once. Raises Conflict while any document is unfinished."""
    params = owned_by(scope, job_id=job_id)
    with db.transaction() as conn:
        rows = conn.execute(
            "select id from documents where job_id = %(job_id)s order by id for update", params
        ).fetchall()
        load_job(conn, scope, job_id, detail=False)
        marked = conn.execute(
            f"""update jobs j set deleted_at = clock_timestamp(), metadata = null, extract_schema = null
                where j.id = %(job_id)s and {OWNED} and n_queued + n_running = 0 returning j.id""",
            params,
        ).fetchone()
        if marked is None:
            raise Conflict("the job is not finished")
        hide_documents(conn, [row["id"] for row in rows])
        conn.execute("delete from idempotency_keys where job_id = %(job_id)s", params)  # callers may put names there
        record(conn, scope, actor, "job.deleted", job_id)


def delete_document(db: Database, scope: Scope, actor: Actor, document_id: str) -> None:
    """Hide its outputs and original from every caller; the job lists it with `deleted_at`. Repeating is accepted."""
    with db.transaction() as conn:
        row = _lock_document(conn, scope, document_id)
        if row["status"] in (DocumentStatus.QUEUED, DocumentStatus.RUNNING):
            raise Conflict("the document is not finished")
        if row["deleted_at"] is None:
            hide_documents(conn, [document_id])
            record(conn, scope, actor, "document.deleted", document_id)


def hide_documents(conn: Connection, document_ids: Sequence[str]) -> None:
    """Mark finished documents as deleted, which hides them from every caller, and record that they are to be erased."""
    conn.execute(_TOMBSTONE, {"ids": list(document_ids)})
    touch_documents(conn, document_ids)


def _lock_document(conn: Connection, scope: Scope, document_id: str) -> Row:
    row = conn.execute(
        f"select d.* from documents d join jobs j on j.id = d.job_id and {OWNED} where d.id = %(id)s for update of d",
        owned_by(scope, id=document_id),
    ).fetchone()
    if row is None:
        raise NotFound("no such document")
    return row


def _keep_password(store: Store, conn: Connection, row: Row, password: str) -> None:
    options = replace(load_options(store.signer, row["id"], row["options"]), password=password)
    facts = Jsonb(dump_options(store.signer, row["id"], options))
    conn.execute("update documents set options = %(facts)s where id = %(id)s", {"facts": facts, "id": row["id"]})


def _reopen(conn: Connection, row: Row, actor: Actor, quota: PageQuota) -> None:
    if conn.execute(_REOPEN_JOB, {"job_id": row["job_id"]}).fetchone() is None:
        raise NotFound("no such job")
    params = {"document_id": row["id"], "key_name": actor.key_name, "tenant": row["tenant"]}
    params |= {"priority": int(Priority.JOB), "month": admit(conn, quota, 1), "traceparent": actor.traceparent}
    conn.execute(_REOPEN_DOCUMENT, params)

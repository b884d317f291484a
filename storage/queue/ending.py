"""Ends documents inside an open transaction: final rows, deleted tasks, metered pages, events, audit, job counters.

In: documents whose rows (and tasks) the caller has locked. Out: the jobs that ended with them. Every way to an end
(published, failed, retries used up, canceled, ingested) goes through here, so each writes the same rows exactly once.
Lock order: task, document, job; usage and audit are inserts.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from psycopg.types.json import Jsonb

from quire.storage.postgres.database import Connection, Row
from quire.storage.queue.counters import COUNT_DOCUMENTS, COUNT_JOBS
from quire.storage.queue.events import document_body, job_body
from quire.storage.queue.usage import THIS_MONTH
from quire.storage.review.flags import store_flags
from quire.storage.values.ids import new_event_id
from quire.storage.values.rows import JobId, ReadFacts
from quire.storage.values.states import DocumentStatus, EventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentEnd:
    """A locked documents row and its final state. `request_id` names the request that ended it, if one did."""

    document: Row
    status: DocumentStatus
    read: ReadFacts = field(default_factory=ReadFacts)
    error: str | None = None
    error_detail: str | None = None
    published_attempt: int | None = None
    request_id: str | None = None


_READ = {
    "format": "text",
    "pages": "bigint",
    "chunks": "bigint",
    "chunker": "text",
    "reader_version": "bigint",
    "route_counts": "jsonb",
    "confidence": "float8",
    "lowest_confidence": "float8",
    "manifest": "jsonb",
}
"""Columns that are set from `ReadFacts`, with their types."""
_READ_TYPES = ", ".join(f"{name} {kind}" for name, kind in _READ.items())
_READ_SET = ", ".join(f"{name} = e.{name}" for name in _READ if name != "format")
_END = f"""
with ended as materialized (
  select * from jsonb_to_recordset(%(ends)s) as e(
    id text, job_id text, tenant text, org text, key_name text, run bigint, bytes bigint,
    reserved_pages bigint, reserved_month date, metered bigint, status text, error text, error_detail text,
    {_READ_TYPES}, warnings jsonb, published_attempt bigint, request_id text, event_id text, body text, was text)
), document as (
  update documents d set status = e.status, error = e.error, error_detail = e.error_detail,
    format = coalesce(e.format, d.format), {_READ_SET},
    published_attempt = e.published_attempt, searched_attempt = null, reserved_pages = 0,
    finished_at = clock_timestamp()
  from ended e where d.id = e.id
), task as (delete from tasks t using ended e where t.document_id = e.id
), progress as (delete from page_progress p using ended e where p.document_id = e.id
), metered as (
  insert into meter (document_id, run, tenant, org, key_name, month, pages, bytes)
  select id, run, tenant, org, key_name, {THIS_MONTH}, metered, bytes from ended where status = 'succeeded'
), settled as (
  insert into quota_deltas (month, used, reserved)
  select month, sum(used), sum(reserved) from (
    select reserved_month as month, 0 as used, -reserved_pages as reserved from ended where reserved_pages > 0
    union all select {THIS_MONTH}, metered, 0 from ended where status = 'succeeded') as delta
  group by month
), event as (
  insert into events (id, kind, tenant, org, job_id, document_id, run, body)
  select event_id, '{EventKind.DOCUMENT_FINISHED}', tenant, org, job_id, id, run, convert_to(body, 'UTF8') from ended
), acted as (
  insert into audit (tenant, org, actor, action, object, request_id, result)
  select tenant, org, key_name, 'document.' || status, id, request_id, coalesce(error, 'ok') from ended
), counted as ({COUNT_DOCUMENTS}
), delta as (
  select job_id as id, count(*) filter (where was = 'queued') as queued,
    count(*) filter (where was = 'running') as running, count(*) filter (where status = 'succeeded') as succeeded,
    count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'canceled') as canceled
  from ended group by job_id
), locked as (select j.id from jobs j join delta on delta.id = j.id order by j.id for update of j)
update jobs j set n_queued = n_queued - delta.queued, n_running = n_running - delta.running,
  n_succeeded = n_succeeded + delta.succeeded, n_failed = n_failed + delta.failed,
  n_canceled = n_canceled + delta.canceled,
  finished_at = case when n_queued + n_running = delta.queued + delta.running then clock_timestamp() end
from delta join locked on locked.id = delta.id where j.id = delta.id
returning j.id, j.tenant, j.org, j.key_name, j.status, j.epoch, j.finished_at
"""

_LINES = """
select id, job_id, source_file, status, pages, chunks, case when status = 'succeeded' then error_detail end as notice
from documents where job_id = any(%s) order by job_id, position
"""


def end_documents(conn: Connection, endings: Sequence[DocumentEnd]) -> list[JobId]:
    """End all documents and return the jobs that have no unfinished document left."""
    if not endings:
        return []
    store_flags(conn, [(e.document["id"], e.published_attempt, e.read.flags) for e in endings if e.published_attempt])
    ends = Jsonb([_record(ending) for ending in endings], dumps=_dumps)
    jobs = conn.execute(_END, {"ends": ends}).fetchall()
    return _end_jobs(conn, [job for job in jobs if job["finished_at"] is not None])


def failed(
    document: Row, error: str, detail: str, *, format: str | None = None, pages: int | None = None
) -> DocumentEnd:
    """Return the end of a document without a tree."""
    return DocumentEnd(
        document=document,
        status=DocumentStatus.FAILED,
        error=error,
        error_detail=detail or None,
        read=ReadFacts(format=format, pages=pages),
    )


def succeeded(document: Row, read: ReadFacts, attempt: int) -> DocumentEnd:
    """Return the end of a document whose artifacts are stored as `attempt`."""
    return DocumentEnd(
        document=document,
        status=DocumentStatus.SUCCEEDED,
        read=read,
        published_attempt=attempt,
        error_detail=read.notice,
    )


def _record(ending: DocumentEnd) -> dict[str, Any]:
    document = ending.document
    copied = ("id", "job_id", "tenant", "org", "key_name", "run", "bytes", "reserved_pages", "reserved_month")
    return {
        **{name: document[name] for name in copied},
        "was": document["status"],
        "status": ending.status,
        "error": ending.error,
        "error_detail": ending.error_detail.replace("\0", "") if ending.error_detail else None,
        **{name: getattr(ending.read, name) for name in _READ},
        "warnings": ending.read.warnings,
        "metered": ending.read.pages or 0 if ending.read.metered is None else ending.read.metered,
        "published_attempt": ending.published_attempt,
        "request_id": ending.request_id,
        "event_id": new_event_id(),
        "body": document_body(document, ending.status, ending.read.pages, ending.read.chunks, ending.read.notice),
    }


def _end_jobs(conn: Connection, jobs: Sequence[Row]) -> list[JobId]:
    """Write one event and one audit row per ended job. Its documents are all final and visible here."""
    ids = [job["id"] for job in jobs]
    if not ids:
        return []
    lines = conn.execute(_LINES, (ids,)).fetchall()
    bodies = [job_body(job, [row for row in lines if row["job_id"] == job["id"]]).encode() for job in jobs]
    conn.execute(
        f"""with ended as (
              select * from unnest(%s::text[], %s::text[], %s::bytea[]) as e(id, event_id, body)
            ), event as (
              insert into events (id, kind, tenant, org, job_id, run, body)
              select event_id, '{EventKind.JOB_FINISHED}', j.tenant, j.org, j.id, j.epoch, e.body
              from ended e join jobs j on j.id = e.id
            ), counted as ({COUNT_JOBS})
            insert into audit (tenant, org, actor, action, object, result)
            select j.tenant, j.org, j.key_name, 'job.finished', j.id, j.status
            from ended e join jobs j on j.id = e.id""",
        (ids, [new_event_id() for _ in ids], bodies),
    )
    return [JobId(job_id) for job_id in ids]


def _dumps(value: object) -> str:
    return json.dumps(value, default=str, separators=(",", ":"))

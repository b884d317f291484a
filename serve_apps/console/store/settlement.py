"""Apply the engine's job status to the tenant's rows: each document ends once, in one transaction with its event.

That transaction frees the place, counts the pages and creates one delivery per receiver. After a crash before the
commit the status is requested again; after the commit the outbox delivers the event.
"""

import json
from collections.abc import Sequence

from quire.serve_apps.console.store.accounts import new_id
from quire.serve_apps.console.store.ports import Connection, ConsoleTables, Row
from quire.serve_apps.console.store.rows import WEBHOOK_TENANT, DocumentFact, StatusCheck, SubmissionState
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.ids import new_delivery_id, new_event_id

EVENT = "document.finished"
LOOK_LEASE_S = 15
"""Seconds after which an unanswered check (its process died) is repeated."""

_DUE = """
with due as (
  select id from console_submissions where state in ('sending', 'open') and look_at <= clock_timestamp()
  order by look_at limit %(limit)s for update skip locked
)
update console_submissions s set look_at = clock_timestamp() + %(lease_s)s * interval '1 second' from due
where s.id = due.id
returning s.id, s.tenant_id, s.org, s.job_id, s.n_total, extract(epoch from clock_timestamp() - s.created_at) as age_s
"""
_END = """
update console_documents set status = %s, pages = %s, chunks = %s, event_id = %s, ended_at = clock_timestamp()
where document_id = %s and ended_at is null returning *
"""
_SETTLED = """
update console_submissions s set job_id = %(job)s, n_open = greatest(s.n_total - ended.n, 0),
  state = case when s.n_total <= ended.n then 'ended' else 'open' end,
  ended_at = case when s.n_total <= ended.n then clock_timestamp() end,
  look_at = case when s.job_id is null then clock_timestamp() else s.look_at end
from (select count(*) as n from console_documents where submission_id = %(id)s and ended_at is not null) ended
where s.id = %(id)s
"""


def settle(db: ConsoleTables, submission_id: str, job_id: str, facts: Sequence[DocumentFact]) -> int:
    """Apply the engine's status of a job and return how many documents ended by it. Idempotent."""
    with db.transaction() as conn:
        row = conn.execute("select * from console_submissions where id = %s for update", (submission_id,)).fetchone()
        if row is None or row["state"] in (SubmissionState.ENDED, SubmissionState.REMOVED):
            return 0
        _take_over(conn, row, job_id, facts)
        ended = [document for fact in facts if fact.ended for document in _end(conn, fact)]
        conn.execute(_SETTLED, {"id": submission_id, "job": job_id})
        if ended:
            _count(conn, row["tenant_id"], ended)
            _send(conn, row["tenant_id"], ended)
        crash_point(CrashPoint.BEFORE_COMMIT)
    crash_point(CrashPoint.AFTER_COMMIT)
    return len(ended)


def settle_job(db: ConsoleTables, job_id: str, facts: Sequence[DocumentFact]) -> int:
    """Apply the engine's status of a job known by its id only."""
    row = db.fetch_one("select id from console_submissions where job_id = %(job)s", {"job": job_id})
    return settle(db, row["id"], job_id, facts) if row else 0


def lease_checks(db: ConsoleTables, limit: int) -> list[StatusCheck]:
    """Lease submissions whose status is due for a check; no other process gets them for a while."""
    with db.transaction(durable=False) as conn:
        rows = conn.execute(_DUE, {"limit": limit, "lease_s": LOOK_LEASE_S}).fetchall()
    names = ("tenant_id", "org", "job_id", "n_total")
    return [
        StatusCheck(submission_id=row["id"], age_s=float(row["age_s"]), **{name: row[name] for name in names})
        for row in rows
    ]


def schedule_check(db: ConsoleTables, submission_id: str, after_s: float) -> None:
    """Schedule the next status check of a submission."""
    with db.transaction(durable=False) as conn:
        conn.execute(
            """update console_submissions set look_at = clock_timestamp() + %s * interval '1 second'
               where id = %s and state in ('sending', 'open')""",
            (after_s, submission_id),
        )


def attach(db: ConsoleTables, submission_id: str, job_id: str) -> None:
    """Record the job that the engine created, and schedule a check of its documents."""
    with db.transaction() as conn:
        conn.execute(
            """update console_submissions set job_id = %s, state = 'open', look_at = clock_timestamp()
               where id = %s and state in ('sending', 'failed')""",
            (job_id, submission_id),
        )


def settle_missing(db: ConsoleTables, look: StatusCheck) -> None:
    """Free the place and end open documents as failed, because the engine does not have the job."""
    if look.job_id is not None:
        rows = db.fetch_all(
            "select * from console_documents where submission_id = %(id)s and ended_at is null",
            {"id": look.submission_id},
        )
        settle(db, look.submission_id, look.job_id, [_missing_document(row) for row in rows])
    with db.transaction() as conn:
        conn.execute(
            """update console_submissions set state = 'failed', n_open = 0
               where id = %s and state in ('sending', 'open')""",
            (look.submission_id,),
        )


def known_jobs(db: ConsoleTables, job_ids: Sequence[str]) -> frozenset[str]:
    """Return the jobs among these that belong to a submission."""
    rows = db.fetch_all("select job_id from console_submissions where job_id = any(%(ids)s)", {"ids": list(job_ids)})
    return frozenset(row["job_id"] for row in rows)


def _take_over(conn: Connection, submission: Row, job_id: str, facts: Sequence[DocumentFact]) -> None:
    for fact in facts:
        conn.execute(
            """insert into console_documents (document_id, submission_id, job_id, tenant_id, org, alias, source_file)
               values (%s, %s, %s, %s, %s, %s, %s) on conflict (document_id) do nothing""",
            (
                *(fact.document_id, submission["id"], job_id, submission["tenant_id"], submission["org"]),
                *(new_id("file_"), fact.source_file),
            ),
        )


def _end(conn: Connection, fact: DocumentFact) -> list[Row]:
    params = (fact.status, fact.pages, fact.chunks, new_event_id(), fact.document_id)
    return conn.execute(_END, params).fetchall()


def _missing_document(row: Row) -> DocumentFact:
    return DocumentFact(
        document_id=row["document_id"], source_file=row["source_file"], status="failed", pages=0, chunks=0, ended=True
    )


def _count(conn: Connection, tenant_id: str, ended: Sequence[Row]) -> None:
    pages = sum(row["pages"] for row in ended if row["status"] == "succeeded")
    conn.execute(
        """insert into console_usage as u (tenant_id, month, documents, pages)
           values (%s, date_trunc('month', statement_timestamp())::date, %s, %s)
           on conflict (tenant_id, month) do update
           set documents = u.documents + excluded.documents, pages = u.pages + excluded.pages""",
        (tenant_id, len(ended), pages),
    )


def _send(conn: Connection, tenant_id: str, ended: Sequence[Row]) -> None:
    """Create one delivery per receiver and document. The body is stored now, so every attempt sends the same bytes."""
    hooks = conn.execute(
        "select id from webhooks where tenant = %s and org = %s and disabled_at is null", (WEBHOOK_TENANT, tenant_id)
    ).fetchall()
    for row in ended:
        for hook in hooks:
            conn.execute(
                """insert into deliveries (id, webhook_id, tenant, org, event, event_id, body)
                   values (%s, %s, %s, %s, %s, %s, %s) on conflict (webhook_id, event_id) do nothing""",
                (new_delivery_id(), hook["id"], WEBHOOK_TENANT, tenant_id, EVENT, row["event_id"], _body(row)),
            )


def _body(row: Row) -> bytes:
    names = {"document_id": "document_id", "job_id": "job_id", "filename": "source_file", "status": "status"}
    facts = {name: row[column] for name, column in names.items()} | {"pages": row["pages"], "chunks": row["chunks"]}
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode()

"""Documents that a tenant has sent: listings, aliases of files, retention."""

from collections.abc import Sequence

from quire.serve_apps.console.store.ports import ConsoleTables, Row
from quire.serve_apps.console.store.rows import SentDocument

_FIELDS = ("document_id", "job_id", "alias", "org", "source_file", "status", "pages", "created_at", "ended_at")


def resolve_alias(db: ConsoleTables, tenant_id: str, alias: str) -> str | None:
    """Return the batch of a file's alias; None if the alias is unknown or another tenant's."""
    row = db.fetch_one(
        "select job_id from console_documents where alias = %(alias)s and tenant_id = %(tenant)s",
        {"alias": alias, "tenant": tenant_id},
    )
    return row["job_id"] if row else None


def aliases_of(db: ConsoleTables, tenant_id: str, document_ids: Sequence[str]) -> dict[str, str]:
    """Return aliases by document id, for files of batches; a single document is known by its job's id."""
    rows = db.fetch_all(
        """select d.document_id, d.alias from console_documents d join console_submissions s on s.id = d.submission_id
           where d.tenant_id = %(tenant)s and d.document_id = any(%(ids)s) and s.n_total > 1""",
        {"tenant": tenant_id, "ids": list(document_ids)},
    )
    return {row["document_id"]: row["alias"] for row in rows}


def list_sent(db: ConsoleTables, tenant_id: str, *, limit: int = 50, before: str | None = None) -> list[SentDocument]:
    """List documents, newest first, without removed ones; `before` is the last document of the previous page."""
    rows = db.fetch_all(
        """select d.* from console_documents d join console_submissions s on s.id = d.submission_id
           where d.tenant_id = %(tenant)s and s.state <> 'removed' and d.status <> 'deleted'
             and (%(before)s::text is null or (d.created_at, d.document_id) < (select created_at, document_id
                                                 from console_documents
                                                 where document_id = %(before)s and tenant_id = %(tenant)s))
           order by d.created_at desc, d.document_id desc limit %(limit)s""",
        {"tenant": tenant_id, "before": before, "limit": limit},
    )
    return [_sent(row) for row in rows]


def find_sent(db: ConsoleTables, tenant_id: str, document_id: str) -> SentDocument | None:
    """Return a document of the tenant, or None if it is unknown or deleted."""
    row = db.fetch_one(
        """select * from console_documents
           where tenant_id = %(tenant)s and document_id = %(id)s and status <> 'deleted'""",
        {"tenant": tenant_id, "id": document_id},
    )
    return _sent(row) if row else None


def filter_sent(db: ConsoleTables, tenant_id: str, document_ids: Sequence[str]) -> frozenset[str]:
    """Return the documents among these that the tenant has sent and not deleted."""
    rows = db.fetch_all(
        """select document_id from console_documents
           where tenant_id = %(tenant)s and document_id = any(%(ids)s) and status <> 'deleted'""",
        {"tenant": tenant_id, "ids": list(document_ids)},
    )
    return frozenset(row["document_id"] for row in rows)


def list_outdated(db: ConsoleTables, limit: int = 50) -> list[Row]:
    """List ended submissions past their plan's retention, and all of closed tenants: `id`, `org`, `job_id`."""
    return db.fetch_all(
        """select s.id, s.org, s.job_id from console_submissions s join console_tenants t on t.id = s.tenant_id
             join console_plans p on p.name = t.plan
           where s.state = 'ended' and (t.closed_at is not null
             or s.ended_at < clock_timestamp() - p.retention_days * interval '1 day')
           order by s.ended_at limit %(limit)s""",
        {"limit": limit},
    )


def has_ended(db: ConsoleTables, tenant_id: str, job_id: str, document_id: str | None) -> bool:
    """Return whether the end of the job, or of this document, is recorded for the tenant."""
    row = db.fetch_one(
        """select case when %(document)s::text is null then s.state in ('ended', 'removed')
                  else exists (select from console_documents d where d.submission_id = s.id
                               and d.document_id = %(document)s and d.ended_at is not null) end as ended
           from console_submissions s where s.job_id = %(job)s and s.tenant_id = %(tenant)s""",
        {"tenant": tenant_id, "job": job_id, "document": document_id},
    )
    return bool(row and row["ended"])


def mark_job_removed(db: ConsoleTables, job_id: str) -> None:
    """Mark the submission of this job as removed."""
    row = db.fetch_one("select id from console_submissions where job_id = %(job)s", {"job": job_id})
    if row is not None:
        mark_removed(db, row["id"])


def mark_document_removed(db: ConsoleTables, document_id: str) -> None:
    """Record that the engine deleted one document of a job, and erase its name."""
    with db.transaction() as conn:
        conn.execute(
            "update console_documents set source_file = '', status = 'deleted' where document_id = %s", (document_id,)
        )


def mark_removed(db: ConsoleTables, submission_id: str) -> None:
    """Record that the engine deleted the job, and erase the names of its files."""
    with db.transaction() as conn:
        conn.execute("update console_submissions set state = 'removed' where id = %s", (submission_id,))
        conn.execute("update console_documents set source_file = '' where submission_id = %s", (submission_id,))


def _sent(row: Row) -> SentDocument:
    return SentDocument(**{name: row[name] for name in _FIELDS})

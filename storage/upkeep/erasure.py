"""Rows that the erasure of a person searches and changes: every document of an organisation, names, metadata."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quire.storage.access.audit import record
from quire.storage.postgres.database import Database
from quire.storage.postgres.target_marks import touch_documents
from quire.storage.values.rows import Actor, DocumentId, JobId, Scope
from quire.storage.values.scoping import OWNED, owned_by


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document that is not deleted; `attempt` is set if its tree is published, `metadata` is its job's."""

    document_id: DocumentId
    job_id: JobId
    source_file: str
    status: str
    attempt: int | None
    metadata: Any


def list_stored(db: Database, scope: Scope) -> list[StoredDocument]:
    """Return every document that is not deleted, the oldest job first."""
    rows = db.fetch_all(
        f"""select d.id as document_id, d.job_id, d.source_file, d.status, d.published_attempt as attempt, j.metadata
            from jobs j join documents d on d.job_id = j.id and d.deleted_at is null
            where {OWNED} order by j.seq, d.position""",
        owned_by(scope),
    )
    return [StoredDocument(**row) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedPlace:
    """A place outside the stores that has, or had, copies of documents.

    Attributes:
        kind: target, webhook or backup.
        id: Id of the target or webhook, folder of the backup.
        documents: Number of the documents that it got; of a backup, how many of them are older than it.
    """

    kind: str
    id: str
    documents: int


def list_copies(db: Database, scope: Scope, document_ids: Sequence[str]) -> list[CopiedPlace]:
    """Return the targets, webhooks and backups that got any of these documents, also of deleted jobs."""
    rows = db.fetch_all(
        """with chosen as (
              select d.id, d.job_id, d.created_at from documents d join jobs j on j.id = d.job_id
              where d.id = any(%(ids)s) and j.tenant = %(tenant)s and j.org = %(org)s)
            select 'target' as kind, t.target_id as id, count(*) as documents
            from target_documents t join chosen c on c.id = t.document_id where t.done > 0 group by t.target_id
            union all
            select 'webhook', v.webhook_id, count(distinct c.id)
            from deliveries v join events e on e.id = v.event_id join chosen c on c.job_id = e.job_id
            where v.state = 'delivered' and (e.document_id is null or e.document_id = c.id) group by v.webhook_id
            union all
            select 'backup', b.path, count(*) from backups b join chosen c on c.created_at < b.made_at group by b.path
            order by kind, id""",
        owned_by(scope, ids=list(document_ids)),
    )
    return [CopiedPlace(**row) for row in rows]


def erase_events(db: Database, scope: Scope, job_ids: Sequence[str]) -> None:
    """Leave only ids in the stored events of these jobs, which had names of files and metadata."""
    db.fetch_all(
        """update events set body = convert_to(json_build_object('event', kind, 'id', id, 'job_id', job_id,
             'document_id', document_id, 'erased', true)::text, 'UTF8')
           where job_id = any(%(ids)s) and tenant = %(tenant)s and org = %(org)s returning id""",
        {"ids": list(job_ids), "tenant": scope.tenant, "org": scope.org},
    )


def erase_metadata(db: Database, scope: Scope, actor: Actor, job_ids: Sequence[str]) -> None:
    """Erase the metadata that callers attached to these jobs, noted in the audit trail."""
    with db.transaction() as conn:
        rows = conn.execute(
            f"update jobs j set metadata = null where j.id = any(%(ids)s) and {OWNED} returning j.id",
            owned_by(scope, ids=list(job_ids)),
        ).fetchall()
        for row in rows:
            record(conn, scope, actor, "job.metadata-erased", row["id"])
        erased = [row["id"] for row in rows]
        documents = conn.execute("select id from documents where job_id = any(%s)", (erased,)).fetchall()
        touch_documents(conn, [row["id"] for row in documents])

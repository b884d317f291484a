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

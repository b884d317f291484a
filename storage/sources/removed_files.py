"""Documents whose file is gone from its source, or has other content now: deleted as soon as they are finished.

`sources.retire` records them in the transaction of the sync; they are deleted as a caller would delete them. A document
with new content stays until the document that replaces it is finished, which is compared with it.
"""

from dataclasses import dataclass

from quire.storage.access.audit import record
from quire.storage.jobs.lifecycle import hide_documents
from quire.storage.postgres.database import Database
from quire.storage.values.rows import Actor, DocumentId, Scope

_FINISHED = """
select r.document_id, r.tenant, r.org, d.deleted_at from source_retired r join documents d on d.id = r.document_id
left join documents s on s.id = r.successor
where (%(id)s::text is null or r.source_id = %(id)s) and d.status not in ('queued', 'running')
  and (s.id is null or s.status not in ('queued', 'running'))
order by d.id limit %(limit)s for update of d
"""
_EARLIER = """
select d.id, d.published_attempt from source_retired r join documents d on d.id = r.document_id
where r.successor = %(id)s and d.status = 'succeeded' and d.deleted_at is null and d.published_attempt is not null
"""


@dataclass(frozen=True, slots=True)
class EarlierVersion:
    """The published attempt of the document that a newer one replaces."""

    document_id: DocumentId
    attempt: int


def find_earlier(db: Database, document_id: DocumentId) -> EarlierVersion | None:
    """Return the stored version that this document replaces, or None."""
    row = db.fetch_one(_EARLIER, {"id": document_id})
    return None if row is None else EarlierVersion(DocumentId(row["id"]), row["published_attempt"])


def delete_retired(db: Database, source_id: str | None = None, limit: int = 1000) -> int:
    """Delete retired documents that are finished, as a caller would, and return how many rows are settled."""
    with db.transaction() as conn:
        rows = conn.execute(_FINISHED, {"id": source_id, "limit": limit}).fetchall()
        stored = [row for row in rows if row["deleted_at"] is None]
        hide_documents(conn, [row["document_id"] for row in stored])
        for row in stored:
            scope = Scope(tenant=row["tenant"], org=row["org"])
            record(conn, scope, Actor(key_name="sync"), "document.deleted", row["document_id"])
        ids = [row["document_id"] for row in rows]
        conn.execute("delete from source_retired where document_id = any(%s)", (ids,))
    return len(rows)

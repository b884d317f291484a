"""Documents whose file is gone from its source, or has other content now: deleted as soon as they are finished.

`sources.retire` records them in the transaction of the sync; they are deleted as a caller would delete them.
"""

from storage.access.audit import record
from storage.jobs.lifecycle import hide_documents
from storage.postgres.database import Database
from storage.values.rows import Actor, Scope

_FINISHED = """
select r.document_id, r.tenant, r.org, d.deleted_at from source_retired r join documents d on d.id = r.document_id
where (%(id)s::text is null or r.source_id = %(id)s) and d.status not in ('queued', 'running')
order by d.id limit %(limit)s for update of d
"""


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

"""Documents whose file is gone from its source, or has other content now: deleted as soon as they are finished.

`sources.retire` records them in the transaction of the sync; they are deleted as a caller would delete them.
"""

from storage.jobs.lifecycle import delete_document
from storage.postgres.database import Database, Row
from storage.values.errors import Conflict, NotFound
from storage.values.rows import Actor, Scope


def delete_retired(db: Database, source_id: str | None = None, limit: int = 1000) -> int:
    """Delete retired documents that are finished, as a caller would, and return how many rows are settled."""
    rows = db.fetch_all(
        """select r.document_id, r.tenant, r.org from source_retired r join documents d on d.id = r.document_id
           where (%(id)s::text is null or r.source_id = %(id)s) and d.status not in ('queued', 'running')
           order by r.document_id limit %(limit)s""",
        {"id": source_id, "limit": limit},
    )
    return sum(_delete_document(db, row) for row in rows)


def _delete_document(db: Database, row: Row) -> bool:
    scope = Scope(tenant=row["tenant"], org=row["org"])
    try:
        delete_document(db, scope, Actor(key_name="sync"), row["document_id"])
    except Conflict:  # requeued in between: later
        return False
    except NotFound:  # its job was deleted
        pass
    with db.transaction() as conn:
        conn.execute("delete from source_retired where document_id = %s", (row["document_id"],))
    return True

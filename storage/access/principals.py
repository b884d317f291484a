"""Principals of documents: the users and groups on whose behalf a caller may find them.

A document without principals is found by every caller of its organisation. One with principals is found by searches
and queries that name at least one of them, and by no others. With the header
`X-DE-Principals` a request knows of no others at all.
"""

from collections.abc import Sequence

from quire.storage.access.audit import record
from quire.storage.postgres.database import Database
from quire.storage.postgres.target_marks import touch_documents
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Actor, DocumentId, Scope
from quire.storage.values.scoping import OWNED, VISIBLE, owned_by

_CHOOSE = f"""
with recursive family as (
  select d.id from documents d join jobs j on j.id = d.job_id and {OWNED}
  where d.id = %(document_id)s and d.deleted_at is null
  union all select d.id from documents d join family on d.parent_document_id = family.id
)
update documents d set principals = %(principals)s::text[] from family where d.id = family.id returning d.id
"""


def check_visible(
    db: Database, scope: Scope, principals: Sequence[str], *, document_id: str | None = None, job_id: str | None = None
) -> None:
    """Check that a caller acting for `principals` may know of a document, or of all documents of a job.

    Unknown and foreign ones pass, so that the caller gets the answer that anybody gets. Raises NotFound.
    """
    hidden = db.fetch_all(
        f"""select from documents d join jobs j on j.id = d.job_id and {OWNED}
            where {"d.id = %(document_id)s" if document_id is not None else "d.job_id = %(job_id)s"}
              and not {VISIBLE} limit 1""",
        owned_by(scope, document_id=document_id, job_id=job_id, principals=list(principals)),
    )
    if hidden:
        raise NotFound("no such document" if document_id is not None else "no such job")


def set_principals(
    db: Database, scope: Scope, actor: Actor, document_id: DocumentId, principals: Sequence[str] | None
) -> None:
    """Set the principals of a document and of the files inside it; None opens it to all callers. Raises NotFound."""
    chosen = None if principals is None else sorted(set(principals))
    with db.transaction() as conn:
        changed = conn.execute(_CHOOSE, owned_by(scope, document_id=document_id, principals=chosen)).fetchall()
        if not changed:
            raise NotFound("no such document")
        touch_documents(conn, [row["id"] for row in changed])
        result = "open" if chosen is None else f"{len(chosen)} principals"
        for row in changed:
            record(conn, scope, actor, "document.principals", row["id"], result)

"""Lists published documents whose chunks another chunker produced, and records that they were chunked again.

Order and crash safety of that job: the index takes a document's new chunks in one commit that replaces the old ones,
then one statement here records it. A crash between leaves new chunks under the old name; the next run repeats the
document with the same result.
"""

from dataclasses import dataclass

from quire.storage.postgres.database import Database
from quire.storage.postgres.target_marks import touch_documents
from quire.storage.values.rows import DocumentId, Scope


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """A published attempt and the version of its chunker, or None if it was stored before versions were."""

    scope: Scope
    document_id: DocumentId
    attempt: int
    chunks: int | None
    chunker: str | None


def list_outdated(db: Database, chunker: str, *, limit: int = 500, after: str = "") -> list[ChunkedDocument]:
    """Return published documents of all tenants that another chunker cut, in order of id, with ids after `after`."""
    rows = db.fetch_all(
        """select id, tenant, org, published_attempt, chunks, chunker from documents
           where id > %(after)s and status = 'succeeded' and deleted_at is null and published_attempt is not null
             and chunker is distinct from %(chunker)s
           order by id limit %(limit)s""",
        {"after": after, "chunker": chunker, "limit": limit},
    )
    return [
        ChunkedDocument(
            Scope(tenant=row["tenant"], org=row["org"]),
            DocumentId(row["id"]),
            row["published_attempt"],
            row["chunks"],
            row["chunker"],
        )
        for row in rows
    ]


def mark_chunked(db: Database, document_id: DocumentId, attempt: int, chunker: str, chunks: int) -> bool:
    """Record the chunker of an attempt; False if the document was deleted or shows another attempt by now."""
    with db.transaction() as conn:
        row = conn.execute(
            """update documents set chunker = %(chunker)s, chunks = %(chunks)s
               where id = %(id)s and published_attempt = %(attempt)s and status = 'succeeded' and deleted_at is null
               returning id""",
            {"id": document_id, "attempt": attempt, "chunker": chunker, "chunks": chunks},
        ).fetchone()
        if row is not None:
            touch_documents(conn, [document_id])
    return row is not None

"""Which published documents' chunks were cut by another chunker, and remembering that they were cut anew.

Order and crash story of the job above: the index takes a document's new chunks in one commit that replaces the old
ones, then one statement here remembers it. A crash between leaves new chunks under the old name; the next run cuts the
document once more and finds it as it is.
"""

from dataclasses import dataclass

from storage.postgres.database import Database
from storage.values.rows import DocumentId, Scope


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """A published attempt, and what cut it (None: from before that was kept)."""

    scope: Scope
    document_id: DocumentId
    attempt: int
    chunks: int | None
    chunker: str | None


def list_outdated(db: Database, chunker: str, *, limit: int = 500, after: str = "") -> list[ChunkedDocument]:
    """Published documents of all tenants that another chunker cut, in order of id, those behind `after` only."""
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
    """False when the document was deleted or shows another attempt by now; nothing changed then."""
    with db.transaction() as conn:
        row = conn.execute(
            """update documents set chunker = %(chunker)s, chunks = %(chunks)s
               where id = %(id)s and published_attempt = %(attempt)s and status = 'succeeded' and deleted_at is null
               returning id""",
            {"id": document_id, "attempt": attempt, "chunker": chunker, "chunks": chunks},
        ).fetchone()
    return row is not None

"""Which generations may be shown: the join of the index with SQL, always through a scope."""

from collections.abc import Collection
from dataclasses import dataclass

from storage.postgres.database import Database
from storage.values.errors import NotFound
from storage.values.rows import Scope
from storage.values.scoping import OWNED, owned_by


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """Where a document's hits lead, and the one generation of its chunks that counts."""

    job_id: str
    source_file: str
    generation: int


def resolve(db: Database, scope: Scope, documents: Collection[str]) -> dict[str, PublishedDocument]:
    """Those of `documents` that are the scope's, succeeded and not deleted, neither they nor their job."""
    if not documents:
        return {}
    rows = db.fetch_all(
        f"""select d.id, d.job_id, d.source_file, d.published_attempt
            from documents d join jobs j on j.id = d.job_id and {OWNED}
            where d.id = any(%(ids)s) and d.status = 'succeeded' and d.deleted_at is null
              and d.published_attempt is not null""",
        owned_by(scope, ids=list(documents)),
    )
    return {row["id"]: PublishedDocument(row["job_id"], row["source_file"], row["published_attempt"]) for row in rows}


def documents_asked_for(
    db: Database, scope: Scope, document_id: str | None, job_id: str | None
) -> frozenset[str] | None:
    """The documents a search is narrowed to; None = all. Raises NotFound for an unknown, foreign or deleted one."""
    if document_id is None and job_id is None:
        return None
    rows = db.fetch_all(
        f"""select d.id, d.deleted_at from documents d join jobs j on j.id = d.job_id and {OWNED}
            where (%(document_id)s::text is null or d.id = %(document_id)s)
              and (%(job_id)s::text is null or d.job_id = %(job_id)s)""",
        owned_by(scope, document_id=document_id, job_id=job_id),
    )
    if not rows or (document_id is not None and rows[0]["deleted_at"] is not None):
        raise NotFound("no such document")
    return frozenset(row["id"] for row in rows if row["deleted_at"] is None)

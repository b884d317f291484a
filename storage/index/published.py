"""The generations that may be shown: the join of the index with SQL, always through a scope."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from quire.models.cdom.original import DRAWN_FORMATS
from quire.models.cdom.search import SearchRequest
from quire.storage.postgres.database import Database
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import Scope
from quire.storage.values.scoping import OWNED, VISIBLE, owned_by


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """A document that hits may name, and the one generation of its chunks that counts.

    A republished document shows its earlier chunks until the new ones are indexed, so that searches always find it.
    """

    job_id: str
    source_file: str
    generation: int
    has_page_pictures: bool = False


def resolve(
    db: Database, scope: Scope, documents: Collection[str], principals: Sequence[str]
) -> dict[str, PublishedDocument]:
    """Return those of `documents` that a caller acting for `principals` may find.

    The scope owns them, they succeeded, and neither they nor their job are deleted.
    """
    if not documents:
        return {}
    rows = db.fetch_all(
        f"""select d.id, d.job_id, d.source_file, coalesce(d.searched_attempt, d.published_attempt) as generation,
                   d.sha256 is not null and d.format = any(%(drawn)s) as has_page_pictures
            from documents d join jobs j on j.id = d.job_id and {OWNED}
            where d.id = any(%(ids)s) and d.status = 'succeeded' and d.deleted_at is null
              and d.published_attempt is not null and {VISIBLE}""",
        owned_by(scope, ids=list(documents), principals=list(principals), drawn=sorted(DRAWN_FORMATS)),
    )
    return {
        row["id"]: PublishedDocument(
            row["job_id"], row["source_file"], row["generation"], bool(row["has_page_pictures"])
        )
        for row in rows
    }


_NARROWED = """(%(format)s::text is null or d.format = %(format)s)
    and (%(since)s::timestamptz is null or d.created_at >= %(since)s)
    and (%(until)s::timestamptz is null or d.created_at < %(until)s)"""


def requested_documents(db: Database, scope: Scope, request: SearchRequest) -> frozenset[str] | None:
    """Return the documents a search is limited to, or None for all.

    Raises:
        NotFound: The named document or job is unknown, foreign, deleted or hidden from these principals.
    """
    narrowing = {"format": request.format, "since": request.since, "until": request.until}
    ids = {"document_id": request.document_id, "job_id": request.job_id}
    named = any(value is not None for value in ids.values())
    is_narrowed = named or any(value is not None for value in narrowing.values())
    if not is_narrowed and not _has_hidden(db, scope, request.principals):
        return None
    rows = db.fetch_all(
        f"""select d.id, d.deleted_at, ({_NARROWED}) as fits
            from documents d join jobs j on j.id = d.job_id and {OWNED}
            where (%(document_id)s::text is null or d.id = %(document_id)s)
              and (%(job_id)s::text is null or d.job_id = %(job_id)s)
              and (%(named)s or ({_NARROWED})) and {VISIBLE}""",
        owned_by(scope, named=named, principals=list(request.principals), **ids, **narrowing),
    )
    if named and (not rows or (request.document_id is not None and rows[0]["deleted_at"] is not None)):
        raise NotFound("no such document")
    return frozenset(row["id"] for row in rows if row["deleted_at"] is None and row["fits"])


def _has_hidden(db: Database, scope: Scope, principals: Sequence[str]) -> bool:
    """Return whether the organisation has documents that a caller acting for `principals` may not find."""
    row = db.fetch_one(
        f"""select 1 from documents d where d.tenant = %(tenant)s and d.org = %(org)s and d.deleted_at is null
            and d.principals is not null and not {VISIBLE} limit 1""",
        owned_by(scope, principals=list(principals)),
    )
    return row is not None

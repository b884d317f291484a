"""Documents as callers see them, always through a scope: rows, pages of rows, and where their files are."""

from dataclasses import dataclass
from typing import Any

from quire.models.cdom.original import ReadOptions
from quire.storage.jobs.columns import DOCUMENT_COLUMNS
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.store import Store
from quire.storage.values.errors import NotFound
from quire.storage.values.paging import Cursors, ListPage
from quire.storage.values.reading_options import load_options
from quire.storage.values.rows import DocumentId, DocumentRow, JobId, Scope
from quire.storage.values.scoping import OWNED, owned_by
from quire.storage.values.states import DocumentStatus

FROM = f"""
from documents d join jobs j on j.id = d.job_id and {OWNED} left join page_progress p on p.document_id = d.id
"""


@dataclass(frozen=True, slots=True)
class PublishedTree:
    """The visible artifacts of a document: those of `attempt`, listed with their hashes in `manifest`.

    `chunker` names the chunker version that produced its chunks (`quire.models.derive.chunks.chunking`).
    """

    source_file: str
    attempt: int
    manifest: dict[str, dict[str, Any]]
    format: str
    sha256: str | None
    bytes: int
    chunker: str | None = None


@dataclass(frozen=True, slots=True)
class Original:
    """A stored original and how it was to be read; `sha256` finds it in the blobs."""

    sha256: str
    source_file: str
    format: str | None
    options: ReadOptions


def find_document(db: Database, scope: Scope, document_id: str) -> DocumentRow:
    """Return a document, also a deleted one, with `deleted_at`. Raises NotFound for unknown and foreign alike."""
    return _fetch_document(db, "d.id = %(document_id)s", scope, document_id=document_id)


def list_documents(
    store: Store, scope: Scope, job_id: str, *, limit: int = 100, cursor: str | None = None
) -> ListPage[DocumentRow]:
    """Return a job's documents in order of submission; none for a foreign or unknown job (ask `get_job` first)."""
    cursors = Cursors(store.signer, f"documents/{job_id}", scope)
    params = owned_by(scope, job_id=job_id, after=cursors.read(cursor)[0] if cursor else -1, limit=limit + 1)
    rows = store.db.fetch_all(
        f"""select {DOCUMENT_COLUMNS}, d.position {FROM} where d.job_id = %(job_id)s and d.position > %(after)s
            order by d.position limit %(limit)s""",
        params,
    )
    page = cursors.page(rows, limit, lambda row: (row["position"],))
    return ListPage(tuple(map(to_document, page.items)), page.next_cursor)


def list_dead_letters(
    store: Store, scope: Scope, *, limit: int = 100, cursor: str | None = None
) -> ListPage[DocumentRow]:
    """Return failed documents that are not deleted, the newest failure first."""
    cursors = Cursors(store.signer, "dead-letters", scope)
    finished_before, last = cursors.read(cursor) if cursor else (None, None)
    rows = store.db.fetch_all(
        f"""select {DOCUMENT_COLUMNS} {FROM}
            where d.tenant = %(tenant)s and d.org = %(org)s and d.status = 'failed' and d.deleted_at is null
              and (%(at)s::timestamptz is null or (d.finished_at, d.id) < (%(at)s::timestamptz, %(last)s))
            order by d.finished_at desc, d.id desc limit %(limit)s""",
        owned_by(scope, at=finished_before, last=last, limit=limit + 1),
    )
    page = cursors.page(rows, limit, lambda row: (row["finished_at"].isoformat(), row["id"]))
    return ListPage(tuple(map(to_document, page.items)), page.next_cursor)


def locate_tree(db: Database, scope: Scope, job_id: str, document_id: str) -> PublishedTree:
    """Return the published tree. Raises NotFound unless the document succeeded and is not deleted."""
    row = db.fetch_one(
        f"""select d.source_file, d.published_attempt, d.manifest, d.format, d.sha256, d.bytes, d.chunker {FROM}
            where d.id = %(document_id)s and d.job_id = %(job_id)s
              and d.status = 'succeeded' and d.published_attempt is not null and d.deleted_at is null""",
        owned_by(scope, job_id=job_id, document_id=document_id),
    )
    if row is None:
        raise NotFound("no such document")
    return to_published(row)


def locate_trees(db: Database, scope: Scope, job_id: str) -> list[tuple[DocumentId, PublishedTree]]:
    """Return the published trees of a job, in order of submission. Raises NotFound for an unknown job."""
    get = f"""select d.id, d.source_file, d.published_attempt, d.manifest, d.format, d.sha256, d.bytes, d.chunker
            {FROM} where d.job_id = %(job_id)s and d.status = 'succeeded' and d.published_attempt is not null
              and d.deleted_at is null order by d.position"""
    job = db.fetch_one(f"select 1 from jobs j where j.id = %(job_id)s and {OWNED}", owned_by(scope, job_id=job_id))
    if job is None:
        raise NotFound("no such job")
    return [(DocumentId(row["id"]), to_published(row)) for row in db.fetch_all(get, owned_by(scope, job_id=job_id))]


def to_published(row: Row) -> PublishedTree:
    """Return the tree that a row with those columns describes."""
    return PublishedTree(
        row["source_file"],
        row["published_attempt"],
        row["manifest"] or {},
        row["format"] or "",
        row["sha256"],
        row["bytes"],
        row["chunker"],
    )


def locate_original(store: Store, scope: Scope, job_id: str, document_id: str) -> Original:
    """Return the original. Raises NotFound if the document is unknown, deleted or has no stored original."""
    row = store.db.fetch_one(
        f"""select d.sha256, d.source_file, d.format, d.options {FROM}
            where d.id = %(document_id)s and d.job_id = %(job_id)s and d.deleted_at is null and d.sha256 is not null""",
        owned_by(scope, job_id=job_id, document_id=document_id),
    )
    if row is None:
        raise NotFound("no such original")
    options = load_options(store.signer, document_id, row["options"])
    return Original(row["sha256"], row["source_file"], row["format"], options)


def documents_of(conn: Connection, scope: Scope, job_id: str) -> tuple[DocumentRow, ...]:
    """Return all documents of a job, in order of submission."""
    rows = conn.execute(
        f"select {DOCUMENT_COLUMNS} {FROM} where d.job_id = %(job_id)s order by d.position",
        owned_by(scope, job_id=job_id),
    ).fetchall()
    return tuple(map(to_document, rows))


def to_document(row: Row) -> DocumentRow:
    """Return the document of a row of DOCUMENT_COLUMNS."""
    fields = {name: value for name, value in row.items() if name != "position"}
    fields |= {"id": DocumentId(row["id"]), "job_id": JobId(row["job_id"]), "status": DocumentStatus(row["status"])}
    return DocumentRow(**fields)


def _fetch_document(db: Database, condition: str, scope: Scope, **params: str) -> DocumentRow:
    row = db.fetch_one(f"select {DOCUMENT_COLUMNS} {FROM} where {condition}", owned_by(scope, **params))
    if row is None:
        raise NotFound("no such document")
    return to_document(row)

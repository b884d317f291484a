"""Takes documents that a bulk job has read: finished jobs, each document once however often the job is run.

Order and crash safety: a document's id is made from corpus and path, so its artifacts and index rows land in the same
place in every run; they and the original are stored before (a crash leaves files that the next run finds or the sweeper
removes). Then one transaction admits the pages, writes the job and those documents that are not there yet, and ends
them as any other document ends. A document deleted since stays deleted: its row is still there.
"""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg.types.json import Jsonb

from quire.models.cdom.original import ReadOptions
from quire.storage.access.audit import record
from quire.storage.index.index_requests import request_comparison
from quire.storage.jobs.intake import keep_originals
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.postgres.notices import notify_done
from quire.storage.queue.ending import DocumentEnd, end_documents, failed, succeeded
from quire.storage.queue.usage import admit
from quire.storage.store import Store
from quire.storage.values.ids import new_job_id
from quire.storage.values.reading_options import dump_options
from quire.storage.values.rows import Actor, DocumentId, JobId, PageQuota, ReadFacts, Scope, StoredBlob
from quire.storage.values.signing import Signer

_LOOK_AT_ONCE = 10_000  # ids asked for in one statement

_JOB = """
insert into jobs (id, tenant, org, key_name, kind, n_total, n_running, started_at, metadata)
values (%(job_id)s, %(tenant)s, %(org)s, %(key_name)s, 'bulk', %(total)s, %(total)s, clock_timestamp(), %(metadata)s)
"""
_DOCUMENTS = """
insert into documents (id, job_id, tenant, org, key_name, position, source_file, sha256, bytes, options, status,
                       attempt, reserved_pages, reserved_month, started_at, principals)
select id, %(job_id)s, %(tenant)s, %(org)s, %(key_name)s, position, source_file, sha256, bytes, options, 'running',
       attempt, pages, %(month)s, clock_timestamp(), %(principals)s::text[]
from jsonb_to_recordset(%(documents)s) as g(id text, position bigint, source_file text, sha256 text, bytes bigint,
                                            options jsonb, attempt bigint, pages bigint)
returning *
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkDocument(ReadFacts):
    """A document read elsewhere: published as `attempt` (its artifacts are stored), or failed with `error`."""

    id: DocumentId
    source_file: str
    original: StoredBlob
    options: ReadOptions
    attempt: int = 1
    error: str | None = None
    detail: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """Result of one call: its job, or None if every document existed already, and the documents it added."""

    job_id: JobId | None
    documents: frozenset[DocumentId]


def bulk_document_id(scope: Scope, corpus: str, path: str) -> DocumentId:
    """Return the id of a path in a corpus: the same in every run, and never shared by two organisations."""
    name = "\0".join((scope.tenant, scope.org, corpus, path)).encode(errors="surrogateescape")
    digest = hashlib.sha256(b"quire bulk 1\0" + name).digest()[:16]
    return DocumentId("doc_" + base64.b32encode(digest).decode().rstrip("=").lower())


def find_known(db: Database, ids: Sequence[DocumentId]) -> frozenset[DocumentId]:
    """Return the ids that a bulk job has stored already, deleted ones included."""
    known: set[DocumentId] = set()
    for start in range(0, len(ids), _LOOK_AT_ONCE):
        batch = list(ids[start : start + _LOOK_AT_ONCE])
        known |= {
            DocumentId(row["id"])
            for row in db.fetch_all("select id from documents where id = any(%(ids)s)", {"ids": batch})
        }
    return frozenset(known)


def take_documents(
    store: Store,
    scope: Scope,
    actor: Actor,
    documents: Sequence[BulkDocument],
    *,
    quota: PageQuota,
    metadata: dict[str, Any] | None = None,
    principals: Sequence[str] | None = None,
    index_later: bool = False,
) -> Taken:
    """Store the new documents as one finished job. Raises QuotaExceeded, and then stores none.

    `principals`: callers that may find them; None for all. With `index_later` their chunks are not in the index yet,
    and its writer is asked to compare it with SQL.
    """
    job_id = new_job_id()
    with store.db.transaction() as conn:
        fresh = _fresh(conn, documents)
        if not fresh:
            return Taken(None, frozenset())
        keep_originals(store, conn, [document.original.sha256 for document in fresh])
        params: dict[str, Any] = {"job_id": job_id, "tenant": scope.tenant, "org": scope.org}
        params |= {"key_name": actor.key_name, "total": len(fresh)}
        params |= {"metadata": Jsonb(metadata) if metadata is not None else None}
        params |= {"principals": None if principals is None else sorted(set(principals))}
        params |= {"month": admit(conn, quota, sum(document.pages for document in fresh if not document.error))}
        params |= {
            "documents": Jsonb([_row(store.signer, position, document) for position, document in enumerate(fresh)])
        }
        conn.execute(_JOB, params)
        rows = {row["id"]: row for row in conn.execute(_DOCUMENTS, params).fetchall()}
        record(conn, scope, actor, "job.bulk", job_id)
        if index_later:
            request_comparison(conn, "bulk")
        jobs = end_documents(conn, [_ending(rows[document.id], document) for document in fresh])
    notify_done(store.db, jobs)
    return Taken(job_id, frozenset(document.id for document in fresh))


def _fresh(conn: Connection, documents: Iterable[BulkDocument]) -> list[BulkDocument]:
    """Return new documents, each once. Concurrent callers wait for each other at the locks, taken in order of id."""
    unique = {document.id: document for document in documents}
    for document_id in sorted(unique):
        conn.execute("select pg_advisory_xact_lock(hashtextextended(%s, 1))", (document_id,))
    stored = {
        row["id"] for row in conn.execute("select id from documents where id = any(%s)", (list(unique),)).fetchall()
    }
    return [document for document in unique.values() if document.id not in stored]


def _row(signer: Signer, position: int, document: BulkDocument) -> dict[str, Any]:
    return {
        "id": document.id,
        "position": position,
        "source_file": document.source_file,
        "sha256": document.original.sha256,
        "bytes": document.original.bytes,
        "options": dump_options(signer, document.id, document.options),
        "attempt": document.attempt,
        "pages": 0 if document.error else document.pages,
    }


def _ending(row: Row, document: BulkDocument) -> DocumentEnd:
    if document.error is not None:
        return failed(row, document.error, document.detail, format=document.format)
    return succeeded(row, document, document.attempt)

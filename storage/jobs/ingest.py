"""Takes a document that was extracted elsewhere, as a job that is finished from the start.

Order and crash safety: the caller has stored the artifacts (attempt 1) and the original; this is the one transaction
that admits its pages, writes job and document and ends them as any other document ends. A crash before leaves orphan
files.
"""

from dataclasses import dataclass, replace
from typing import Any

from psycopg.types.json import Jsonb

from quire.storage.access.audit import record
from quire.storage.jobs.idempotency import IdempotencyKey, claim_key
from quire.storage.jobs.intake import keep_originals
from quire.storage.jobs.jobs import load_job
from quire.storage.postgres.notices import notify_done
from quire.storage.queue.disk_cap import require_room
from quire.storage.queue.ending import end_documents, succeeded
from quire.storage.queue.usage import admit
from quire.storage.store import Store
from quire.storage.values.ids import new_job_id
from quire.storage.values.rows import Actor, DocumentId, JobRow, PageQuota, ReadFacts, Scope, StoredBlob

INGESTED_ATTEMPT = 1  # the number of the only attempt an ingested document has

_INSERT = """
with job as (
  insert into jobs (id, tenant, org, key_name, kind, n_total, n_running, started_at, metadata)
  values (%(job_id)s, %(tenant)s, %(org)s, %(key_name)s, 'ingest', 1, 1, clock_timestamp(), %(metadata)s)
)
insert into documents (id, job_id, tenant, org, key_name, source_file, sha256, bytes, status, attempt,
                       reserved_pages, reserved_month, started_at, principals)
values (%(id)s, %(job_id)s, %(tenant)s, %(org)s, %(key_name)s, %(source_file)s, %(sha256)s, %(bytes)s, 'running',
        %(attempt)s, %(pages)s, %(month)s, clock_timestamp(), %(principals)s)
returning *
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedDocument(ReadFacts):
    """A tree from outside, its artifacts stored as attempt 1 of `id`. `bytes` = of the original, or of the tree.

    `principals`: callers that may find it; None for all.
    """

    id: DocumentId
    source_file: str
    format: str
    pages: int
    bytes: int
    manifest: dict[str, dict[str, Any]]
    original: StoredBlob | None = None
    metadata: dict[str, Any] | None = None
    principals: tuple[str, ...] | None = None


def ingest_document(
    store: Store,
    scope: Scope,
    actor: Actor,
    document: IngestedDocument,
    *,
    quota: PageQuota,
    cap_bytes: int = 0,
    idempotency: IdempotencyKey | None = None,
) -> JobRow:
    """Store the document and return its finished job. Raises QuotaExceeded, DiskFull (see `submit_job`), Conflict."""
    job_id = new_job_id()
    charged = document.pages if document.metered is None else document.metered
    with store.db.transaction() as conn:
        first = claim_key(conn, scope, idempotency, job_id)
        if first is not None:
            return replace(load_job(conn, scope, first), replayed=True)
        require_room(conn, scope, cap_bytes, document.bytes)
        if document.original is not None:
            keep_originals(store, conn, [document.original.sha256])
        params: dict[str, Any] = {"job_id": job_id, "tenant": scope.tenant, "org": scope.org, "id": document.id}
        params |= {"key_name": actor.key_name, "source_file": document.source_file, "attempt": INGESTED_ATTEMPT}
        params |= {"sha256": document.original and document.original.sha256, "bytes": document.bytes}
        params |= {"pages": charged, "month": admit(conn, quota, charged)}
        params |= {"metadata": Jsonb(document.metadata) if document.metadata is not None else None}
        params |= {"principals": None if document.principals is None else sorted(set(document.principals))}
        row = conn.execute(_INSERT, params).fetchall()[0]
        record(conn, scope, actor, "job.ingested", job_id)
        jobs = end_documents(conn, [succeeded(row, document, INGESTED_ATTEMPT)])
        job = load_job(conn, scope, job_id)
    notify_done(store.db, jobs)
    return job

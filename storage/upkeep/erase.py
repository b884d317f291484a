"""The background half of every delete: erases the data of a tombstoned document, then notes it in the audit trail.

Order and crash safety: first the search index erases all documents that are due, together. Then, per document, in one
transaction that holds its purge row: derived files, then the original unless another document has the same content,
then the row's content, then a check, then audit. Every step may be repeated, so the next pass completes an interrupted
one. An unreachable store is retried without limit.
"""

import json
from collections.abc import Callable, Sequence

from quire.storage.access.audit import record
from quire.storage.postgres.database import Connection, Row
from quire.storage.store import Store
from quire.storage.values.backoff import BackoffPolicy
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import Actor, DocumentId, Scope

EraseIndex = Callable[[Sequence[tuple[Scope, str]]], None]
JANITOR = Actor(key_name="janitor")
RETRIES = BackoffPolicy(5, 600)
"""Delays after an erasure that fails, up to ten minutes."""

_NEXT = """
select p.document_id, p.tenant, p.org, p.sha256, p.tries, d.job_id
from purges p join documents d on d.id = p.document_id
where p.not_before <= clock_timestamp() and (%(due)s::text[] is null or p.document_id = any(%(due)s))
order by p.requested_at limit 1 for update of p skip locked
"""

_DUE = """
select document_id, tenant, org from purges where not_before <= clock_timestamp() order by requested_at limit %(limit)s
"""

_ERASE_ROW = """
update documents set source_file = '', sha256 = null, error_detail = null, options = '{}', manifest = null,
  published_attempt = null, searched_attempt = null, route_counts = '{}', principals = null
where id = %s
"""


def purge_some(store: Store, limit: int = 50, *, erase_index: EraseIndex | None = None) -> int:
    """Purge up to `limit` documents and return how many are erased completely. Several purgers share the work.

    `erase_index` is given if this deployment has a search index; an error in it leaves everything to the next pass.
    """
    due: list[str] | None = None
    if erase_index is not None:
        rows = store.db.fetch_all(_DUE, {"limit": limit})
        erase_index([(Scope(tenant=row["tenant"], org=row["org"]), row["document_id"]) for row in rows])
        due = [row["document_id"] for row in rows]
    purged = 0
    for _ in range(limit):
        outcome = _purge_next(store, due)
        if outcome is None:
            break
        purged += outcome
    return purged


def erase_blob(store: Store, conn: Connection, sha256: str, *, keep_for_now: bool = False) -> bool:
    """Delete an original in the caller's transaction, unless a document refers to it; return whether it was deleted.

    `keep_for_now` moves it to quarantine instead.
    """
    conn.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", (sha256,))
    users = conn.execute(
        "select 1 from documents where sha256 = %s and deleted_at is null limit 1", (sha256,)
    ).fetchone()
    if users is None:
        (store.blobs.quarantine if keep_for_now else store.blobs.delete)(sha256)
    return users is None


def _purge_next(store: Store, due: list[str] | None) -> bool | None:
    """Purge one document. False means that it must be retried later, None that there is nothing to do."""
    row: Row | None = None
    try:
        with store.db.transaction() as conn:
            row = conn.execute(_NEXT, {"due": due}).fetchone()
            if row is None:
                return None
            _purge(store, conn, row)
            crash_point(CrashPoint.BEFORE_PURGE_COMMIT)
    except StoreUnavailable:
        if row is None:
            raise
        _postpone(store, row)
        return False
    return True


def _purge(store: Store, conn: Connection, row: Row) -> None:
    document_id = DocumentId(row["document_id"])
    store.artifacts.delete(document_id)
    crash_point(CrashPoint.AFTER_PURGE_ARTIFACTS)
    erased = row["sha256"] is None or erase_blob(store, conn, row["sha256"])
    crash_point(CrashPoint.AFTER_PURGE_BLOB)
    conn.execute(_ERASE_ROW, (document_id,))
    for table in ("page_progress", "flags", "decisions", "decision_log", "schema_corrections", "model_answers"):
        conn.execute(f"delete from {table} where document_id = %s", (document_id,))
    _blank_events(conn, row["job_id"], document_id)
    if store.artifacts.attempts(document_id) or (row["sha256"] and erased and store.blobs.exists(row["sha256"])):
        raise StoreUnavailable("data was written again while it was being erased")
    conn.execute("delete from purges where document_id = %s", (document_id,))
    record(conn, Scope(tenant=row["tenant"], org=row["org"]), JANITOR, "document.purged", document_id)


def _blank_events(conn: Connection, job_id: str, document_id: DocumentId) -> None:
    """Remove the file's name from its events; a delivery still under way sends the blanked body."""
    for event in conn.execute("select seq, body from events where job_id = %s", (job_id,)).fetchall():
        body = json.loads(event["body"])
        lines = [line for line in (body, *body.get("documents", ())) if line.get("document_id") == document_id]
        if not any(line["filename"] for line in lines):
            continue
        for line in lines:
            line["filename"] = ""
        frozen = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        conn.execute("update events set body = %s where seq = %s", (frozen, event["seq"]))


def _postpone(store: Store, row: Row) -> None:
    with store.db.transaction() as conn:
        conn.execute(
            "update purges set tries = tries + 1, not_before = clock_timestamp() + %s * interval '1 second' "
            "where document_id = %s",
            (RETRIES.pause_s(row["tries"]), row["document_id"]),
        )

"""Compares SQL with the stores; reports every difference and repairs the harmless ones after a grace time.

Three listings, one diff. Repaired: unreferenced files (crashes leave them). Only reported: anything that SQL refers to
and a store does not have, and counters that do not add up, because those are faults.
"""

import logging
from dataclasses import asdict, dataclass, field

from storage.objects.artifacts import Artifacts
from storage.postgres.database import Row
from storage.store import Store
from storage.upkeep.erase import erase_blob
from storage.values.errors import NotFound
from storage.values.rows import DocumentId

log = logging.getLogger(__name__)
SHOWN = 20  # ids of one kind in a line of the log
REPAIRED = ("orphan_blobs", "orphan_artifacts")
GRACE_S = 3600.0  # seconds for which a difference may be work in progress

_MISCOUNTED = """
select j.id from jobs j join lateral (
  select count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'running') as running,
         count(*) filter (where status = 'succeeded') as succeeded, count(*) filter (where status = 'failed') as failed,
         count(*) filter (where status = 'canceled') as canceled, count(*) as total
  from documents d where d.job_id = j.id) c on true
where (j.n_queued, j.n_running, j.n_succeeded, j.n_failed, j.n_canceled, j.n_total)
   is distinct from (c.queued, c.running, c.succeeded, c.failed, c.canceled, c.total)
order by j.id
"""
_TASKLESS = """
select coalesce(d.id, t.document_id) as id from tasks t full join documents d on d.id = t.document_id
where (d.id is null) or (t.document_id is null and d.status in ('queued', 'running'))
   or (t.document_id is not null and d.status <> t.state) order by 1
"""
_WITH_ORIGINAL = "select id, sha256 from documents where sha256 is not null and deleted_at is null order by id"
_PUBLISHED = """
select id, published_attempt, manifest from documents
where status = 'succeeded' and deleted_at is null and published_attempt is not null order by id
"""


@dataclass(slots=True)
class Differences:
    """Ids or hashes per kind. The first two are repaired on request; the others need an operator."""

    orphan_blobs: list[str] = field(default_factory=list)
    orphan_artifacts: list[str] = field(default_factory=list)
    missing_originals: list[str] = field(default_factory=list)
    missing_artifacts: list[str] = field(default_factory=list)
    miscounted_jobs: list[str] = field(default_factory=list)
    documents_out_of_step: list[str] = field(default_factory=list)


def reconcile(store: Store, *, grace_s: float = GRACE_S, repair: bool = True) -> Differences:
    """Compare all three stores once. Files younger than `grace_s` may belong to running work and are left alone.

    Args:
        store: Stores to compare.
        grace_s: Least age in seconds of a file that counts as orphaned.
        repair: Whether to delete orphaned files.
    """
    differences = Differences()
    differences.orphan_blobs = _orphan_blobs(store, grace_s, repair)
    differences.orphan_artifacts = _orphan_artifacts(store, grace_s, repair)
    differences.missing_originals = [
        row["id"] for row in store.db.fetch_all(_WITH_ORIGINAL) if not store.blobs.exists(row["sha256"])
    ]
    differences.missing_artifacts = [
        row["id"] for row in store.db.fetch_all(_PUBLISHED) if not _is_complete(store.artifacts, row)
    ]
    differences.miscounted_jobs = [row["id"] for row in store.db.fetch_all(_MISCOUNTED)]
    differences.documents_out_of_step = [row["id"] for row in store.db.fetch_all(_TASKLESS)]
    return differences


def reconcile_and_log(store: Store, *, grace_s: float = GRACE_S) -> Differences:
    """Compare once and log the differences, one line per kind, as a warning for kinds that need an operator."""
    differences = reconcile(store, grace_s=grace_s)
    for kind, ids in asdict(differences).items():
        if ids:
            level = logging.INFO if kind in REPAIRED else logging.WARNING
            log.log(level, "reconcile: %d %s: %s", len(ids), kind.replace("_", " "), ", ".join(ids[:SHOWN]))
    return differences


def _orphan_blobs(store: Store, grace_s: float, repair: bool) -> list[str]:
    """Return uploads whose job was never accepted."""
    orphans = []
    for sha256 in store.blobs.list_older(grace_s):
        used = store.db.fetch_one("select 1 from documents where sha256 = %(sha256)s limit 1", {"sha256": sha256})
        if used is None:
            orphans.append(sha256)
            if repair:
                with store.db.transaction() as conn:
                    erase_blob(store, conn, sha256)
    return orphans


def _orphan_artifacts(store: Store, grace_s: float, repair: bool) -> list[str]:
    """Return unpublished attempts: the document is unknown or erased, or has ended with another attempt."""
    orphans = []
    for document_id in store.artifacts.list_older(grace_s):
        row = store.db.fetch_one(
            "select status, published_attempt, deleted_at from documents where id = %(id)s", {"id": document_id}
        )
        for attempt in _unpublished(store.artifacts, document_id, row):
            orphans.append(f"{document_id}/a{attempt}")
            if repair:
                store.artifacts.delete_attempt(document_id, attempt)
    return orphans


def _unpublished(artifacts: Artifacts, document_id: DocumentId, row: Row | None) -> list[int]:
    if row is not None and row["status"] in ("queued", "running"):
        return []
    published = row["published_attempt"] if row is not None and row["deleted_at"] is None else None
    return [attempt for attempt in artifacts.attempts(document_id) if attempt != published]


def _is_complete(artifacts: Artifacts, row: Row) -> bool:
    try:
        return all(
            len(artifacts.read(DocumentId(row["id"]), row["published_attempt"], name)) == facts["bytes"]
            for name, facts in (row["manifest"] or {}).items()
        )
    except NotFound:
        return False

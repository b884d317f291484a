"""Compares SQL with the stores; reports every difference and repairs the harmless ones after a grace time.

Three listings, one diff. Repaired: unreferenced files (crashes leave them) go to quarantine and are deleted a week
later; files that SQL refers to come back from there. Only reported: anything else that SQL refers to and a store does
not have, and counters that do not add up, because those are faults. If the database may be the wrong one, nothing is
moved.
"""

import hashlib
import logging
from dataclasses import asdict, dataclass, field
from io import BufferedReader
from typing import cast

from quire.storage.objects.artifacts import Artifacts
from quire.storage.postgres.database import Row
from quire.storage.store import Store
from quire.storage.upkeep.deployment import WrongStore, advance_tick, check_stores
from quire.storage.upkeep.erase import erase_blob
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId

log = logging.getLogger(__name__)
SHOWN = 20  # ids of one kind in a line of the log
REPAIRED = ("orphan_blobs", "orphan_artifacts")
GRACE_S = 3600.0  # seconds for which a difference may be work in progress
QUARANTINE_S = 7 * 86_400.0  # seconds for which an unreferenced file can come back
MOST_SHARE, FEW = 0.02, 10
"""Largest share of the files that one run moves, and the number that is always allowed. More means a lost database."""

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
    damaged_originals: list[str] = field(default_factory=list)
    missing_artifacts: list[str] = field(default_factory=list)
    miscounted_jobs: list[str] = field(default_factory=list)
    documents_out_of_step: list[str] = field(default_factory=list)
    not_repaired: list[str] = field(default_factory=list)
    """The reason, with its code, if unreferenced files stayed where they are."""


def reconcile(
    store: Store, *, grace_s: float = GRACE_S, repair: bool = True, adopt: bool = False, deep: bool = False
) -> Differences:
    """Compare all three stores once. Files younger than `grace_s` may belong to running work and are left alone.

    Args:
        store: Stores to compare.
        grace_s: Least age in seconds of a file that counts as orphaned.
        repair: Whether to move orphaned files to quarantine, bring needed ones back, and delete those of a week ago.
        deep: Whether to compare the hashes of all originals and derived files too, which reads every byte.
        adopt: Whether an operator has decided that the database is right, however many files it does not know.
    """
    differences = Differences()
    blobs, documents = list(store.blobs.list_older(grace_s)), list(store.artifacts.list_older(grace_s))
    attempts = _unpublished_attempts(store, documents)
    differences.orphan_blobs = [sha256 for sha256 in blobs if not _is_used(store, sha256)]
    differences.orphan_artifacts = [f"{document_id}/a{attempt}" for document_id, attempt, _ in attempts]
    try:
        check_stores(store.db, store.marked)
        if not adopt:
            _check_share(store, differences, len(blobs) + len(documents), grace_s)
    except WrongStore as error:
        differences.not_repaired.append(str(error))
    else:
        if repair:
            _repair(store, differences.orphan_blobs, attempts)
    restore = repair and not differences.not_repaired
    differences.missing_originals = [
        row["id"]
        for row in store.db.fetch_all(_WITH_ORIGINAL)
        if not store.blobs.exists(row["sha256"]) and not (restore and store.blobs.release(row["sha256"]))
    ]
    if deep:
        missing = set(differences.missing_originals)
        differences.damaged_originals = [
            row["id"]
            for row in store.db.fetch_all(_WITH_ORIGINAL)
            if row["id"] not in missing and not _is_whole(store, row["sha256"])
        ]
    differences.missing_artifacts = [
        row["id"]
        for row in store.db.fetch_all(_PUBLISHED)
        if not _is_complete(store.artifacts, row, restore=restore, deep=deep)
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


def _check_share(store: Store, differences: Differences, files: int, grace_s: float) -> None:
    """Raise `WrongStore` if the unreferenced files are older than the database, or too many of all."""
    orphans = len(differences.orphan_blobs) + len(differences.orphan_artifacts)
    if not orphans:
        return
    row = store.db.fetch_one("select extract(epoch from clock_timestamp() - created_at) as age_s from deployment")
    age_s = max(grace_s, float(row["age_s"]) if row else 0.0)
    older = set(store.blobs.list_older(age_s)) & set(differences.orphan_blobs)
    older |= set(store.artifacts.list_older(age_s)) & {name.partition("/")[0] for name in differences.orphan_artifacts}
    if older:
        raise WrongStore(
            "database-younger",
            f"{len(older)} unreferenced files are older than the database, so it may be a new one beside them. Bring "
            "their database back, or run `quire reconcile --adopt` to move them to quarantine",
        )
    if orphans > max(FEW, MOST_SHARE * files):
        raise WrongStore(
            "too-many-orphans",
            f"the database does not know {orphans} of {files} files, so it may be an older copy. Bring the newer one "
            "back, or run `quire reconcile --adopt` to move them to quarantine",
        )


def _repair(store: Store, orphans: list[str], attempts: list[tuple[DocumentId, int, bool]]) -> None:
    """Move orphaned files to quarantine, except those of erased documents, and delete those of a week ago."""
    advance_tick(store.db, store.marked)
    for sha256 in orphans:
        with store.db.transaction() as conn:
            erase_blob(store, conn, sha256, keep_for_now=True)
    for document_id, attempt, is_erased in attempts:
        (store.artifacts.delete_attempt if is_erased else store.artifacts.quarantine)(document_id, attempt)
    store.blobs.empty_quarantine(QUARANTINE_S)
    store.artifacts.empty_quarantine(QUARANTINE_S)


def _is_used(store: Store, sha256: str) -> bool:
    """Return whether a document has this original; an upload whose job was never accepted has none."""
    row = store.db.fetch_one("select 1 from documents where sha256 = %(sha256)s limit 1", {"sha256": sha256})
    return row is not None


def _unpublished_attempts(store: Store, documents: list[DocumentId]) -> list[tuple[DocumentId, int, bool]]:
    """Return attempts that no document publishes, each with whether its document is known to be erased."""
    unpublished = []
    for document_id in documents:
        row = store.db.fetch_one(
            "select status, published_attempt, deleted_at from documents where id = %(id)s", {"id": document_id}
        )
        is_erased = row is not None and row["deleted_at"] is not None
        unpublished += [
            (document_id, attempt, is_erased) for attempt in _unpublished(store.artifacts, document_id, row)
        ]
    return unpublished


def _unpublished(artifacts: Artifacts, document_id: DocumentId, row: Row | None) -> list[int]:
    if row is not None and row["status"] in ("queued", "running"):
        return []
    published = row["published_attempt"] if row is not None and row["deleted_at"] is None else None
    return [attempt for attempt in artifacts.attempts(document_id) if attempt != published]


def _is_whole(store: Store, sha256: str) -> bool:
    try:
        with store.blobs.open(sha256) as file:
            return hashlib.file_digest(cast(BufferedReader, file), "sha256").hexdigest() == sha256
    except NotFound:
        return True  # deleted since it was listed


def _fits(stored: bytes, facts: Row, *, deep: bool) -> bool:
    return len(stored) == facts["bytes"] and (not deep or hashlib.sha256(stored).hexdigest() == facts["sha256"])


def _is_complete(artifacts: Artifacts, row: Row, *, restore: bool, deep: bool) -> bool:
    document_id, attempt = DocumentId(row["id"]), row["published_attempt"]
    try:
        return all(
            _fits(artifacts.read(document_id, attempt, name), facts, deep=deep)
            for name, facts in (row["manifest"] or {}).items()
        )
    except NotFound:
        return (
            restore
            and attempt not in artifacts.attempts(document_id)
            and artifacts.release(document_id, attempt)
            and _is_complete(artifacts, row, restore=False, deep=deep)
        )

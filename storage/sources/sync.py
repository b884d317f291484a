"""Delta sync: compares a listing with the last one; new and changed files become jobs, missing ones are deleted.

Order and crash safety: originals first, then one transaction per batch of at most 200 for job, known files and retired
documents, fenced by the source's lease. A crash anywhere leaves whole batches, and the next sync does the rest.
A requested sync (`sources.request_sync`) stays pending until it ended, well or with an error. Any process that sees a
pending sync that is not running begins it again.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from psycopg.types.json import Jsonb

from quire.models.cdom.original import ReadOptions, clean_name
from quire.storage.access.audit import record
from quire.storage.jobs.intake import Submission, submit_job
from quire.storage.objects.blobs import Blobs
from quire.storage.postgres.database import Connection, Database, Row
from quire.storage.queue.disk_cap import DiskFull, kept_bytes
from quire.storage.sources.connectors.contract import Connector, Listed, Skipped
from quire.storage.sources.gate import SourceGate
from quire.storage.sources.removed_files import delete_retired
from quire.storage.sources.sources import OWN, RegisteredSource, own, retire, tenants_of_keys, to_source
from quire.storage.store import Store
from quire.storage.values.errors import Conflict, LostLease, NotFound, StorageError
from quire.storage.values.rows import Actor, JobRow, NewDocument, PageQuota, Scope, StoredBlob
from quire.storage.values.states import Priority

BATCH = 200  # files that become one job
LEASE_S = 120  # seconds a sync may be silent before another may take it over
MAX_SKIPPED_SHOWN = 100  # skipped files named in a report; the rest are counted
_HOLD_EVERY_S = 20.0  # seconds between renewals of the lease: six fit into one
COPIES = 16  # files copied in parallel: each waits for the disk or the bucket nearly all of its time
_LOOK_S = 0.2  # seconds between two checks whether the sync must stop

_LEASE = f"""
update sources set fence = fence + 1, synced_at = clock_timestamp(),
  lease_until = clock_timestamp() + {LEASE_S} * interval '1 second'
where id = %(id)s and {OWN} and (lease_until is null or lease_until < clock_timestamp()) returning *
"""
_HOLD = f"""
update sources set lease_until = clock_timestamp() + {LEASE_S} * interval '1 second'
where id = %(id)s and fence = %(fence)s returning id
"""
_KEEP = """
insert into source_files (source_id, path, mark, sha256, document_id)
select %(id)s, * from unnest(%(paths)s::text[], %(marks)s::text[], %(hashes)s::text[], %(documents)s::text[])
on conflict (source_id, path) do update
  set mark = excluded.mark, sha256 = excluded.sha256, document_id = excluded.document_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Reading and charging of a sync's documents. `cap_bytes`: most bytes the organisation may store; 0 = no cap."""

    options: ReadOptions
    quota: PageQuota
    cap_bytes: int = 0
    stopped: Callable[[], bool] = lambda: False
    """Called between files; True if this process is about to end."""


class SyncStopped(StorageError):
    """The syncing process ends; the sync stays pending."""

    code = "sync-stopped"


@dataclass(slots=True, kw_only=True)
class SyncReport:
    """Result of one sync; `skipped` holds path and reason."""

    source_id: str
    job_ids: list[str] = field(default_factory=list)
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: list[dict[str, str]] = field(default_factory=list)
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    finished_at: datetime | None = None

    def skip(self, path: str, reason: str) -> None:
        """Add a skipped file, up to MAX_SKIPPED_SHOWN of them."""
        if len(self.skipped) < MAX_SKIPPED_SHOWN:
            self.skipped.append({"path": path, "reason": reason})


def sync_source(
    store: Store, gate: SourceGate, scope: Scope, actor: Actor, source_id: str, reading: Reading
) -> SyncReport:
    """Sync one source and return the report.

    Raises NotFound, Conflict (a sync is running), SourceRefused, SourceUnavailable, QuotaExceeded, LostLease,
    SyncStopped.
    """
    params = own(scope, id=source_id)
    with store.db.transaction() as conn:
        row = conn.execute(_LEASE, params).fetchone()
    if row is None:
        if store.db.fetch_one(f"select 1 from sources where {OWN} and id = %(id)s", params):
            raise Conflict("this source is being synced")
        raise NotFound("no such source")
    source, fence = to_source(row), int(row["fence"])
    is_pending, error = False, None
    try:
        connector = gate.connect(source.kind, source.location, scope.tenant, tenants_of_keys(store.db))
        return _Sync(store, gate, source, fence, actor, reading).run(connector)
    except SyncStopped:
        is_pending = True
        raise
    except Exception as failure:
        error = getattr(failure, "code", "internal")
        raise
    finally:
        _release(store.db, source_id, fence, is_pending=is_pending, error=error)


def _release(db: Database, source_id: str, fence: int, *, is_pending: bool, error: str | None) -> None:
    with db.transaction() as conn:
        conn.execute(
            """update sources set lease_until = null, sync_error = %(error)s,
                 wanted_at = case when %(wanted)s then coalesce(wanted_at, clock_timestamp()) end
               where id = %(id)s and fence = %(fence)s""",
            {"id": source_id, "fence": fence, "wanted": is_pending, "error": error},
        )


def due_sources(db: Database) -> list[RegisteredSource]:
    """Return sources with a pending or scheduled sync that no process is syncing now."""
    rows = db.fetch_all(
        """select * from sources where (lease_until is null or lease_until < clock_timestamp())
           and (wanted_at is not null or synced_at is null and every_minutes is not null
             or synced_at < clock_timestamp() - every_minutes * interval '1 minute')
           order by wanted_at, synced_at nulls first limit 20"""
    )
    return [to_source(row) for row in rows]


@dataclass(slots=True)
class _Fresh:
    """A file with stored content that the source did not have at its last sync."""

    listed: Listed
    document: NewDocument


class _Sync:
    """State of one sync run, guarded by its fencing token."""

    def __init__(
        self, store: Store, gate: SourceGate, source: RegisteredSource, fence: int, actor: Actor, reading: Reading
    ) -> None:
        self._store, self._gate, self._source, self._fence = store, gate, source, fence
        self._actor, self._reading = actor, reading
        self._report = SyncReport(source_id=source.id)
        self._held_at = time.monotonic()
        self._room = math.inf

    def run(self, connector: Connector) -> SyncReport:
        delete_retired(self._store.db, self._source.id)
        known = self._known()
        listing = connector.list_files()
        selected = {file.path: file for file in listing.files if self._wants(file.path)}
        for path, reason in listing.skipped:
            self._report.skip(path, reason)
        moved = [
            file for path, file in sorted(selected.items()) if path not in known or known[path]["mark"] != file.mark
        ]
        self._report.unchanged = len(selected) - len(moved)
        for start in range(0, len(moved), BATCH):
            self._take(connector, moved[start : start + BATCH], known)
        if listing.complete:
            self._remove(sorted(known.keys() - selected.keys()))
        delete_retired(self._store.db, self._source.id)
        self._finish()
        return self._report

    def _known(self) -> dict[str, Row]:
        rows = self._store.db.fetch_all(
            "select path, mark, sha256 from source_files where source_id = %(id)s", {"id": self._source.id}
        )
        return {row["path"]: row for row in rows}

    def _wants(self, path: str) -> bool:
        include, exclude = self._source.include, self._source.exclude
        if include and not any(fnmatchcase(path, pattern) for pattern in include):
            return False
        return not any(fnmatchcase(path, pattern) for pattern in exclude)

    def _take(self, connector: Connector, files: Sequence[Listed], known: dict[str, Row]) -> None:
        fresh: list[_Fresh] = []
        same: list[Listed] = []
        self._room = self._room_left()
        for file, document in self._copy_all(connector, [file for file in files if self._accepts(file)]):
            if file.path in known and known[file.path]["sha256"] == document.blob.sha256:
                same.append(file)
            else:
                fresh.append(_Fresh(file, document))
        self._report.unchanged += len(same)
        if same:
            with self._store.db.transaction() as conn:
                self._hold(conn)
                self._touch(conn, same)
        if fresh:
            self._submit(fresh, known)

    def _copy_all(self, connector: Connector, files: Sequence[Listed]) -> Iterator[tuple[Listed, NewDocument]]:
        """Yield files that could be copied, in order, with their stored originals; the lease is renewed meanwhile."""
        with ThreadPoolExecutor(COPIES, thread_name_prefix="sync") as threads:
            copies = [threads.submit(_copy, self._store.blobs, connector, file) for file in files]
            try:
                for file, copy in zip(files, copies, strict=True):
                    blob = self._await(copy)
                    if isinstance(blob, str):
                        self._report.skip(file.path, blob)
                        continue
                    name = clean_name(file.path.rsplit("/", 1)[-1])
                    principals = self._principals_of(file.path)
                    yield file, NewDocument(name=name, blob=blob, options=self._reading.options, principals=principals)
            finally:
                threads.shutdown(wait=True, cancel_futures=True)

    def _principals_of(self, path: str) -> tuple[str, ...] | None:
        """Return the principals of the first rule that matches the path, or None for all callers."""
        rules = (rule.principals for rule in self._source.access if fnmatchcase(path, rule.match))
        return next(rules, None)

    def _await(self, copy: "Future[StoredBlob | str]") -> StoredBlob | str:
        """Wait for one copy while renewing the lease and checking for a stop request."""
        while True:
            if self._reading.stopped():
                raise SyncStopped
            if time.monotonic() - self._held_at > _HOLD_EVERY_S:
                with self._store.db.transaction() as conn:
                    self._hold(conn)
            try:
                return copy.result(_LOOK_S)
            except TimeoutError:
                if copy.done():  # the copy's own
                    raise

    def _accepts(self, file: Listed) -> bool:
        """Return whether this file is copied, by its listing, and count its bytes."""
        if reason := self._find_skip_reason(file):
            self._report.skip(file.path, reason)
            return False
        self._room -= file.bytes
        return True

    def _find_skip_reason(self, file: Listed) -> str | None:
        """Return the reason for skipping this file by its listing, or None."""
        if file.bytes == 0:
            return "empty"
        if file.bytes > self._gate.max_bytes:
            return "too-large"
        return DiskFull.code if file.bytes > self._room else None

    def _room_left(self) -> float:
        """Return the bytes the organisation may still add; a replaced file counts until it is deleted."""
        cap = self._reading.cap_bytes
        if not cap:
            return math.inf
        return cap - self._store.db.read(lambda conn: kept_bytes(conn, self._source.scope))

    def _submit(self, fresh: Sequence[_Fresh], known: dict[str, Row]) -> None:
        def note(conn: Connection, job: JobRow) -> None:
            self._hold(conn)
            documents = [document.id for document in job.documents]
            retire(conn, self._source.scope, self._source.id, [item.listed.path for item in fresh], documents)
            self._keep(conn, fresh, documents)

        job = submit_job(
            self._store,
            self._source.scope,
            self._actor,
            Submission(
                [item.document for item in fresh], priority=Priority.SYNC, quota=self._reading.quota, kind="sync"
            ),
            note,
        )
        changed = sum(item.listed.path in known for item in fresh)
        self._report.changed += changed
        self._report.added += len(fresh) - changed
        self._report.job_ids.append(job.id)

    def _keep(self, conn: Connection, fresh: Sequence[_Fresh], documents: Sequence[str]) -> None:
        params: dict[str, Any] = {"id": self._source.id, "paths": [item.listed.path for item in fresh]}
        params |= {"marks": [item.listed.mark for item in fresh], "documents": list(documents)}
        conn.execute(_KEEP, params | {"hashes": [item.document.blob.sha256 for item in fresh]})

    def _touch(self, conn: Connection, files: Sequence[Listed]) -> None:
        conn.execute(
            """update source_files f set mark = t.mark from unnest(%s::text[], %s::text[]) as t(path, mark)
               where f.source_id = %s and f.path = t.path""",
            ([file.path for file in files], [file.mark for file in files], self._source.id),
        )

    def _remove(self, paths: Sequence[str]) -> None:
        if not paths:
            return
        with self._store.db.transaction() as conn:
            self._hold(conn)
            retire(conn, self._source.scope, self._source.id, paths)
            conn.execute(
                "delete from source_files where source_id = %s and path = any(%s)", (self._source.id, list(paths))
            )
        self._report.removed = len(paths)

    def _hold(self, conn: Connection) -> None:
        """Renew the lease; raise LostLease if another sync took over or the source is gone."""
        if conn.execute(_HOLD, {"id": self._source.id, "fence": self._fence}).fetchone() is None:
            raise LostLease("another process is syncing the source")
        self._held_at = time.monotonic()

    def _finish(self) -> None:
        self._report.finished_at = datetime.now(UTC)
        facts = {
            name: value.isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value
            for name, value in asdict(self._report).items()
        }
        with self._store.db.transaction() as conn:
            self._hold(conn)
            conn.execute("update sources set last_sync = %s where id = %s", (Jsonb(facts), self._source.id))
            record(conn, self._source.scope, self._actor, "source.synced", self._source.id)


def _copy(blobs: Blobs, connector: Connector, file: Listed) -> StoredBlob | str:
    """Return the stored original, or the reason for skipping this file."""
    writer = blobs.new_writer()
    try:
        connector.copy(file, writer)
        return writer.commit()
    except Skipped as skipped:
        writer.abort()
        return skipped.code
    except BaseException:
        writer.abort()
        raise

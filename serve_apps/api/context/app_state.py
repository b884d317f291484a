"""State of one running app in addition to its resources: thread lanes, waiters, licence and key watches."""

import asyncio
import time
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import pyarrow as pa
from fastapi import FastAPI

from quire.models.export.tables.catalog import CatalogTable
from quire.serve_apps.access.addresses import read_networks, true_address
from quire.serve_apps.access.failed_auth_limiter import BURST, PER_MINUTE, FailedAuthLimiter
from quire.serve_apps.access.stored_keys import keys_in_force
from quire.serve_apps.api.context.denial_audit import DenialAudit
from quire.serve_apps.api.context.drawn_pictures import DrawnPictures
from quire.serve_apps.api.context.ephemeral_slots import EphemeralSlots
from quire.serve_apps.api.context.job_answers import JobAnswers
from quire.serve_apps.api.context.kept import KeptValues
from quire.serve_apps.api.context.limited_work import LimitedWork
from quire.serve_apps.api.context.parsed_trees import ParsedTrees
from quire.serve_apps.api.context.rate_limit import CallerRateLimit
from quire.serve_apps.api.context.redaction_scans import RedactionScans
from quire.serve_apps.api.context.resources import Resources
from quire.serve_apps.api.context.syncing import Syncing
from quire.serve_apps.api.context.waiting import JobWaiters
from quire.serve_apps.api.http.cached import Cached
from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.serve_apps.api.lanes.fair_places import FairPlaces, Overloaded
from quire.storage.access.api_keys import StoredKey, list_keys, record_key_uses
from quire.storage.access.rate_limits import take
from quire.storage.postgres.notices import KEYS
from quire.storage.queue.usage import check_clock
from quire.storage.sources.gate import SourceGate
from quire.storage.targets.opening import CHECK_TIMEOUT_S
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import DocumentId

_SQL_THREADS = 4  # as many as the pool has connections
_DOWNLOADS, _MOST_DOWNLOADS = 8, 64
"""Files fetched by address at once, and those of one tenant that wait: each takes as long as the other side does."""
_DISK_THREADS = 8  # threads for disks and writing, apart from those that read SQL
_INGEST_THREADS, _MOST_INGESTS = 4, 64
"""Ingests being stored and indexed, and those of one tenant that wait: each waits for its vectors, minutes for a book,
and must not hold a thread that answers others."""
_QUERY_THREADS = 2  # SQL queries at once, each with a process
_STREAM_THREADS, _MOST_STREAMS = 4, 1024
"""Parts of archives, exports and originals made at once. Each stream waits for one part: none is refused once begun."""
_CHECK_THREADS, _MOST_CHECKS = 8, 8  # checks of targets, one of each tenant, and those of one tenant that wait
_SANDBOX_PLACES, _MOST_SANDBOX_CALLS = 2, 128
"""Calls to the sandbox that draws or to the one that redacts, of which each does one at a time, and those waiting."""
_SEARCHES, _MOST_SEARCHES = 16, 256  # searches at the searcher, and those of one tenant that wait
_MODEL_THREADS, _MOST_MODEL_CALLS = 8, 32  # documents that a language model is asked about, and one tenant's waiting
_MODEL_S = 2_400.0  # seconds for all requests about one document; the app does not wait for them when it stops
_KEPT_CELLS_BYTES = 64 << 20  # table cells kept for queries, in Arrow form: about half a million
_KEPT_CATALOG_BYTES = 8 << 20  # tables listed for queries, as JSON: about five thousand
_MOST_HEAVY = 16  # derivations of hostile size, or queries, of one tenant that wait; more are refused
_LICENSE_WATCH_S = 10.0  # seconds until a renewed licence is in force
_KEYS_WATCH_S = 2.0  # seconds until a new or revoked key is known when no notice comes
_KEY_USES_S = 60.0  # seconds between two records of last uses
_REMEMBER_METRICS_S = 5.0  # seconds an answer of /metrics is kept: scrapers ask every fifteen
_REMEMBER_HEALTH_S = 1.0  # open to callers without a key, so a flood costs one look a second


class AppState:
    """State of one app, created at its start and closed at its end."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.sql = Bulkhead("sql", _SQL_THREADS, timeout_s=resources.limits.read_timeout_s)
        self.disk = Bulkhead("disk", _DISK_THREADS)
        self.ingests = Bulkhead("ingest", _INGEST_THREADS, most_waiting=_MOST_INGESTS)
        self.heavy = Bulkhead("heavy", resources.work_limits.at_once, most_waiting=_MOST_HEAVY)
        self.queries = Bulkhead("query", _QUERY_THREADS, most_waiting=_MOST_HEAVY)
        self.streams = Bulkhead("stream", _STREAM_THREADS, most_waiting=_MOST_STREAMS)
        self.downloads = Bulkhead("download", _DOWNLOADS, most_waiting=_MOST_DOWNLOADS)
        self.checks = Bulkhead(
            "check", _CHECK_THREADS, most_waiting=_MOST_CHECKS, most_held=1, run_timeout_s=CHECK_TIMEOUT_S
        )
        self.models = Bulkhead("model", _MODEL_THREADS, timeout_s=_MODEL_S, most_waiting=_MOST_MODEL_CALLS)
        self.drawing = FairPlaces(_SANDBOX_PLACES, most_waiting=_MOST_SANDBOX_CALLS)
        self.redacting = FairPlaces(_SANDBOX_PLACES, most_waiting=_MOST_SANDBOX_CALLS)
        self.searching = FairPlaces(_SEARCHES, most_waiting=_MOST_SEARCHES)
        self.work = LimitedWork(resources.work_limits)
        self.deep_health: Cached[dict[str, Any]] = Cached(_REMEMBER_HEALTH_S)
        self.job_answers = JobAnswers(resources.store.db, self.sql)
        self.trees = ParsedTrees()
        self.cells = KeptValues[tuple[DocumentId, int], pa.RecordBatch](_KEPT_CELLS_BYTES)
        self.catalogs = KeptValues[tuple[DocumentId, int], tuple[CatalogTable, ...]](_KEPT_CATALOG_BYTES)
        self.scans = RedactionScans(resources.store, self.trees, resources.redaction_scan)
        self.drawn = DrawnPictures()
        self.ephemeral = EphemeralSlots()
        self.rate_limit = CallerRateLimit(partial(take, resources.store.db), self.sql, resources.limits.rate_limit_rpm)
        self._proxies = read_networks(resources.limits.trusted_proxies)
        self.failed_auth = FailedAuthLimiter(self._take_failed_auth)
        self.metrics: Cached[bytes] = Cached(_REMEMBER_METRICS_S)
        self.source_gate = resources.source_gate or SourceGate(workdir=resources.store.workdir)
        self.syncs = Syncing()
        self._configured_keys, self._stored_keys = tuple(resources.keys), list[StoredKey]()
        self.denials = DenialAudit(resources.store.db, self.disk)
        self._keys_changed, self._key_uses_due = asyncio.Event(), 0.0
        self.waiters = JobWaiters(resources.dsn, resources.limits.max_waiters, {KEYS: self._keys_changed.set})

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Listen for notifications and watch keys and the licence while the app serves."""
        await self._load_keys()
        watches = [asyncio.create_task(watch) for watch in (self._watch_license(), self._watch_keys())]
        try:
            async with self.waiters.listening():
                yield
        finally:
            for watch in watches:
                watch.cancel()
                with suppress(asyncio.CancelledError):
                    await watch
            self.syncs.close()
            for lane in (self.sql, self.disk, self.ingests, self.heavy, self.queries, self.streams, self.downloads):
                lane.close()
            self.checks.close()
            self.models.close()
            self.scans.close()
            self.resources.tracing.close()

    def true_address(self, scope: MutableMapping[str, Any]) -> str | None:
        """Return the caller's address, also behind trusted proxies; None if it is unknown or limits are off."""
        limits, client = self.resources.limits, scope.get("client")
        if not limits.rate_limit_rpm or not client:
            return None
        forwarded = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
        return true_address(client[0], forwarded, self._proxies)

    async def _take_failed_auth(self, bucket: str) -> float:
        """Count a refused key and return the seconds to wait; 0.0 while the database does not answer."""
        with suppress(StorageError, Overloaded):
            return await self.sql.run(take, self.resources.store.db, bucket, PER_MINUTE, BURST)
        return 0.0

    async def _watch_keys(self) -> None:
        """Load added and revoked keys without a restart: on a notification, or else every two seconds."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_KEYS_WATCH_S):
                    await self._keys_changed.wait()
            self._keys_changed.clear()
            await self._load_keys()
            await self._record_key_uses()

    async def _load_keys(self) -> None:
        with suppress(StorageError, Overloaded):
            stored = await self.sql.run(list_keys, self.resources.store.db)
            if stored != self._stored_keys:
                self._stored_keys = stored
                self.resources.keys.replace(keys_in_force(self._configured_keys, stored))

    async def _record_key_uses(self) -> None:
        """Store when keys were last used, once a minute."""
        if time.monotonic() < self._key_uses_due:
            return
        self._key_uses_due = time.monotonic() + _KEY_USES_S
        if uses := self.resources.keys.take_uses():
            with suppress(StorageError, Overloaded):
                await self.sql.run(record_key_uses, self.resources.store.db, uses)

    async def _watch_license(self) -> None:
        """Load a renewed token and record the highest database time, without a restart."""
        while True:
            with suppress(StorageError):
                self.resources.license.observe(await self.sql.run(check_clock, self.resources.store.db))
            await self.disk.run(self.resources.license.refresh)
            await asyncio.sleep(_LICENSE_WATCH_S)

"""What one running app holds beside its resources: threads for blocking work, those who wait, the licence's watch."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import FastAPI

from serve_apps.api.ephemeral_lane import EphemeralLane
from serve_apps.api.job_answers import JobAnswers
from serve_apps.api.lanes import Lane
from serve_apps.api.parsed_trees import ParsedTrees
from serve_apps.api.refusal_trail import RefusalTrail
from serve_apps.api.remembered import Remembered
from serve_apps.api.resources import Resources
from serve_apps.api.waiting import JobWaiters
from storage.errors import StorageError
from storage.usage import check_clock

_SQL_THREADS = 4  # as many as the pool has connections
_DISK_THREADS = 8
_LICENSE_WATCH_S = 10.0
_REMEMBER_HEALTH_S = 1.0  # open to callers without a key, so a flood costs one look a second


class Running:
    """One per app, alive from its start to its end."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.sql = Lane("sql", _SQL_THREADS, timeout_s=resources.limits.read_timeout_s)
        self.disk = Lane("disk", _DISK_THREADS)
        self.deep_health: Remembered[dict[str, Any]] = Remembered(_REMEMBER_HEALTH_S)
        self.job_answers = JobAnswers(resources.store.db, self.sql)
        self.trees = ParsedTrees()
        self.ephemeral = EphemeralLane()
        self.refusals = RefusalTrail(resources.store.db, self.disk)
        self.waiters = JobWaiters(resources.dsn, resources.limits.max_waiters)

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Listens and watches while the app serves."""
        watch = asyncio.create_task(self._watch_license())
        try:
            async with self.waiters.listening():
                yield
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
            self.sql.close()
            self.disk.close()

    async def _watch_license(self) -> None:
        """A renewed token is taken and the database's highest time is noted, without a restart."""
        while True:
            with suppress(StorageError):
                self.resources.license.observe(await self.sql.run(check_clock, self.resources.store.db))
            await self.disk.run(self.resources.license.refresh)
            await asyncio.sleep(_LICENSE_WATCH_S)

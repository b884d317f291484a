"""State of one running console in addition to its resources: the engine's client, thread lanes, loops."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import FastAPI

from quire.serve_apps.api.context.rate_limit import CallerRateLimit
from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.serve_apps.console.context.engine import EngineClient
from quire.serve_apps.console.context.resources import ConsoleResources
from quire.serve_apps.console.context.spool import Spool

T = TypeVar("T")
_SPOOL_KEPT_S = 3600.0  # seconds after which a file of a crashed upload is removed at a start
_DRAIN_S = 10.0  # seconds for loops to end


class ConsoleState:
    """State of one app, created at its start and closed at its end."""

    def __init__(self, resources: ConsoleResources) -> None:
        self.resources, self.db = resources, resources.database
        self.engine = EngineClient(resources.engine_url, resources.engine_key, resources.limits.engine_timeout_s)
        self.spool = Spool(resources.spool)
        self.sql = Bulkhead("console-sql", 4, timeout_s=resources.limits.read_timeout_s)
        self.rates = CallerRateLimit(self.db.take, self.sql, resources.limits.rate_limit_rpm)
        self.disk = Bulkhead("console-disk", 8)
        self.passwords = Bulkhead("console-passwords", 2, most_waiting=32)
        self._tasks: set[asyncio.Task[Any]] = set()

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the work's result. The work continues if its caller goes away."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    @asynccontextmanager
    async def lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        """Run the loops while the app serves."""
        await self.disk.run(self.spool.sweep, _SPOOL_KEPT_S)
        for worker in self.resources.workers:
            worker.start()
        try:
            yield
        finally:
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=_DRAIN_S)
            for worker in self.resources.workers:
                await asyncio.to_thread(worker.drain, _DRAIN_S)
            await self.engine.close()
            for lane in (self.sql, self.disk, self.passwords):
                lane.close()
            if self.resources.close is not None:
                self.resources.close()

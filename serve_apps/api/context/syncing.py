"""Syncs that callers requested, run in separate threads: a sync continues when its caller stops waiting.

A sync that this process cannot finish stays requested in the database, and the janitor runs it.
"""

import asyncio
import threading
from collections.abc import Callable

from quire.serve_apps.api.lanes.bulkhead import Bulkhead
from quire.storage.sources.sync import SyncReport

_THREADS = 4  # running syncs in one process: each walks a disk or bucket
_WAITING = 64  # waiting syncs before further ones are refused


class Syncing:
    """Runs requested syncs; one per app."""

    def __init__(self) -> None:
        self._lane = Bulkhead("sync", _THREADS, most_waiting=_WAITING)
        self._stop = threading.Event()
        self._running: set[asyncio.Task[SyncReport]] = set()

    def begin(self, sync: Callable[[], SyncReport]) -> asyncio.Task[SyncReport]:
        """Start the sync as a task that continues when its caller goes away.

        The task raises `Overloaded` if the lane was full and nothing was started.
        """
        task = asyncio.create_task(self._lane.run(sync))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def stopped(self) -> bool:
        """Return whether syncs should end early."""
        return self._stop.is_set()

    def close(self) -> None:
        """Stop running syncs at their next file and close the lane."""
        self._stop.set()
        self._lane.close()

    def _ended(self, task: asyncio.Task[SyncReport]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # retrieve the exception, because the caller may have gone away

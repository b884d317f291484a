"""Syncs that callers asked for, in threads of their own: a caller waits for as long as it likes, the sync goes on.

A sync this process cannot finish stays wanted in the database, and the janitor does it.
"""

import asyncio
import threading
from collections.abc import Callable

from serve_apps.api.http.bulkhead import Bulkhead
from storage.sources.sync import SyncReport

_THREADS = 4  # syncs in course in one process: each walks a disk or bucket
_WAITING = 64  # syncs asked for and not begun before more are refused


class Syncing:
    """One per app."""

    def __init__(self) -> None:
        self._lane = Bulkhead("sync", _THREADS, max_waiting=_WAITING)
        self._stop = threading.Event()
        self._running: set[asyncio.Task[SyncReport]] = set()

    def begin(self, sync: Callable[[], SyncReport]) -> asyncio.Task[SyncReport]:
        """The sync as a task that no caller's end ends. Its result may be `Overloaded`: then nothing was begun."""
        task = asyncio.create_task(self._lane.run(sync))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def stopped(self) -> bool:
        """Whether syncs are to end early."""
        return self._stop.is_set()

    def close(self) -> None:
        """What runs ends at its next file."""
        self._stop.set()
        self._lane.close()

    def _ended(self, task: asyncio.Task[SyncReport]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # looked at: nobody may be waiting for it any more

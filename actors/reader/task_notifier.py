"""Wakes an idle reader when a task was queued: a LISTEN connection in a separate thread, and a jittered poll.

A notification may be lost at any time; the poll then finds the work.
"""

import asyncio
import contextlib
import logging
import random
import threading
from collections.abc import AsyncIterator, Callable

log = logging.getLogger(__name__)
POLL_S = 1.0  # seconds an idle reader sleeps when no notice comes: what a lost notice costs

Listen = Callable[[], AsyncIterator[tuple[str, str]]]


class TaskNotifier:
    """Waits for a notification or about a second; notifications between two waits are not lost."""

    def __init__(self, listen: Listen, *, poll_s: float = POLL_S) -> None:
        self._listen, self._poll_s = listen, poll_s
        self._hint = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="task-notifier", daemon=True)

    def start(self) -> None:
        """Start the listening thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the listening thread, waiting at most 5 s."""
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended
                self._loop.call_soon_threadsafe(self._task.cancel)
        self.wake()
        self._thread.join(timeout=5)

    def wait(self) -> None:
        """Wait for a notification, or about one poll interval."""
        self._hint.wait(self._poll_s * random.uniform(0.5, 1.0))  # noqa: S311
        self._hint.clear()

    def wake(self) -> None:
        """End the current or the next wait."""
        self._hint.set()

    def _run(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._listen_forever())

    async def _listen_forever(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        while True:
            try:
                async for _ in self._listen():
                    self._hint.set()
            except Exception:  # an error of listening must not end the reader: the poll continues
                log.warning("listening for tasks failed", exc_info=True)
            await asyncio.sleep(self._poll_s)

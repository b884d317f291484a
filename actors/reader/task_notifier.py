"""Wakes an idle reader when something was queued: a LISTEN connection in a thread of its own, over a jittered poll.

In come notifications, out comes `wait`. A hint may be lost at any time; the poll underneath finds the work.
"""

import asyncio
import contextlib
import logging
import random
import threading
from collections.abc import AsyncIterator, Callable
from typing import Protocol

log = logging.getLogger(__name__)
POLL_S = 1.0  # seconds an idle reader sleeps when no notice comes: what a lost notice costs

Listen = Callable[[], AsyncIterator[tuple[str, str]]]


class WakeSignal(Protocol):
    """What the claim loop waits on."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def wait(self) -> None: ...
    def wake(self) -> None: ...


class TaskNotifier:
    """Waits until a hint or about a second; hints between two waits are not lost."""

    def __init__(self, listen: Listen, *, poll_s: float = POLL_S) -> None:
        self._listen, self._poll_s = listen, poll_s
        self._hint = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="task-hints", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended
                self._loop.call_soon_threadsafe(self._task.cancel)
        self.wake()
        self._thread.join(timeout=5)

    def wait(self) -> None:
        self._hint.wait(self._poll_s * random.uniform(0.5, 1.0))  # noqa: S311
        self._hint.clear()

    def wake(self) -> None:
        self._hint.set()

    def _run(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._hear())

    async def _hear(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        while True:
            try:
                async for _ in self._listen():
                    self._hint.set()
            except Exception:  # whatever ends listening must not end the reader: the poll goes on
                log.warning("listening for tasks failed", exc_info=True)
            await asyncio.sleep(self._poll_s)

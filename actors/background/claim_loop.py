"""The loop of a component that claims work and does it in threads: webhooks and targets."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from quire.models.fair_time import TurnWatch
from quire.storage.values.errors import StorageError

log = logging.getLogger(__name__)
STUCK_S = 120.0  # fair seconds of one turn after which it is unhealthy: several times the limit of one call


class ClaimLoop:
    """Calls `turn`, which claims work and returns its amount: again at once after some, after `poll_s` after none.

    `threads` is the number of threads for the work.
    """

    def __init__(self, name: str, turn: Callable[[], int], *, threads: int, poll_s: float) -> None:
        self._name, self._turn, self._poll_s = name, turn, poll_s
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._stop, self._wake = threading.Event(), threading.Event()
        self._claim = TurnWatch()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the loop."""
        self._thread.start()

    def healthy(self) -> bool:
        """Return whether the loop turns; hanging work only holds its own thread."""
        return self._stop.is_set() or (self._thread.is_alive() and self._claim.seconds() < STUCK_S)

    def is_stopping(self) -> bool:
        """Return whether `drain` was called."""
        return self._stop.is_set()

    def submit(self, work: Callable[[], object]) -> None:
        """Do claimed work in a thread."""
        self._threads.submit(work)

    def wake(self) -> None:
        """Turn again now: there is room for more work."""
        self._wake.set()

    def drain(self, timeout_s: float) -> bool:
        """Claim nothing new; work in progress ends within its time limit, or its claims expire."""
        self._stop.set()
        self._wake.set()
        self._thread.join(timeout_s)
        self._threads.shutdown(wait=False, cancel_futures=True)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with self._claim:
                    claimed = self._turn()
            except StorageError as error:
                log.warning("%s: %s", self._name, error.code)
                claimed = 0
            if not claimed:
                self._wake.wait(self._poll_s)
            self._wake.clear()

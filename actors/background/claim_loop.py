"""The loop of a component that claims work for external receivers and does it in threads: webhooks and targets."""

import logging
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from quire.models.fair_time import TurnWatch
from quire.storage.values.errors import StorageError

log = logging.getLogger(__name__)
STUCK_S = 120.0  # fair seconds of one turn after which it is unhealthy: several times the limit of one call
Work = TypeVar("Work")


class ClaimLoop(ABC, Generic[Work]):
    """Claims work again and again: at once after some, after `poll_s` seconds after none.

    `threads` threads do the work, at most `per_receiver` for one receiver, so a slow one does not delay the others.
    """

    def __init__(
        self, name: str, receiver_of: Callable[[Work], str], *, threads: int, per_receiver: int, poll_s: float
    ) -> None:
        self._name, self._receiver_of, self._poll_s = name, receiver_of, poll_s
        self._limit, self._per_receiver = threads, per_receiver
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._working, self._lock = Counter[str](), threading.Lock()
        self._stop, self._wake = threading.Event(), threading.Event()
        self._claim = TurnWatch()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @abstractmethod
    def claim(self, limit: int, busy: frozenset[str]) -> Sequence[Work]:
        """Claim up to `limit` pieces of work for receivers that are not `busy`."""

    @abstractmethod
    def serve(self, work: Work) -> None:
        """Do a piece of claimed work."""

    def start(self) -> None:
        """Start the loop."""
        self._thread.start()

    def healthy(self) -> bool:
        """Return whether the loop turns; hanging work only holds its own thread."""
        return self._stop.is_set() or (self._thread.is_alive() and self._claim.seconds() < STUCK_S)

    def is_stopping(self) -> bool:
        """Return whether `drain` was called."""
        return self._stop.is_set()

    def drain(self, timeout_s: float) -> bool:
        """Claim nothing new; work in progress ends within its time limit, or its claims expire."""
        self._stop.set()
        self._wake.set()
        self._thread.join(timeout_s)
        self._threads.shutdown(wait=False, cancel_futures=True)
        return not self._thread.is_alive()

    def turn(self) -> int:
        """Claim work once, begin it in threads and return its amount."""
        with self._lock:
            room = self._limit - self._working.total()
            busy = frozenset(name for name, count in self._working.items() if count >= self._per_receiver)
        claimed = self.claim(room, busy) if room > 0 else ()
        for work in claimed:
            with self._lock:
                self._working[self._receiver_of(work)] += 1
            self._threads.submit(self._serve, work)
        return len(claimed)

    def _serve(self, work: Work) -> None:
        receiver = self._receiver_of(work)
        try:
            self.serve(work)
        except StorageError as error:
            log.warning("%s, %s: %s", self._name, receiver, error.code)
        except Exception:
            log.exception("%s, %s", self._name, receiver)
        finally:
            with self._lock:
                self._working[receiver] -= 1
                self._working += Counter()  # drops the zeros
            self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with self._claim:
                    claimed = self.turn()
            except StorageError as error:
                log.warning("%s: %s", self._name, error.code)
                claimed = 0
            if not claimed:
                self._wake.wait(self._poll_s)
            self._wake.clear()

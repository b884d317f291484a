"""Several loops as one worker: started in order, healthy when all are, drained in parallel. Knows none of them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol


class Loop(Protocol):
    """A worker with its own thread."""

    def start(self) -> None:
        """Start the thread."""

    def healthy(self) -> bool:
        """Return whether the loop works."""

    def drain(self, timeout_s: float) -> bool:
        """Finish current work; false if that takes longer than `timeout_s` seconds."""


class WorkerGroup:
    """Loops that share one process."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        self._loops = tuple(loops)

    def start(self) -> None:
        """Start the loops in order."""
        for loop in self._loops:
            loop.start()

    def healthy(self) -> bool:
        """Return whether all loops are healthy."""
        return all(loop.healthy() for loop in self._loops)

    def drain(self, timeout_s: float) -> bool:
        """Drain all loops in parallel; true if every loop ended in time."""
        with ThreadPoolExecutor(len(self._loops) or 1) as threads:
            return all(threads.map(lambda loop: loop.drain(timeout_s), self._loops))

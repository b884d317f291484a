"""Several loops as one worker: started in order, healthy when all are, drained side by side. Knows none of them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol


class Loop(Protocol):
    """A thing with a thread of its own."""

    def start(self) -> None: ...
    def healthy(self) -> bool: ...
    def drain(self, timeout_s: float) -> bool: ...


class WorkerGroup:
    """Loops that live and die in one process."""

    def __init__(self, loops: Sequence[Loop]) -> None:
        self._loops = tuple(loops)

    def start(self) -> None:
        for loop in self._loops:
            loop.start()

    def healthy(self) -> bool:
        return all(loop.healthy() for loop in self._loops)

    def drain(self, timeout_s: float) -> bool:
        """True when every loop ended in time."""
        with ThreadPoolExecutor(len(self._loops) or 1) as threads:
            return all(threads.map(lambda loop: loop.drain(timeout_s), self._loops))

"""In-memory cache with a byte budget and a time limit since the last access."""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import TTLCache

KEPT_S = 300.0
"""Seconds since the last access: longer than a person looks at a page."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class KeptValues(Generic[K, V]):
    """Cache of the most recently used values, at most `budget` bytes, each for five minutes after its last access.

    Deleted values leave memory within that time too. Thread-safe.
    """

    def __init__(self, budget: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._values: TTLCache[K, tuple[int, V]] = TTLCache(budget, KEPT_S, clock, getsizeof=lambda entry: entry[0])
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return the cached value, or None. A hit restarts its five minutes."""
        with self._lock:
            self._values.expire()
            if entry := self._values.get(key):
                self._values[key] = entry
                return entry[1]
            return None

    def keep(self, key: K, value: V, size: int) -> None:
        """Cache a value that takes `size` bytes of the budget."""
        with self._lock:
            self._values[key] = (size, value)

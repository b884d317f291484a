"""Short-lived cache of one answer for many callers."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")


class Cached(Generic[T]):
    """Caches the last answer for `seconds`; simultaneous callers share one call."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._at = seconds, float("-inf")
        self._value: T | None = None
        self._lock = asyncio.Lock()

    async def get(self, look: Callable[[], Awaitable[T]]) -> T:
        """Return the cached value, or call `look` if the value has expired."""
        async with self._lock:
            if self._value is None or monotonic() - self._at > self._seconds:
                self._value = await look()
                self._at = monotonic()
            return self._value

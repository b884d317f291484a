"""Limit addresses that repeatedly send unknown keys: refuse them before checking the next key.

In memory, per replica, with bounded size. Callers must pass only trustworthy addresses.
"""

import time
from collections.abc import Callable

from serve_apps.access.errors import RateLimited

PER_MINUTE = 60  # refused keys of one address a minute
BURST = 20  # refused keys at once: a fleet that starts with an old key
_REMEMBERED = 4096  # addresses; the oldest is dropped first


class FailedAuthLimiter:
    """Counts refused keys by address with the same algorithm (GCRA) as the rate limit of keys."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._empty_at: dict[str, float] = {}

    def check(self, address: str) -> None:
        """Check that the address may send another key.

        Raises:
            RateLimited: It sent too many unknown keys.
        """
        wait = self._empty_at.get(address, 0.0) - self._clock() - (BURST - 1) * 60 / PER_MINUTE
        if wait > 0:
            raise RateLimited("too many unknown keys from this address", wait)

    def note(self, address: str) -> None:
        """Count one refused key of this address."""
        if address not in self._empty_at and len(self._empty_at) >= _REMEMBERED:
            self._empty_at.pop(next(iter(self._empty_at)))
        self._empty_at[address] = max(self._empty_at.get(address, 0.0), self._clock()) + 60 / PER_MINUTE

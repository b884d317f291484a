"""Limit addresses that repeatedly send unknown keys: refuse them before checking the next key.

The count is in a row that all replicas share; a replica remembers a refusal until it is over. Callers must pass only
trustworthy addresses.
"""

from collections.abc import Awaitable, Callable
from time import monotonic

from quire.serve_apps.access.errors import RateLimited

PER_MINUTE = 60  # refused keys of one address a minute
BURST = 20  # refused keys at once: a fleet that starts with an old key
_REMEMBERED = 4096  # addresses; all are dropped when there are more


class FailedAuthLimiter:
    """Counts refused keys by address.

    `take(bucket)` counts one refused key in all replicas and returns the seconds to wait, 0.0 if it is accepted.
    """

    def __init__(self, take: Callable[[str], Awaitable[float]]) -> None:
        self._take = take
        self._refused_until: dict[str, float] = {}

    def check(self, address: str) -> None:
        """Check that the address may send another key.

        Raises:
            RateLimited: It sent too many unknown keys.
        """
        wait_s = self._refused_until.get(address, 0.0) - monotonic()
        if wait_s > 0:
            raise RateLimited("too many unknown keys from this address", wait_s)

    async def note(self, address: str) -> None:
        """Count one refused key of this address. Raises `RateLimited` if it is one too many."""
        wait_s = await self._take(f"unknown-key:{address}")
        if wait_s > 0:
            if len(self._refused_until) >= _REMEMBERED:
                self._refused_until.clear()
            self._refused_until[address] = monotonic() + wait_s
            self.check(address)

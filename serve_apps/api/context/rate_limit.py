"""Per-key rate limit: uses the row that all replicas share, and caches a refusal until it is over."""

from collections.abc import Callable
from time import monotonic

from quire.serve_apps.access.errors import RateLimited
from quire.serve_apps.api.lanes.bulkhead import Bulkhead

_REMEMBERED = 4096  # refused keys; the oldest is dropped first


class CallerRateLimit:
    """Limits requests per key.

    `take(key name, per minute)` returns the seconds to wait, 0.0 if accepted. `per_minute` = 0 means no limit.
    """

    def __init__(self, take: Callable[[str, int], float], lane: Bulkhead, per_minute: int) -> None:
        self._take, self._lane, self._per_minute = take, lane, per_minute
        self._refused_until: dict[str, float] = {}

    async def admit(self, key_name: str) -> None:
        """Count one request of the key. A refused key costs no SQL until its wait is over.

        Raises:
            RateLimited: With the seconds until a request will be accepted.
        """
        if not self._per_minute:
            return
        wait = self._refused_until.get(key_name, 0.0) - monotonic()
        if wait <= 0:
            wait = await self._lane.run(self._take, key_name, self._per_minute)
            if wait > 0:
                if len(self._refused_until) >= _REMEMBERED:
                    self._refused_until.clear()
                self._refused_until[key_name] = monotonic() + wait
        if wait > 0:
            raise RateLimited(f"{self._per_minute} requests per minute and key", wait)

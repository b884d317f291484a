"""Bounded lane for calls that read files at once: a few at a time, 55 seconds at most, refused when full."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from serve_apps.api.http.refusals import NotInTime, Overloaded

LANES = 2
"""Requests of this kind at work at once; each holds its files in memory."""
TIME_LIMIT_S = 55.0  # seconds: below the minute after which proxies hang up


class EphemeralSlots:
    """Admits `LANES` requests at a time; the next one is refused at once and may be sent again."""

    def __init__(self) -> None:
        self._free = LANES

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """Hold one slot while the block runs.

        Raises:
            Overloaded: All slots are in use.
            NotInTime: The block took longer than the time limit.
        """
        if not self._free:
            raise Overloaded("too many documents are being compared or evaluated")
        self._free -= 1
        try:
            async with asyncio.timeout(TIME_LIMIT_S):
                yield
        except TimeoutError:
            raise NotInTime(f"reading took longer than {TIME_LIMIT_S:.0f} s") from None
        finally:
            self._free += 1

"""Places for calls that read files at once: a few at a time, 55 seconds at most, waiting included."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quire.serve_apps.api.http.refusals import NotInTime
from quire.serve_apps.api.lanes.fair_places import FairPlaces

LANES = 2
"""Requests of this kind at work at once; each holds its files in memory."""
MOST_WAITING = 2  # requests of one tenant that wait; the next one is refused
TIME_LIMIT_S = 55.0  # seconds: below the minute after which proxies hang up


class EphemeralSlots:
    """Admits `LANES` requests at a time."""

    def __init__(self) -> None:
        self._places = FairPlaces(LANES, most_waiting=MOST_WAITING)

    @asynccontextmanager
    async def enter(self) -> AsyncIterator[None]:
        """Hold one slot while the block runs.

        Raises:
            Overloaded: Too many requests of the tenant wait for a slot.
            NotInTime: The block took longer than the time limit.
        """
        try:
            async with asyncio.timeout(TIME_LIMIT_S), self._places.entered():
                yield
        except TimeoutError:
            raise NotInTime(f"reading took longer than {TIME_LIMIT_S:.0f} s") from None

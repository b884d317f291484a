"""Waiting for jobs to end: one LISTEN connection per app that serves all waiters by job id.

A notification is only a hint. Every waiter also polls about once a second, so a lost notification costs little.
Other listeners share the connection (`also`).
"""

import asyncio
import random
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import chain
from time import monotonic
from typing import TypeVar

from quire.serve_apps.api.lanes.fair_places import TENANT, Overloaded
from quire.storage.postgres.listen import listen
from quire.storage.postgres.notices import DONE

_REMEMBERED = 1024  # ended jobs whose end a late waiter still learns without a query
T = TypeVar("T")


class JobWaiters:
    """Wakes callers that wait for jobs.

    At most `max_waiters` wait at once, and at most half of them for one tenant; the next one is refused with
    `Overloaded`. `also`: further channels, each with a
    function to call at every notification and after every (re)connect.
    """

    def __init__(
        self, dsn: str | None, max_waiters: int, also: Mapping[str, Callable[[], object]] | None = None
    ) -> None:
        self._dsn, self._max_waiters, self._counts = dsn, max_waiters, Counter[str]()
        self._also = dict(also or {})
        self._events: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._recent: deque[str] = deque(maxlen=_REMEMBERED)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen while the block runs. Without a database address all waiters only poll."""
        task = asyncio.create_task(self._listen(self._dsn)) if self._dsn else None
        try:
            yield
        finally:
            if task:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def until(
        self, job_id: str, timeout_s: float, look: Callable[[], Awaitable[T | None]], *, fresh: bool = False
    ) -> T | None:
        """Return the first result of `look` that is not None, or None after `timeout_s`.

        Args:
            job_id: Job to wait for.
            timeout_s: Seconds to wait.
            look: Called on each notification and about once a second.
            fresh: The job was submitted just now, so the first call waits for a notification.
        """
        deadline = monotonic() + timeout_s
        with self._waiting(job_id) as event:
            if fresh and job_id not in self._recent:
                await self._sleep(event, min(timeout_s, _jittered_second()))
            while (result := await look()) is None:
                remaining_s = deadline - monotonic()
                if remaining_s <= 0:
                    return None
                await self._sleep(event, min(remaining_s, _jittered_second()))
            return result

    @property
    def full(self) -> bool:
        """Return whether no further waiter of the tenant is accepted."""
        own = self._counts[TENANT.get()]
        return own >= (self._max_waiters + 1) // 2 or self._counts.total() >= self._max_waiters

    @contextmanager
    def watching(self, job_id: str) -> Iterator[Callable[[], Awaitable[None]]]:
        """Provide a pause that ends on a notification about the job, or after about a second."""
        with self._waiting(job_id) as event:
            yield lambda: self._sleep(event, _jittered_second())

    async def _sleep(self, event: asyncio.Event, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
        event.clear()

    @contextmanager
    def _waiting(self, job_id: str) -> Iterator[asyncio.Event]:
        if self.full:
            raise Overloaded("too many callers wait at once")
        event, tenant = asyncio.Event(), TENANT.get()
        self._counts[tenant] += 1
        self._events[job_id].add(event)
        try:
            yield event
        finally:
            self._counts[tenant] -= 1
            self._events[job_id].discard(event)
            if not self._events[job_id]:
                del self._events[job_id]

    async def _listen(self, dsn: str) -> None:
        async for channel, job_id in listen(dsn, [DONE, *self._also]):
            for name, call in self._also.items():
                if channel in ("", name):
                    call()
            if channel not in self._also:
                self._wake(job_id)

    def _wake(self, job_id: str) -> None:
        """Wake the waiters of this job, or all waiters if notifications may have been missed (no id)."""
        self._recent.append(job_id)
        events = self._events.get(job_id, ()) if job_id else list(chain.from_iterable(self._events.values()))
        for event in tuple(events):
            event.set()


def _jittered_second() -> float:
    return random.uniform(0.8, 1.2)  # noqa: S311

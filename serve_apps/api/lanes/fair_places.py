"""Places that tenants share: they take turns, and none can keep the others from being served.

A tenant may hold all places only until a second tenant has been seen; from then on it leaves the last free place to
those that hold none. Each tenant has a separate waiting room, so only its own calls fill it.
"""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar


class Overloaded(Exception):
    """The service is busy; the request may be sent again soon."""

    code = "overloaded"


TENANT: ContextVar[str] = ContextVar("tenant", default="")
"""Tenant for which this task or thread works; empty for the service itself and for callers without a key."""


class FairPlaces:
    """At most `places` holders at a time. Thread-safe.

    `most_waiting`: calls of one tenant that may wait; the next one is refused. `most_held`: places of one tenant.
    """

    def __init__(self, places: int, *, most_waiting: int, most_held: int | None = None) -> None:
        self._free, self._most_waiting, self._most_held = places, most_waiting, most_held or places
        self._lock = threading.Lock()
        self._held, self._seen = Counter[str](), set[str]()
        self._waiting: dict[str, deque[Future[None]]] = {}  # in the order in which tenants are served

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[None]:
        """Hold a place while the block runs. Raises `Overloaded`."""
        release = await self.take()
        try:
            yield
        finally:
            release.set_result(None)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold a place while the block of a thread runs. Raises `Overloaded`."""
        tenant = TENANT.get()
        self._ask(tenant).result()
        try:
            yield
        finally:
            self._leave(tenant)

    async def take(self) -> "Future[None]":
        """Wait for a place and return a future. The place is free when the future is done. Raises `Overloaded`."""
        tenant = TENANT.get()
        ticket, release = self._ask(tenant), Future[None]()
        release.add_done_callback(lambda _: self._leave(tenant))
        try:
            await asyncio.wrap_future(ticket)
        except BaseException:
            if ticket.cancelled():
                self._forget(tenant, ticket)
            else:  # the place was given in the same moment
                release.set_result(None)
            raise
        return release

    def _ask(self, tenant: str) -> Future[None]:
        ticket = Future[None]()
        with self._lock:
            if tenant:
                self._seen.add(tenant)
            line = self._waiting.setdefault(tenant, deque())
            line.append(ticket)
            self._serve()
            if not ticket.done() and len(line) > self._most_waiting:
                line.remove(ticket)
                raise Overloaded("too many requests at once")
        return ticket

    def _forget(self, tenant: str, ticket: Future[None]) -> None:
        with self._lock:
            if ticket in self._waiting.get(tenant, ()):
                self._waiting[tenant].remove(ticket)

    def _leave(self, tenant: str) -> None:
        with self._lock:
            self._free += 1
            self._held[tenant] -= 1
            self._serve()

    def _serve(self) -> None:
        """Give free places to waiting calls, one to each tenant in turn."""
        is_served = True
        while is_served and self._free:
            is_served = False
            for tenant in [*self._waiting]:
                if self._may_take(tenant) and self._give(tenant):
                    is_served = True
        self._held = +self._held

    def _may_take(self, tenant: str) -> bool:
        held = self._held[tenant]
        is_last_kept = self._free == 1 and held > 0 and len(self._seen) > 1
        return self._free > 0 and held < self._most_held and not is_last_kept

    def _give(self, tenant: str) -> bool:
        """Give a place to the tenant's first call that still waits, and put the tenant at the end of the order."""
        line = self._waiting.pop(tenant)
        while line:
            ticket = line.popleft()
            if ticket.set_running_or_notify_cancel():
                self._free -= 1
                self._held[tenant] += 1
                ticket.set_result(None)
                break
        else:
            return False
        if line:
            self._waiting[tenant] = line
        return True

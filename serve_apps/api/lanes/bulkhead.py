"""Bounded thread lanes for blocking work, which tenants share (`FairPlaces`)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from quire.serve_apps.api.lanes.fair_places import FairPlaces
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.native_panics import native_panics

P = ParamSpec("P")
T = TypeVar("T")


class Bulkhead:
    """A lane of `threads` threads with at most `most_waiting` waiting calls of each tenant.

    `timeout_s`: a call that takes longer, waiting included, is abandoned; `run_timeout_s` is without waiting. Never set
    them for calls that write, because their outcome would be unknown. `most_held`: threads of one tenant.
    """

    def __init__(
        self,
        name: str,
        threads: int,
        *,
        timeout_s: float | None = None,
        run_timeout_s: float | None = None,
        most_waiting: int = 256,
        most_held: int | None = None,
    ) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"api-{name}")
        self._places = FairPlaces(threads, most_waiting=most_waiting, most_held=most_held)
        self._timeout_s, self._run_timeout_s = timeout_s, run_timeout_s

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the call in a thread and return its result.

        A call that has begun continues, and keeps its thread, if its caller is cancelled or does not wait longer.

        Raises:
            Overloaded: Too many calls of the tenant wait.
            StoreUnavailable: The call takes too long.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                release = await self._places.take()
                running = self._threads.submit(copy_context().run, partial(native_panics()(call), *args, **kwargs))
                running.add_done_callback(lambda _: release.set_result(None))
                async with asyncio.timeout(self._run_timeout_s):
                    return await asyncio.wrap_future(running)
        except TimeoutError:
            raise StoreUnavailable("no answer in time") from None

    async def iterate(self, items: Iterator[T]) -> AsyncIterator[T]:
        """Yield the items, each made by a call in a thread. None ends the iteration."""
        while (item := await self.run(next, items, None)) is not None:
            yield item

    def close(self) -> None:
        """Close the lane. Wait for running calls unless the lane has a timeout."""
        self._threads.shutdown(wait=self._timeout_s is None and self._run_timeout_s is None, cancel_futures=True)

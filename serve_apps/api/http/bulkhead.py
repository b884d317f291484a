"""Bounded thread lanes for blocking work: for reading SQL, for disks and writing. A full lane refuses at once."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from serve_apps.api.http.refusals import Overloaded
from storage.values.errors import StoreUnavailable

P = ParamSpec("P")
T = TypeVar("T")


class Bulkhead:
    """A lane of `threads` threads with at most `max_waiting` calls waiting or running.

    `timeout_s`: a call that takes longer is abandoned. Never set it for calls that write, because their outcome would
    be unknown.
    """

    def __init__(self, name: str, threads: int, *, timeout_s: float | None = None, max_waiting: int = 512) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"api-{name}")
        self._timeout_s, self._max_waiting, self._taken = timeout_s, max_waiting, 0

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the call in a thread and return its result.

        A call that has begun continues if its caller is cancelled.

        Raises:
            Overloaded: The lane is full.
            StoreUnavailable: The call takes too long.
        """
        if self._taken >= self._max_waiting:
            raise Overloaded("too many requests at once")
        self._taken += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *args, **kwargs))
        except TimeoutError:
            raise StoreUnavailable("no answer in time") from None
        finally:
            self._taken -= 1

    def close(self) -> None:
        """Close the lane. Wait for running calls unless the lane has a timeout."""
        self._threads.shutdown(wait=self._timeout_s is None, cancel_futures=True)

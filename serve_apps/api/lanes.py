"""Bounded threads for what blocks: a few for SQL, a few for disks. Full lanes refuse instead of piling up."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from serve_apps.api.refusals import Overloaded

P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """`threads` at work, at most `max_waiting` calls waiting or running."""

    def __init__(self, name: str, threads: int, max_waiting: int = 512) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"api-{name}")
        self._max_waiting, self._taken = max_waiting, 0

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The call's result; raises `Overloaded` when the lane is full. A cancelled caller does not stop the call."""
        if self._taken >= self._max_waiting:
            raise Overloaded("too many requests at once")
        self._taken += 1
        try:
            work = partial(call, *args, **kwargs) if kwargs else partial(call, *args)
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._taken -= 1

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

"""At most n connections of one process, made when needed and kept while used: a semaphore and a stack, no threads.

psycopg_pool was tried: after an outage callers hung for 10 s each and the first answer came 7.7 s after the database
was back, for it repeats failed connects in the background. Here a caller connects itself and knows at once.
"""

import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow

Connection = psycopg.Connection[DictRow]
UNUSED_S = 300.0
"""Seconds after which an unused connection is closed, so that a burst does not occupy the server's slots for ever."""


class ConnectionsBusy(psycopg.OperationalError):
    """Every connection is in use and none came back in time."""


class Connections:
    """Thread-safe. Never share one over a fork."""

    def __init__(self, connect: Callable[[], Connection], limit: int, wait_s: float) -> None:
        self._connect = connect
        self._wait_s = wait_s
        self._free = threading.BoundedSemaphore(limit)
        self._idle = deque[tuple[Connection, float]]()  # with when each came back; the one last used is taken first
        self._closed = False

    @contextmanager
    def borrow(self) -> Iterator[Connection]:
        """Lend a live connection for the block and keep it afterwards unless it broke.

        Raises:
            psycopg.OperationalError: Connecting failed. `ConnectionsBusy` if none was free within `wait_s` seconds.
        """
        if not self._free.acquire(timeout=self._wait_s):
            raise ConnectionsBusy("every connection is in use")
        try:
            connection = self._take()
            try:
                yield connection
            finally:
                self._return(connection)
        finally:
            self._free.release()

    def close(self) -> None:
        """Close idle connections now and borrowed ones when they return."""
        self._closed = True
        while self._idle:
            self._idle.pop()[0].close()

    def _take(self) -> Connection:
        while True:
            try:
                connection, _ = self._idle.pop()
            except IndexError:
                return self._connect()
            if not _is_dead(connection):
                return connection
            connection.close()

    def _return(self, connection: Connection) -> None:
        if connection.info.transaction_status is TransactionStatus.IDLE and not self._closed:
            self._idle.append((connection, time.monotonic()))
            self._close_unused()
        else:
            connection.close()

    def _close_unused(self) -> None:
        with suppress(IndexError):  # another thread took the last one
            if self._idle[0][1] < time.monotonic() - UNUSED_S:
                self._idle.popleft()[0].close()


def _is_dead(connection: Connection) -> bool:
    """Return whether the server closed an idle connection: it then has something to read. Needs no round trip."""
    ready, _, _ = select.select([connection.fileno()], [], [], 0)
    return bool(ready)

"""A clock for limits: it runs slower while this process waits for a processor, so that a busy machine fails nothing.

A limit of 60 s means 60 s of a machine with free processors. On one with ten times as many busy processes as cores it
is about ten minutes. A process that is really stuck is still noticed, later.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable

LEAST_SHARE = 0.02
"""Slowest speed of the clock: a limit is at most 50 times as long as on an idle machine."""


Sums = tuple[float, float]
"""Seconds for which threads ran, and for which they waited for a processor."""


class FairClock:
    """Seconds since the clock was made, each multiplied by the share of processor time that the threads got."""

    def __init__(self, read_threads: Callable[[], Sums] | None = None, *, look_s: float = 0.0) -> None:
        """Start the clock.

        Args:
            read_threads: Returns the sums of the threads that count; by default all threads of this process.
            look_s: Least seconds between two looks at the threads.
        """
        self._read_threads, self._look_s = read_threads or (lambda: read_threads_of(["self"])), look_s
        self._lock = threading.Lock()
        self._seconds, self._read_at = 0.0, time.monotonic()
        self.running_s, self._waiting_s = self._read_threads()

    def read(self) -> float:
        """Return the seconds. Thread-safe. `running_s` holds the processor time of the threads at the last look."""
        with self._lock:
            if (now := time.monotonic()) < self._read_at + self._look_s:
                return self._seconds
            running_s, waiting_s = self._read_threads()
            share = _share(running_s - self.running_s, waiting_s - self._waiting_s)
            self._seconds += (now - self._read_at) * share
            self._read_at, self.running_s, self._waiting_s = now, running_s, waiting_s
            return self._seconds


def read_threads_of(pids: Iterable[int | str]) -> Sums:
    """Return the sums of the living threads of these processes; zeros if the system hides them."""
    running_ns = waiting_ns = 0
    for pid in pids:
        try:
            names = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for name in names:
            try:
                with open(f"/proc/{pid}/task/{name}/schedstat", encoding="ascii") as schedstat:
                    running, waiting, _ = schedstat.read().split()
            except (OSError, ValueError):  # a thread that has just ended
                continue
            running_ns += int(running)
            waiting_ns += int(waiting)
    return running_ns / 1e9, waiting_ns / 1e9


def _share(running_s: float, waiting_s: float) -> float:
    """Return the share of the processor time asked for that was given; 1 if the threads asked for none.

    A thread that ends takes its numbers with it, so differences may be negative.
    """
    running_s, waiting_s = max(0.0, running_s), max(0.0, waiting_s)
    return max(LEAST_SHARE, running_s / (running_s + waiting_s)) if waiting_s else 1.0


_CLOCK = FairClock()


def fair_time() -> float:
    """Return the seconds of this process's fair clock, for differences as with `time.monotonic`."""
    return _CLOCK.read()


class TurnWatch:
    """Notes for how long the current turn of a loop has taken. A context for each turn; thread-safe to ask."""

    def __init__(self) -> None:
        self._begun: float | None = None

    def __enter__(self) -> "TurnWatch":
        self._begun = fair_time()
        return self

    def __exit__(self, *_: object) -> None:
        self._begun = None

    def advance(self) -> None:
        """Count the turn from now: it made progress."""
        if self._begun is not None:
            self._begun = fair_time()

    def seconds(self) -> float:
        """Return the fair seconds of the current turn; 0 between turns."""
        begun = self._begun
        return 0.0 if begun is None else fair_time() - begun

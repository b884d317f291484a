"""Waits out temporary failures: a database that restarts, a full index writer, a bucket that is away."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from quire.actors.reader.retry import Backoff, Clock

log = logging.getLogger("quire.jobs")
T = TypeVar("T")
PATIENCE_S = 600.0  # seconds: a database restart or failover takes one or two minutes


def _sleep(timeout: float) -> bool:
    time.sleep(timeout)
    return False


def patiently(work: Callable[[], T], *, patience_s: float = PATIENCE_S, wait: Clock = _sleep) -> T:
    """Return the result of `work`, retried while it raises a `retryable` error, for `patience_s` seconds at most."""
    until = time.monotonic() + patience_s
    backoff = Backoff(wait)
    while True:
        try:
            return work()
        except Exception as error:
            if not getattr(error, "retryable", False) or time.monotonic() >= until:
                raise
            log.warning("waiting: %s", error)
            backoff.pause()

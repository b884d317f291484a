"""Tests wait for states, not for seconds: the one way to do it."""

import time
from collections.abc import Callable

PAUSE_S = 0.005
"""Seconds between two looks."""


def until(true: Callable[[], object], seconds: float = 60) -> bool:
    """Whether it became true; `seconds` is how long a busy machine may take, not how long it should."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(PAUSE_S)
    return bool(true())

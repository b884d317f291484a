"""Tests wait for states, not for seconds: the one way to do it."""

import time
from collections.abc import Callable

SHORTEST_S, LONGEST_S = 0.005, 0.25
"""Seconds between two looks, at the least and, where a look costs little, at the most."""
OF_THE_WAIT = 0.1
"""Of the time waited so far, so much more: a state of a moment is seen at once, one of a minute is not asked for ten
thousand times on a machine that has to bring it about."""
OF_A_LOOK = 4
"""Of the time that a look takes: a fifth of the waiting is spent on looks."""

PATIENCE_S = 60.0
"""Seconds that a busy machine may take for anything that is done at once on an idle one."""
START_S = 180.0
"""Seconds that a busy machine may take to start a program of ours: it imports everything and brings a database up to
date, which took more than a minute at a load of 38."""


def until(true: Callable[[], object], seconds: float = PATIENCE_S) -> bool:
    """Whether it became true; `seconds` is how long a busy machine may take, not how long it should."""
    began = now = time.monotonic()
    while now < began + seconds:
        if true():
            return True
        look, now = time.monotonic() - now, time.monotonic()
        time.sleep(max(SHORTEST_S, min(LONGEST_S, (now - began) * OF_THE_WAIT), look * OF_A_LOOK))
        now = time.monotonic()
    return bool(true())

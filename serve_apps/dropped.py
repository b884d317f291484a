"""Ends a replica that Ray has given up.

After the head returned, Ray's table can call an actor dead whose process lives. It gets no
requests, and keeps its documents and resources from others.
"""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress

from ray import get_runtime_context
from ray._private.state import actors

log = logging.getLogger(__name__)
LOOK_S = 10.0  # seconds between two looks at Ray's table
LOOKS = 3  # looks in a row that find the actor dead or unknown, before its process ends


def end_when_dropped() -> None:
    """Look at this actor in Ray's table from a thread, and end the process when it is not in it any more."""
    own = get_runtime_context().get_actor_id()
    if own is not None:
        watch = threading.Thread(target=watch_state, args=(lambda: find_state(own), _end), daemon=True)
        watch.start()


def find_state(actor_id: str) -> str:
    """Return the state of an actor in Ray's table; "DEAD" for one that it does not know."""
    return str(actors(actor_id).get("State", "DEAD"))


def watch_state(find: Callable[[], str], end: Callable[[], None], wait: Callable[[float], bool] | None = None) -> None:
    """Call `end` when `find` said "DEAD" several times in a row; a head that is away says nothing."""
    wait = wait or threading.Event().wait
    dead = 0
    while dead < LOOKS:
        wait(LOOK_S)
        with suppress(Exception):  # Ray raises various errors when its head is gone
            dead = dead + 1 if find() == "DEAD" else 0
    end()


def _end() -> None:
    log.error("Ray has given this replica up; its process ends, and another takes over")
    os._exit(1)

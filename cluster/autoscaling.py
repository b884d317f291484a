"""How many readers the queue is worth: a Serve autoscaling policy that reads the queue's depth from SQL.

In come a 0600 file that names the database and documents per replica; out goes a replica count. Policy arguments are
visible in Serve's configuration, so no DSN or secret may be among them. Runs in Serve's controller: never blocks it.
"""

import math
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

POLL_S = 1.0
STALE_S = 10.0


class Context(Protocol):
    """The part of Serve's AutoscalingContext that is used."""

    target_num_replicas: int


@dataclass(frozen=True, slots=True)
class Depth:
    """Documents waiting and being read; `at` is the monotonic time of the look."""

    queued: int
    running: int
    at: float


class QueueDepthPolicy:
    """ceil((queued + running) / per_replica); a snapshot older than 10 s keeps the count.

    Running ones count too, else the pool would scale in under its own work.
    """

    def __init__(
        self, dsn_file: str, per_replica: int, *, look: Callable[[str], tuple[int, int]] | None = None
    ) -> None:
        self.per_replica = per_replica
        self.depth: Depth | None = None
        # The thread holds a weak reference: one that held `self` outlived every redeploy (9 threads after 9 deploys).
        watch = threading.Thread(
            target=_watch, args=(weakref.ref(self), dsn_file, look or look_at_queue), name="queue-depth", daemon=True
        )
        watch.start()

    def __call__(self, context: Context) -> tuple[int, dict[str, Any]]:
        depth = self.depth
        if depth is None or time.monotonic() - depth.at > STALE_S:
            return context.target_num_replicas, {"stale": 1.0}
        wanted = math.ceil((depth.queued + depth.running) / self.per_replica)
        return wanted, {"queued": float(depth.queued), "running": float(depth.running)}


def _watch(policy: "weakref.ref[QueueDepthPolicy]", dsn_file: str, look: Callable[[str], tuple[int, int]]) -> None:
    while policy() is not None:
        depth = _try(look, dsn_file)
        alive = policy()
        if alive is None:
            return
        alive.depth = depth or alive.depth
        del alive
        time.sleep(POLL_S)


def _try(look: Callable[[str], tuple[int, int]], dsn_file: str) -> Depth | None:
    try:
        queued, running = look(dsn_file)
    except Exception:  # a lost database must end neither the thread nor the controller: the snapshot goes stale
        return None
    return Depth(queued, running, time.monotonic())


def look_at_queue(dsn_file: str) -> tuple[int, int]:
    """Queued and running tasks, by a connection of two seconds at most."""
    import psycopg

    dsn = Path(dsn_file).read_text().strip()
    with psycopg.connect(dsn, connect_timeout=3, options="-c statement_timeout=2000", autocommit=True) as connection:
        row = connection.execute(
            "select count(*) filter (where state = 'queued'), count(*) filter (where state = 'running') from tasks"
        ).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])

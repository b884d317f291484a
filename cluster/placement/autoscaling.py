"""Serve autoscaling policies: readers by the queue in SQL, other pools by the calls that run or wait.

In come a 0600 file that names the database, or counts per replica; out goes a replica count. Policy arguments are
visible in Serve's configuration, so no DSN or secret may be among them. Runs in Serve's controller: never blocks it, so
what is looked at elsewhere is looked at by a thread. What a look is worth stands in demand.py.
"""

import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from cluster.placement.demand import Damper, QueueLook, ReaderDemand, ReaderLaw, recommend_replicas

T = TypeVar("T")
POLL_S = 1.0  # seconds between looks at the queue
NODES_POLL_S = 5.0  # seconds between looks at the cluster's nodes, which change slowly
STALE_S = 10.0  # seconds after which a look is not acted upon: the count stays
Counts = tuple[int, int, int, float]
"""Queued for a reader, being read, held elsewhere, seconds the oldest queued one has waited."""


class Context(Protocol):
    """The part of Serve's AutoscalingContext that is used."""

    target_num_replicas: int

    @property
    def total_num_requests(self) -> float: ...


class QueueWatch(Generic[T]):
    """The last answer of a question, asked again and again by a thread that ends with its owner."""

    def __init__(self, ask: Callable[[], T], every_s: float) -> None:
        self.value: T | None = None
        self.at = -STALE_S
        # The thread holds a weak reference: one that held `self` outlived every redeploy (9 threads after 9 deploys).
        thread = threading.Thread(
            target=_keep_asking, args=(weakref.ref(self), ask, every_s), name="watch", daemon=True
        )
        thread.start()

    @property
    def fresh(self) -> bool:
        return self.value is not None and time.monotonic() - self.at <= STALE_S


class QueuePolicy:
    """Readers by `ReaderDemand`; a look older than 10 s keeps the count."""

    def __init__(
        self, dsn_file: str, per_replica: int, inflight: int, *, look: Callable[[str], Counts] | None = None
    ) -> None:
        ask = look or look_at_queue
        self.demand = ReaderDemand(ReaderLaw(per_replica=per_replica, inflight=inflight))
        self.watch = QueueWatch(lambda: ask(dsn_file), POLL_S)

    def __call__(self, context: Context) -> tuple[int, dict[str, Any]]:
        if not self.watch.fresh or self.watch.value is None:
            return context.target_num_replicas, {"stale": 1.0}
        queued, reading, held, oldest_wait_s = self.watch.value
        look = QueueLook(queued=queued, reading=reading, held=held, oldest_wait_s=oldest_wait_s, at=self.watch.at)
        wanted = self.demand.want(look, context.target_num_replicas)
        told = {"queued": queued, "reading": reading, "held": held, "oldest_wait_s": oldest_wait_s}
        return wanted, {name: float(value) for name, value in told.items()}


class OngoingPolicy:
    """A replica for every `per_replica` calls that run or wait; with `per_node` no more replicas than nodes."""

    def __init__(
        self,
        per_replica: float,
        window_s: float,
        *,
        per_node: bool = False,
        nodes: Callable[[], int] | None = None,
    ) -> None:
        self._per_replica, self._damper = per_replica, Damper(window_s)
        self.watch = QueueWatch(nodes or count_nodes, NODES_POLL_S) if per_node else None

    def __call__(self, context: Context) -> tuple[int, dict[str, Any]]:
        limit = None
        if self.watch is not None:  # a replica that no node has room for would stay pending and be called a fault
            limit = max(1, self.watch.value or 1)
        ongoing = context.total_num_requests
        wanted = recommend_replicas(ongoing, self._per_replica, limit)
        return self._damper.damp(time.monotonic(), wanted), {"ongoing": float(ongoing), "limit": float(limit or 0)}


def _keep_asking(watch: "weakref.ref[QueueWatch[Any]]", ask: Callable[[], Any], every_s: float) -> None:
    while watch() is not None:
        try:
            value = ask()
        except Exception:  # what is lost must end neither the thread nor the controller: the look goes stale
            value = None
        alive = watch()
        if alive is None:
            return
        if value is not None:
            alive.value, alive.at = value, time.monotonic()
        del alive
        time.sleep(every_s)


_LOOK = """
select count(*) filter (where waits), count(*) filter (where state = 'running' and phase = 'reading'),
       count(*) filter (where state = 'running' and phase is distinct from 'reading' and not waits),
       coalesce(extract(epoch from now() - min(available_at) filter (where waits)), 0)::float8
from (select *, state = 'queued' and available_at <= now() and phase is distinct from 'recognising'
             or state = 'running' and phase is not distinct from 'claimed' as waits
      from tasks) as looked
"""
"""Tasks that wait for a recogniser's room or for their retry are no work for more readers; the rest of a group is."""


def look_at_queue(dsn_file: str) -> Counts:
    """By a connection of two seconds at most."""
    import psycopg

    dsn = Path(dsn_file).read_text().strip()
    with psycopg.connect(dsn, connect_timeout=3, options="-c statement_timeout=2000", autocommit=True) as connection:
        row = connection.execute(_LOOK).fetchone()
    assert row is not None
    return int(row[0]), int(row[1]), int(row[2]), float(row[3])


def count_nodes() -> int:
    """Living nodes that offer CPUs: a head without any only directs."""
    import ray

    return sum(bool(node["Alive"] and node["Resources"].get("CPU")) for node in ray.nodes())

"""Serve autoscaling policies: readers by the queue in SQL, other pools by the calls that run or wait.

A 0600 file that names the database, or counts per replica, become a replica count. Policy arguments are visible in
Serve's configuration, so no DSN or secret may be among them. Policies run in Serve's controller and must not block it,
so a thread reads the queue. The rules are in demand.py.
"""

import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from quire.cluster.placement.demand import Damper, QueueLook, ReaderDemand, ReaderLaw, recommend_replicas

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
    def total_num_requests(self) -> float:
        """Calls that run or wait."""


class QueueWatch(Generic[T]):
    """The last answer of a repeated question; the asking thread ends with its owner."""

    def __init__(self, ask: Callable[[], T], every_s: float) -> None:
        self.value: T | None = None
        self.measured_at = -STALE_S
        # The thread holds a weak reference: one that held `self` outlived every redeploy (9 threads after 9 deploys).
        thread = threading.Thread(
            target=_keep_asking, args=(weakref.ref(self), ask, every_s), name="watch", daemon=True
        )
        thread.start()

    @property
    def fresh(self) -> bool:
        """Whether the last answer is at most STALE_S old."""
        return self.value is not None and time.monotonic() - self.measured_at <= STALE_S


class QueuePolicy:
    """Number of readers by `ReaderDemand`; an answer older than 10 s keeps the count."""

    def __init__(
        self, dsn_file: str, per_replica: int, inflight: int, *, look: Callable[[str], Counts] | None = None
    ) -> None:
        ask = look or look_at_queue
        self.demand = ReaderDemand(ReaderLaw(per_replica=per_replica, inflight=inflight))
        self.watch = QueueWatch(lambda: ask(dsn_file), POLL_S)

    def __call__(self, context: Context) -> tuple[int, dict[str, Any]]:
        """Return the number of replicas and the values it is based on."""
        if not self.watch.fresh or self.watch.value is None:
            return context.target_num_replicas, {"stale": 1.0}
        queued, reading, held, oldest_wait_s = self.watch.value
        look = QueueLook(
            queued=queued, reading=reading, held=held, oldest_wait_s=oldest_wait_s, measured_at=self.watch.measured_at
        )
        replicas = self.demand.want(look, context.target_num_replicas)
        facts = {"queued": queued, "reading": reading, "held": held, "oldest_wait_s": oldest_wait_s}
        return replicas, {name: float(value) for name, value in facts.items()}


class OngoingPolicy:
    """A replica for every `per_replica` calls that run or wait, at most `per_node` for each node (0: no limit)."""

    def __init__(
        self,
        per_replica: float,
        window_s: float,
        *,
        per_node: int = 0,
        nodes: Callable[[], int] | None = None,
    ) -> None:
        self._per_replica, self._per_node, self._damper = per_replica, per_node, Damper(window_s)
        self.watch = QueueWatch(nodes or count_nodes, NODES_POLL_S) if per_node else None

    def __call__(self, context: Context) -> tuple[int, dict[str, Any]]:
        """Return the number of replicas and the values it is based on."""
        limit = None
        if self.watch is not None:  # a replica that no node has room for would stay pending and be called a fault
            limit = self._per_node * max(1, self.watch.value or 1)
        ongoing = context.total_num_requests
        replicas = recommend_replicas(ongoing, self._per_replica, limit)
        return self._damper.damp(time.monotonic(), replicas), {"ongoing": float(ongoing), "limit": float(limit or 0)}


def _keep_asking(watch: "weakref.ref[QueueWatch[Any]]", ask: Callable[[], Any], every_s: float) -> None:
    while watch() is not None:
        try:
            value = ask()
        except Exception:  # an outage must end neither the thread nor the controller: the answer gets stale
            value = None
        alive = watch()
        if alive is None:
            return
        if value is not None:
            alive.value, alive.measured_at = value, time.monotonic()
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
"""Tasks that wait for a recogniser or a retry do not need readers; unread tasks of a group do."""


def look_at_queue(dsn_file: str) -> Counts:
    """Read the counts over a connection of two seconds at most."""
    import psycopg

    dsn = Path(dsn_file).read_text().strip()
    with psycopg.connect(dsn, connect_timeout=3, options="-c statement_timeout=2000", autocommit=True) as connection:
        row = connection.execute(_LOOK).fetchone()
    assert row is not None
    return int(row[0]), int(row[1]), int(row[2]), float(row[3])


def count_nodes() -> int:
    """Return the number of living nodes that offer CPUs; a head without any only directs."""
    import ray

    return sum(bool(node["Alive"] and node["Resources"].get("CPU")) for node in ray.nodes())

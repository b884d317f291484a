"""A deployment as discrete events: a door, nodes of readers, one queue in one database, one index writer, one policy.

In come a workload, arrivals and losses; out comes a history. Uploads wait for the door (API replica and proxy), claims
and ends for the database, published chunks for the writer, replicas for their start, the tasks of lost nodes for their
leases' end. The door uses cores of the nodes, which readers then lack. The policy is the product's.
"""

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from quire.cluster.placement.demand import QueueLook, ReaderDemand
from quire.cluster.placement.sizing import size_api
from tests.lab.sim.costs import DATABASE_CORES, GROUP, LEASE_S, REPLICA_START_S, Work

UPSCALE_S, DOWNSCALE_S, TO_ZERO_S = 1.0, 2.0, 60.0
"""Serve's own delays, as cluster/serve/app.py sets them."""
INFLIGHT = 8


@dataclass(slots=True)
class Station:
    """One server, first come first served; `busy_s` is what it has worked."""

    free_at: float = 0.0
    busy_s: float = 0.0
    cores: int = 1

    def serve(self, now: float, cost_s: float) -> float:
        """When it is done; `cost_s` of one core, and as many calls at once as there are cores."""
        self.free_at = max(now, self.free_at) + cost_s / self.cores
        self.busy_s += cost_s / self.cores
        return self.free_at


@dataclass(slots=True, eq=False)
class Reader:
    node: int
    up: bool = False
    gone: bool = False
    stopping: bool = False
    reading: int = 0
    held: int = 0

    @property
    def free(self) -> bool:
        return self.up and not (self.gone or self.stopping or self.reading) and self.held < INFLIGHT + GROUP


@dataclass(frozen=True, slots=True)
class Moment:
    """One second of the history."""

    at: float
    target: int
    running: int
    queued: int
    oldest_wait_s: float
    done: int


@dataclass(slots=True)
class Deployment:
    """`nodes` × `per_node` readers at most; `lost`: second → nodes that die then and come back `back_s` later.

    `doors`: API replicas, each with one core of a node; by default as many as the product starts at most.
    """

    nodes: int
    work: Work
    per_node: int = 4
    least: int = 0
    doors: int = 0
    lost: Mapping[int, int] = field(default_factory=dict)
    back_s: float = 120.0
    seed: int = 1
    now: float = 0.0
    target: int = 0
    done: int = 0
    restarted: int = 0
    history: list[Moment] = field(default_factory=list)
    database: Station = field(default_factory=lambda: Station(cores=DATABASE_CORES))
    writer: Station = field(default_factory=Station)
    door: Station = field(default_factory=Station)
    waits: list[float] = field(default_factory=list)
    last_end: float = 0.0
    _queue: deque[float] = field(default_factory=deque)
    _readers: list[Reader] = field(default_factory=list)
    _idle: list[Reader] = field(default_factory=list)
    _dead: dict[int, float] = field(default_factory=dict)
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    _chance: random.Random = field(default_factory=random.Random)
    _demand: ReaderDemand = field(default_factory=ReaderDemand)
    _wish: tuple[int, float] = (0, 0.0)

    def run(self, seconds: int, arrivals: Callable[[int], int], *, until_empty: bool = False) -> "Deployment":
        """`arrivals(second)` documents come at each second, evenly spread within it."""
        self._chance.seed(self.seed)
        self.door.cores = (
            self.doors or self.nodes * size_api(cores=self.per_node, machines=self.nodes, least=1, most=None).per_node
        )
        sent = 0
        for second in range(seconds):
            count = arrivals(second)
            sent += count
            for number in range(count):
                self._at(second + number / count, self._upload)
            self._at(second, self._tick)
            self._run_to(second + 1)
            if until_empty and 0 < sent == self.done:
                break
        return self

    def _run_to(self, time: float) -> None:
        while self._events and self._events[0][0] < time:
            self.now, _, act = heapq.heappop(self._events)
            act()

    def _at(self, time: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._events, (time, next(self._numbers), act))

    # documents

    def _upload(self) -> None:
        if self.work.door_s:
            self._at(self.door.serve(self.now, self.work.door_s), self._arrive)
        else:
            self._arrive()

    def _arrive(self) -> None:
        self._queue.append(self.now)
        while self._idle:
            reader = self._idle.pop()
            if reader.free:
                self._claim(reader)
                return

    def _claim(self, reader: Reader) -> None:
        if not self._queue:
            self._idle.append(reader)
            return
        deep = len(self._queue) > len(self._readers)  # a short queue is left to all readers
        group = min(self.work.group if deep else 1, len(self._queue))
        for _ in range(group):
            self.waits.append(self.now - self._queue.popleft())
        reader.reading = group
        begun = self.database.serve(self.now, group * self.work.database_s(group) / 2)
        took = sum((self.work.node_s + self.work.door_s) * self._chance.uniform(0.5, 1.5) for _ in range(group))
        self._at(begun + took, lambda: self._read(reader, group))

    def _read(self, reader: Reader, group: int) -> None:
        """Read; what follows is not the reader's work, so it reads on."""
        if reader.gone:
            return
        reader.reading, reader.held = 0, reader.held + group
        cost_s = self.work.index_s * group
        indexed = self.writer.serve(self.now, cost_s) if cost_s else self.now
        self._at(indexed, lambda: self._end(reader, group))
        self._go_on(reader)

    def _end(self, reader: Reader, group: int) -> None:
        if not reader.gone:
            ended = self.database.serve(self.now, group * self.work.database_s(group) / 2)
            self._at(ended, lambda: self._ended(reader, group))

    def _ended(self, reader: Reader, group: int) -> None:
        if reader.gone:
            return
        self.done, self.last_end = self.done + group, self.now
        reader.held -= group
        self._go_on(reader)

    def _go_on(self, reader: Reader) -> None:
        if reader.free:
            self._claim(reader)
        elif reader.stopping and not reader.reading and not reader.held:
            self._readers.remove(reader)

    # replicas and nodes

    def _tick(self) -> None:
        self._lose(self.lost.get(int(self.now), 0))
        reading = sum(reader.reading > 0 for reader in self._readers)
        waiting = sum(max(0, reader.reading - 1) for reader in self._readers)
        held = sum(reader.held for reader in self._readers)
        oldest_s = self.now - self._queue[0] if self._queue else 0.0
        look = QueueLook(
            queued=len(self._queue) + waiting, reading=reading, held=held, oldest_wait_s=oldest_s, measured_at=self.now
        )
        self._decide(min(self.nodes * self.per_node, max(self.least, self._demand.want(look, self.target))))
        self._fill()
        running = sum(reader.up and not reader.stopping for reader in self._readers)
        self.history.append(Moment(self.now, self.target, running, len(self._queue), oldest_s, self.done))

    def _decide(self, wanted: int) -> None:
        """A wish must hold for so long before Serve obeys it."""
        way = (wanted > self.target) - (wanted < self.target)
        if way != self._wish[0]:
            self._wish = (way, self.now)
        delay_s = UPSCALE_S if way > 0 else TO_ZERO_S if self.target == 1 else DOWNSCALE_S
        if way and self.now - self._wish[1] >= delay_s:
            self.target = wanted if way > 0 or self.target == 1 else max(1, wanted)
            self._wish = (0, self.now)

    def _fill(self) -> None:
        kept = [reader for reader in self._readers if not reader.stopping]
        for reader in sorted(kept, key=lambda one: one.reading)[: max(0, len(kept) - self.target)]:
            reader.stopping = True
            self._go_on(reader)
        for _ in range(min(self.target, self._room()) - len(kept)):
            reader = Reader(self._emptiest())
            self._readers.append(reader)
            self._at(self.now + REPLICA_START_S, lambda reader=reader: self._start(reader))  # type: ignore[misc]

    def _start(self, reader: Reader) -> None:
        reader.up = True
        self._go_on(reader)

    def _living(self) -> list[int]:
        return [node for node in range(self.nodes) if self._dead.get(node, 0.0) <= self.now]

    def _room(self) -> int:
        return len(self._living()) * self.per_node

    def _emptiest(self) -> int:
        counts = dict.fromkeys(self._living(), 0)
        for reader in self._readers:
            if reader.node in counts:
                counts[reader.node] += 1
        return min(counts, key=lambda node: counts[node])

    def _lose(self, count: int) -> None:
        """Nodes die with their readers; nothing they held is lost, it comes back when its lease ends."""
        for node in self._living()[:count]:
            self._dead[node] = self.now + self.back_s
            for reader in [one for one in self._readers if one.node == node]:
                reader.gone = True
                self._readers.remove(reader)
                for _ in range(reader.held + reader.reading):
                    self.restarted += 1
                    self._at(self.now + LEASE_S, self._arrive)

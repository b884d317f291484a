"""The reader pool under load, simulated second by second: the policy itself, Serve's delays, slow starts of replicas.

Discrete time, no threads, no clock: only the depth that the policy sees and the count it wants are exchanged.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from cluster.autoscaling import Depth, QueueDepthPolicy

PER_REPLICA, UPSCALE_S, DOWNSCALE_S, START_S = 4, 1, 30, 11
"""As in cluster/app.py; a replica's start as measured."""


@dataclass
class Context:
    target_num_replicas: int


@dataclass
class Pool:
    """`work`: seconds of one replica each document takes. `lost`: replicas that die at a second."""

    most: int
    least: int = 0
    work: float = 0.5
    lost: dict[int, int] = field(default_factory=dict)
    queue: int = 0
    target: int = 0
    starting: list[int] = field(default_factory=list)
    running: int = 0
    done: float = 0.0
    above: int = 0
    below: int = 0
    history: list[int] = field(default_factory=list)

    def step(self, second: int, arrived: int, policy: QueueDepthPolicy) -> None:
        self.queue += arrived
        self.running -= min(self.running, self.lost.get(second, 0))
        self.starting = [at for at in self.starting if at > second] if not self._ready(second) else self.starting
        busy = min(self.queue, self.running)
        policy.depth = Depth(self.queue - busy, busy, time.monotonic())  # as the second begins: finished ones count
        capacity = self.running / self.work + (self.done % 1)
        finished = min(self.queue, math.floor(capacity))
        self.queue -= finished
        self.done += finished
        wanted = min(self.most, max(self.least, policy(Context(self.target))[0]))
        self._decide(second, wanted)
        self.history.append(self.running + len(self.starting))

    def _ready(self, second: int) -> bool:
        ready = sum(at <= second for at in self.starting)
        self.running += ready
        return not ready

    def _decide(self, second: int, wanted: int) -> None:
        """Serve's delays: a wish must hold for so long before it is obeyed; dead replicas are started again."""
        self.above = self.above + 1 if wanted > self.target else 0
        self.below = self.below + 1 if wanted < self.target else 0
        if self.above >= UPSCALE_S or self.below >= DOWNSCALE_S:
            self.target, self.above, self.below = wanted, 0, 0
        alive = self.running + len(self.starting)
        self.starting += [second + START_S] * max(0, self.target - alive)
        self.running -= min(self.running, max(0, alive - self.target))


def simulate(pool: Pool, seconds: int, arrivals: Callable[[int], int]) -> Pool:
    policy = QueueDepthPolicy("unused", PER_REPLICA, look=lambda _: (0, 0))
    for second in range(seconds):
        pool.step(second, arrivals(second), policy)
    return pool


@pytest.mark.parametrize("nodes", [1, 4, 16, 64, 256])
def test_a_burst_is_worked_off_at_nearly_the_speed_of_all_nodes_and_the_pool_goes_back_to_zero(nodes: int) -> None:
    documents = nodes * 400
    pool = simulate(Pool(most=nodes), 600, lambda second: documents if second == 0 else 0)
    assert pool.done == documents
    assert pool.history[-1] == 0
    assert max(pool.history) == nodes
    ideal_s = documents * pool.work / nodes
    worked_s = next(second for second, count in enumerate(pool.history) if second > START_S and count == 0)
    assert worked_s <= ideal_s + START_S + UPSCALE_S + 2 * DOWNSCALE_S + PER_REPLICA


def test_steady_load_is_kept_up_with_although_the_pool_swings() -> None:
    """Eight a second need four replicas; the queue's depth alone makes it swing between 2 and 15, 13 on average."""
    pool = simulate(Pool(most=64), 900, lambda second: 8)
    assert 900 * 8 - pool.done <= 8 * START_S
    assert max(pool.history[120:]) <= 16
    assert sum(pool.history[120:]) / len(pool.history[120:]) <= 14


def test_lost_nodes_are_replaced_and_nothing_waits_for_ever() -> None:
    pool = simulate(Pool(most=32, lost={100: 16, 160: 8}), 900, lambda second: 40 if second < 200 else 0)
    assert pool.done == 40 * 200
    assert pool.history[-1] == 0


def test_a_short_lull_does_not_scale_in() -> None:
    pool = simulate(Pool(most=16), 300, lambda second: 0 if 150 <= second < 150 + DOWNSCALE_S - 5 else 24)
    assert min(pool.history[140:200]) >= 6

"""Limits stretch while a process waits for a processor, and hold on a machine with free ones."""

import random
import time

import pytest

from quire.models import fair_time
from quire.models.fair_time import LEAST_SHARE, FairClock, TurnWatch


class Machine:
    """A process whose threads ran and waited for these seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.running = self.waiting = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.clock = FairClock(lambda: (self.running, self.waiting))

    def pass_time(self, seconds: float, *, running: float = 0.0, waiting: float = 0.0) -> float:
        before = self.clock.read()
        self.now += seconds
        self.running += running
        self.waiting += waiting
        return self.clock.read() - before


@pytest.mark.parametrize("seed", range(20))
def test_seconds_count_by_the_share_of_the_processor(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    machine, drawn = Machine(monkeypatch), random.Random(seed)
    for _ in range(50):
        seconds = drawn.uniform(0.001, 60)
        running, waiting = drawn.uniform(0, seconds), drawn.choice([0.0, drawn.uniform(0, 10 * seconds)])
        share = running / (running + waiting) if waiting else 1.0
        passed = machine.pass_time(seconds, running=running, waiting=waiting)
        assert passed == pytest.approx(seconds * max(LEAST_SHARE, share))


def test_idle_process_counts_wall_time(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    assert machine.pass_time(5) == 5
    assert machine.pass_time(5, running=-3, waiting=-1) == 5


def test_starved_process_counts_the_least_share(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch)
    assert machine.pass_time(100, waiting=100) == pytest.approx(100 * LEAST_SHARE)


def test_clock_of_this_process_advances() -> None:
    before = fair_time.fair_time()
    sum(range(1_000_000))
    assert fair_time.fair_time() > before


def test_watch_counts_the_turn_since_its_last_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.0]
    monkeypatch.setattr(fair_time, "fair_time", lambda: seconds[0])
    watch = TurnWatch()
    seconds[0] = 10
    assert watch.seconds() == 0
    with watch:
        seconds[0] = 15
        assert watch.seconds() == 5
        watch.advance()
        seconds[0] = 18
        assert watch.seconds() == 3
    assert watch.seconds() == 0

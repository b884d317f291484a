"""The clock of a start counts the time in which its processes could run."""

import time
from pathlib import Path

import pytest

from cluster.machine.patience import FairClock


def clock_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, looks: list[tuple[float, float, float]]
) -> tuple[FairClock, list[float]]:
    """A clock whose looks see these times and sums of seconds run and waited, and its values after each."""
    times, sums = [look[0] for look in looks], [look[1:] for look in looks]
    monkeypatch.setattr(FairClock, "_sums", lambda self: sums.pop(0))
    monkeypatch.setattr(time, "monotonic", lambda: times[0])
    clock = FairClock(1, tmp_path)
    values = []
    while sums:
        times.pop(0)
        values.append(clock.seconds())
    return clock, values


def test_time_waited_for_a_core_does_not_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looks = [(0.0, 0.0, 0.0), (100.0, 2.0, 98.0), (200.0, 4.0, 196.0)]
    clock, values = clock_of(monkeypatch, tmp_path, looks)
    assert values == pytest.approx([2.0, 4.0])
    assert clock.cpu_s == 4.0


def test_time_counts_in_full_while_all_processes_sleep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert clock_of(monkeypatch, tmp_path, [(0.0, 5.0, 1.0), (10.0, 5.0, 1.0)])[1] == [10.0]


def test_processes_that_ended_do_not_turn_the_clock_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert clock_of(monkeypatch, tmp_path, [(0.0, 50.0, 9.0), (10.0, 5.0, 1.0)])[1] == [10.0]


def test_own_session_is_measured(tmp_path: Path) -> None:
    assert FairClock(2**22 + 1, tmp_path).cpu_s == 0.0

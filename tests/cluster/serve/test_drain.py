"""A leaving machine drains and ends; a second request or a refusal of the cluster ends it at once."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from quire.cluster.serve.drain import RayNode, Signals, stay, stay_joined
from quire.cluster.serve.ray_start import REFUSED
from quire.cluster.state import this_process
from tests.waiting import until


@dataclass
class ScriptedNode:
    """Stands for `RayNode`: so many replicas at each look, then none."""

    looks: list[int] = field(default_factory=list)
    code: int | None = None
    steps: list[str] = field(default_factory=list)

    def ended(self) -> int | None:
        return self.code

    def replicas(self) -> int:
        count = self.looks.pop(0) if self.looks else 0
        self.steps.append(f"{count} left")
        return count

    def end(self) -> None:
        self.steps.append("end")


def leave(node: ScriptedNode, drain: Callable[[], bool], *, asked: int = 1, leave_s: float = 60) -> int:
    signals = Signals()
    for _ in range(asked):
        signals._note(signal.SIGTERM, None)
    return stay(node, signals, drain, leave_s=leave_s)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.cluster.serve.drain.POLL_S", 0.01)


def test_leaving_machine_waits_until_its_replicas_are_gone() -> None:
    node = ScriptedNode([3, 3, 1])

    def drain() -> bool:
        node.steps.append("told")
        return True

    assert leave(node, drain) == 0
    assert node.steps == ["told", "3 left", "3 left", "1 left", "0 left", "end"]


def test_second_request_ends_the_drain_at_once() -> None:
    node = ScriptedNode([3] * 100)
    assert leave(node, lambda: True, asked=2) == 0
    assert node.steps == ["3 left", "end"]


def test_a_cluster_that_does_not_agree_is_not_waited_for() -> None:
    node = ScriptedNode([3] * 100)
    assert leave(node, lambda: False) == 0
    assert node.steps == ["end"]


def test_deadline_ends_the_drain_with_remaining_replicas() -> None:
    node = ScriptedNode([1] * 10_000)
    assert leave(node, lambda: True, leave_s=0.05) == 0
    assert node.steps[-1] == "end"


@pytest.mark.parametrize(("code", "told"), [(0, 1), (3, 3)])
def test_a_node_that_ends_by_itself_is_a_failure(code: int, told: int) -> None:
    assert stay(ScriptedNode(code=code), Signals(), lambda: True) == told  # type: ignore[arg-type]


def join(nodes: list[ScriptedNode], *, asked_at: int | None = None) -> tuple[int, list[ScriptedNode]]:
    """Stay joined over these nodes; a signal comes when the node with this number starts."""
    signals, left = Signals(), list(nodes)

    def start() -> ScriptedNode:
        node = left.pop(0)
        if asked_at is not None and len(nodes) - len(left) == asked_at:
            signals._note(signal.SIGTERM, None)
        return node

    return stay_joined(start, signals, lambda: True), left  # type: ignore[arg-type]


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.cluster.serve.drain.PAUSE_S", 0.001)
    monkeypatch.setattr("quire.cluster.serve.drain.MOST_PAUSE_S", 0.002)


@pytest.mark.usefixtures("soon")
def test_machine_that_never_joined_gives_up_after_three_starts() -> None:
    assert join([ScriptedNode(code=7) for _ in range(9)])[0] == 7
    assert len(join([ScriptedNode(code=7) for _ in range(9)])[1]) == 6


@pytest.mark.usefixtures("soon")
def test_refused_machine_does_not_try_again() -> None:
    assert join([ScriptedNode(code=REFUSED) for _ in range(9)])[0] == REFUSED
    assert len(join([ScriptedNode(code=REFUSED) for _ in range(9)])[1]) == 8


@pytest.mark.usefixtures("soon")
def test_machine_that_had_joined_joins_again_without_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("quire.cluster.serve.drain.JOINED_S", 0.0)
    nodes = [ScriptedNode(code=1) for _ in range(20)] + [ScriptedNode([2, 1])]
    assert join(nodes, asked_at=21) == (0, [])
    assert nodes[-1].steps == ["2 left", "1 left", "0 left", "end"]
    assert capsys.readouterr().err.count("joins again in") == 20


@pytest.mark.usefixtures("soon")
def test_signal_between_two_joins_ends_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.cluster.serve.drain.PAUSE_S", 60.0)
    signals = Signals()
    threading.Timer(0.05, signals._note, (signal.SIGTERM, None)).start()
    assert stay_joined(lambda: ScriptedNode(code=1), signals, lambda: True) == 0  # type: ignore[arg-type,return-value]


@pytest.mark.filterwarnings("ignore:lance is not fork-safe")  # other tests of this process have loaded it
def test_real_node_is_counted_and_ended_with_its_processes(tmp_path: Path) -> None:
    """A child whose child calls itself a replica, as Ray's do, and does not listen to SIGTERM."""
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    command = [
        sys.executable, "-c",
        f"import os, subprocess, sys, time; p = subprocess.Popen(['ray::ServeReplica:api', '-c', {program!r}],"
        f" executable=sys.executable); open({str(tmp_path / 'pid')!r}, 'w').write(str(p.pid)); time.sleep(600)",
    ]  # fmt: skip
    node = RayNode(command, os.environ)
    assert until(node.replicas)
    assert node.replicas() == 1
    replica = this_process(int((tmp_path / "pid").read_text()))
    node.end()
    assert node.ended() is not None
    assert until(lambda: not replica.alive())


def test_signals_are_counted_once_installed() -> None:
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    signals = Signals()
    try:
        signals.install()
        threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
        assert until(lambda: signals.asked)
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    assert signals.asked == 1
    assert signals.wait(0)

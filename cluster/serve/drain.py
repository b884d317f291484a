"""A machine's Ray in the foreground, and how it leaves a cluster gently: asked to go, it hands its readers over first.

In come the command of `ray start --block` and its environment. On SIGTERM or SIGINT the cluster is told that the node
drains: Serve starts its replicas elsewhere, stops those here, and readers finish or give back what they hold. A second
signal, or the deadline, ends it at once; leases see to the rest.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from actors.sandbox.prctl import prctl

PR_SET_PDEATHSIG = 1  # prctl option, from linux/prctl.h
LABEL = "quire-machine"
"""Node label by which a machine finds itself in the cluster's list."""
DRAIN_S = 140
"""Serve stops what is left on a draining node one grace period (120 s) before this runs out."""
END_S = 20.0  # seconds for Ray's processes to end before they are killed
ASK_S = 60.0  # seconds for the head to accept that this machine drains
POLL_S = 0.5  # seconds between looks at what still runs here
_REPLICA = b"ray::ServeReplica"


class RayNode:
    """Ray's processes of this machine, all below one child."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        # In a session of its own: Ctrl-C in a terminal must reach us only. Were we killed outright, Linux ends it.
        before = _end_with_parent if sys.platform == "linux" else None
        self._child = subprocess.Popen(
            command,
            env=dict(environment),
            start_new_session=True,
            preexec_fn=before,  # noqa: PLW1509 (no thread runs yet)
        )

    def ended(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._child.poll()

    def replicas(self) -> int:
        """Replicas of Serve that run here."""
        return sum(_command_of(pid).startswith(_REPLICA) for pid in _descendants(self._child.pid))

    def end(self) -> None:
        """All of it, gently for a moment, then not."""
        everybody = _descendants(self._child.pid)
        self._child.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(END_S)
        for pid in (*everybody, self._child.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._child.wait()


def _end_with_parent() -> None:
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Signals:
    """Counts requests to stop."""

    def __init__(self) -> None:
        self.asked, self._event = 0, threading.Event()

    def install(self) -> None:
        """SIGTERM and SIGINT from now on; in the main thread only."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked += 1
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Whether one has come, at most so long."""
        return self._event.wait(seconds)


def stay(node: RayNode, signals: Signals, drain: Callable[[], bool], *, drain_s: float = DRAIN_S) -> int:
    """Until the node ends by itself (its code, 1 for 0: nobody asked) or has left (0). `drain` tells the cluster and
    says whether it agreed."""
    while node.ended() is None:
        if signals.wait(POLL_S):
            return _leave(node, signals, drain, drain_s)
    return node.ended() or 1


def _leave(node: RayNode, signals: Signals, drain: Callable[[], bool], drain_s: float) -> int:
    until = time.monotonic() + drain_s
    if drain():
        while node.replicas() and signals.asked < 2 and time.monotonic() < until and node.ended() is None:
            time.sleep(POLL_S)
    node.end()
    return 0


def ask_cluster(address: str, machine: str, environment: Mapping[str, str]) -> bool:
    """`tell_cluster` in a process of its own, because Ray's client takes its token settings from the environment."""
    command = [sys.executable, "-m", "cluster.serve.drain", address, machine]
    try:
        return subprocess.run(command, env=dict(environment), timeout=ASK_S, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def tell_cluster(address: str, machine: str) -> bool:
    """Whether the cluster agreed that the machine with this label drains."""
    from ray._raylet import GcsClient  # type: ignore[attr-defined]
    from ray.core.generated.autoscaler_pb2 import DrainNodeReason

    cluster = GcsClient(address=address)
    for node_id, facts in cluster.get_all_node_info().items():
        if facts.labels.get(LABEL) == machine:
            deadline_ms = int((time.time() + DRAIN_S) * 1000)
            reason = DrainNodeReason.Value("DRAIN_NODE_REASON_PREEMPTION")
            agreed, _ = cluster.drain_node(node_id.hex(), reason, "quire worker leaves", deadline_ms)
            return bool(agreed)
    return False


def _descendants(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            text = entry.read_text()
            parents.setdefault(int(text[text.rindex(")") + 2 :].split()[1]), []).append(int(entry.parent.name))
    found, todo = [], [root]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    sys.exit(0 if tell_cluster(sys.argv[1], sys.argv[2]) else 1)

"""A machine's Ray in the foreground, and its graceful exit from a cluster.

Runs the command of `ray start --block`. On SIGTERM or SIGINT it reports to the cluster that the node drains: Serve
starts its replicas elsewhere, stops those here, and readers finish or release their documents. A second signal, or the
deadline, ends the node at once; the leases of its documents then expire.
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

from quire.actors.sandbox.prctl import PR_SET_PDEATHSIG, prctl
from quire.cluster.serve.ray_start import ALIVE, REFUSED

LABEL = "quire-machine"
"""Node label by which a machine finds itself in the cluster's list."""
LEAVE_S = 140.0
"""Seconds from the first signal until the machine has left, at most."""
END_S = 10.0
"""The last of them, in which Ray's processes end before they are killed. Serve stops what is left on a draining node
one grace period (120 s) before that."""
JOINED_S = 60.0  # seconds after which a machine that still runs counts as joined
TRIES = 3  # starts of a machine that never joined: its address or token is wrong
PAUSE_S, MOST_PAUSE_S = 5.0, 60.0  # seconds before the machine joins again, doubled while it ends soon
ASK_S = 60.0  # seconds for the head to accept that this machine drains
POLL_S = 0.5  # seconds between looks at what still runs here
_REPLICA = b"ray::ServeReplica"
"""Name of a replica's process."""


class RayNode:
    """Ray's processes of this machine, all below one child."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        # A separate session: Ctrl-C in a terminal must reach this process only. Linux ends the child if we are killed.
        before = _end_with_parent if sys.platform == "linux" else None
        self._child = subprocess.Popen(
            command,
            env=dict(environment),
            start_new_session=True,
            preexec_fn=before,  # noqa: PLW1509 (no thread runs yet)
        )

    def ended(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._child.poll()

    def replicas(self) -> int:
        """Return the number of Serve's replicas that run here."""
        return sum(_command_of(pid).startswith(_REPLICA) for pid in _descendants(self._child.pid))

    def end(self) -> None:
        """End all processes, with SIGKILL after END_S."""
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
        """Count SIGTERM and SIGINT from now on; call it in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked += 1
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Wait for a signal, at most `seconds`; return whether one came."""
        return self._event.wait(seconds)


def stay(node: RayNode, signals: Signals, drain: Callable[[], bool], *, leave_s: float = LEAVE_S) -> int:
    """Wait until the node ends by itself (return its code, 1 for 0) or has drained after a signal (return 0).

    `drain` asks the cluster to drain the node and returns whether it agreed.
    """
    while node.ended() is None:
        if signals.wait(POLL_S):
            return _leave(node, signals, drain, leave_s)
    return node.ended() or 1


def stay_joined(make_node: Callable[[], RayNode], signals: Signals, drain: Callable[[], bool]) -> int:
    """Stay as `stay` does, and join again whenever the node ends by itself, without end once it has joined.

    A machine that the head's version refuses stops at once.
    """
    has_joined, tries, pause_s = False, 0, PAUSE_S
    while True:
        started = time.monotonic()
        code = stay(make_node(), signals, drain)
        if time.monotonic() - started >= JOINED_S:
            has_joined, pause_s = True, PAUSE_S
        tries += 1
        if signals.asked or code == REFUSED or (not has_joined and tries == TRIES):
            return code
        print(f"Ray ended with status {code}; this machine joins again in {pause_s:.0f} s", file=sys.stderr, flush=True)
        if signals.wait(pause_s):
            return 0
        pause_s = min(2 * pause_s, MOST_PAUSE_S)


def _leave(node: RayNode, signals: Signals, drain: Callable[[], bool], leave_s: float) -> int:
    until = time.monotonic() + leave_s - END_S
    if drain():
        while node.replicas() and signals.asked < 2 and time.monotonic() < until and node.ended() is None:
            time.sleep(POLL_S)
    node.end()
    return 0


def ask_cluster(address: str, machine: str, environment: Mapping[str, str]) -> bool:
    """Run `request_drain` in a separate process, because Ray's client takes its token settings from the environment."""
    command = [sys.executable, "-m", "quire.cluster.serve.drain", address, machine]
    try:
        return subprocess.run(command, env=dict(environment), timeout=ASK_S, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def request_drain(address: str, machine: str) -> bool:
    """Ask the cluster to drain the machine with this label; return whether it agreed."""
    from ray._raylet import GcsClient  # type: ignore[attr-defined]
    from ray.core.generated.autoscaler_pb2 import DrainNodeReason

    cluster = GcsClient(address=address)
    for node_id, facts in cluster.get_all_node_info().items():
        if facts.labels.get(LABEL) == machine and facts.state == ALIVE:
            deadline_ms = int((time.time() + LEAVE_S - END_S) * 1000)
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
    descendants, todo = [], [root]
    while todo:
        children = parents.get(todo.pop(), [])
        descendants += children
        todo += children
    return descendants


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    sys.exit(0 if request_drain(sys.argv[1], sys.argv[2]) else 1)

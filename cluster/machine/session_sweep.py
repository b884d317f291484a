"""Ending what is left of a session: only processes that work in this workdir.

In come a workdir and a session id (the supervisor's pid), out come the processes that had to be killed.
"""

import os
import signal
import time
from pathlib import Path

from cluster.state import Process, session_members


def sweep_session(workdir: Path, session: int, *, spare: int | None = None, grace_s: float = 3.0) -> list[Process]:
    """SIGTERM, then SIGKILL after `grace_s`, to every process of ours in the session but `spare`."""
    left = _members(workdir, session, spare)
    send(left, signal.SIGTERM)
    until = time.monotonic() + grace_s
    while time.monotonic() < until and any(process.alive() for process in left):
        time.sleep(0.1)
    killed = _members(workdir, session, spare)
    send(killed, signal.SIGKILL)
    return killed


def _members(workdir: Path, session: int, spare: int | None) -> list[Process]:
    return [process for process in session_members(session, workdir) if process.pid != spare]


def send(processes: list[Process], number: signal.Signals) -> None:
    """Signal those that are still the processes they were."""
    for process in processes:
        if process.alive():
            try:
                os.kill(process.pid, number)
            except ProcessLookupError:
                continue

"""Ends remaining processes of a session, only those that work in this workdir.

A session is named by the supervisor's pid.
"""

import os
import signal
import time
from pathlib import Path

from quire.cluster.state import Process, session_members


def sweep_session(workdir: Path, session: int, *, spare: int | None = None, grace_s: float = 3.0) -> list[Process]:
    """Send SIGTERM, then SIGKILL after `grace_s`, to our session's processes except `spare`; return the killed."""
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
    """Signal the processes whose pid was not reused."""
    for process in processes:
        if process.alive():
            try:
                os.kill(process.pid, number)
            except ProcessLookupError:
                continue

"""Stops a service: asks the supervisor to drain, then sweeps its session, then stops the database.

It also works if the supervisor was killed. Only recorded processes and members of the recorded session are ended.
"""

import os
import signal
import time
from pathlib import Path

from quire.cluster.machine.environment import remove_short_folder
from quire.cluster.machine.session_sweep import send, sweep_session
from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.cluster.state import Process, ServiceState, clear_state, mark_stopping, read_state, session_members

DRAIN_S = 150.0  # seconds: the readers' grace of 120 and Serve's own shutdown


def stop_service(workdir: Path, timeout_s: float = DRAIN_S) -> bool:
    """Stop the service of a workdir and return whether it was running. Idempotent."""
    state = read_state(workdir)
    ran = state is not None and _end(workdir, state, timeout_s)
    clear_state(workdir)
    remove_short_folder(workdir)
    return _stop_database(workdir) or ran


def abandon_start(workdir: Path) -> None:
    """Kill what an interrupted start has left within about a second: the supervisor's session, then the database."""
    state = read_state(workdir)
    if state is not None:
        send(session_members(state.supervisor.pid, workdir), signal.SIGKILL)
    clear_state(workdir)
    remove_short_folder(workdir)
    EmbeddedPostgres(workdir).kill()


def _end(workdir: Path, state: ServiceState, timeout_s: float) -> bool:
    supervisor = state.supervisor
    ran = supervisor.alive()
    if ran:
        mark_stopping(workdir)
        os.kill(supervisor.pid, signal.SIGTERM)
        _wait_for(supervisor, timeout_s)
    return bool(sweep_session(workdir, supervisor.pid)) or ran


def _wait_for(process: Process, timeout_s: float) -> None:
    until = time.monotonic() + timeout_s
    while process.alive() and time.monotonic() < until:
        time.sleep(0.1)


def _stop_database(workdir: Path) -> bool:
    if not (workdir / "run" / "database.json").exists():
        return False
    database = EmbeddedPostgres(workdir)
    ran = database.is_running()
    database.stop()
    return ran

"""Starts the supervisor of a prepared workdir and waits until it is ready or has said why not. Starts no Ray itself."""

import subprocess
import sys
import time
from pathlib import Path

from cluster.errors import StartFailed
from cluster.failure import clear_failure, read_failure
from cluster.machine.environment import service_environment
from cluster.machine.ports import choose_ports
from cluster.runtime import Runtime, write_runtime
from cluster.state import ServiceState, read_state, scratch_folder, this_process, write_state
from configs.kinds import Proxy
from models.cdom.tree import SERVICE_VERSION

LOG_BYTES = 10_000_000  # bytes after which the supervisor's log starts anew at a start


def launch(runtime: Runtime) -> ServiceState:
    """Start the supervisor in a session of its own and record who it is."""
    settings = runtime.settings
    clear_failure(settings.workdir)
    ports = choose_ports()
    environment = service_environment(
        settings.workdir, ports, write_runtime(runtime), haproxy=settings.proxy is Proxy.HAPROXY
    )
    with log_file(settings.workdir).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "cluster.serve.supervisor"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=scratch_folder(settings.workdir),
        )
    state = ServiceState(
        supervisor=this_process(process.pid), base_url=runtime.base_url, ports=ports, version=SERVICE_VERSION
    )
    write_state(settings.workdir, state)
    return state


def log_file(workdir: Path) -> Path:
    """The supervisor's log, owner only; a big one starts afresh."""
    folder = workdir / "log"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "supervisor.log"
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    path.touch(mode=0o600)
    return path


def wait_ready(workdir: Path, state: ServiceState, timeout_s: float) -> None:
    """Until the supervisor says so. Raises `StartFailed` with one line that says why."""
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        now = read_state(workdir)
        if now is not None and now.supervisor == state.supervisor and now.ready:
            return
        if not state.supervisor.alive():
            raise StartFailed(_why(workdir, "the service ended while starting"))
        time.sleep(0.1)
    raise StartFailed(_why(workdir, f"the service was not ready after {timeout_s:.0f} s"))


def _why(workdir: Path, what: str) -> str:
    """One line: what happened, why as far as anybody said, and where the whole story is."""
    reason = read_failure(workdir)
    return f"{what}{f' ({reason})' if reason else ''}; see {log_file(workdir)}"

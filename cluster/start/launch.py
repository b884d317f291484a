"""Starts the supervisor of a workdir and waits until it is ready or has said why not. Starts no Ray itself."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from quire.cluster.bootstrap.enabled import searches
from quire.cluster.errors import StartFailed
from quire.cluster.failure import clear_failure, read_failure
from quire.cluster.machine.environment import service_environment
from quire.cluster.machine.go_ahead import WAIT, give_go_ahead
from quire.cluster.machine.patience import session_clock
from quire.cluster.machine.ports import choose_ports
from quire.cluster.runtime import Runtime, runtime_file
from quire.cluster.state import ServiceState, read_state, scratch_folder, this_process, write_state
from quire.configs.kinds import Proxy
from quire.configs.settings import Settings
from quire.models.cdom.version import SERVICE_VERSION

LOOK_S = 2.0  # seconds between looks at the CPU time of a service that starts
REPORT_S = 30.0  # seconds between lines about a slow start
LOG_BYTES = 10_000_000  # bytes after which a start rotates the supervisor's log


class Launch:
    """A supervisor in a separate session, which imports while the caller prepares its workdir.

    Call `go` when that is done; leaving the context without it ends the supervisor.
    """

    def __init__(self, settings: Settings) -> None:
        workdir = settings.workdir
        clear_failure(workdir)
        self._ports = choose_ports()
        environment = service_environment(
            workdir,
            self._ports,
            runtime_file(workdir),
            haproxy=settings.proxy is Proxy.HAPROXY,
            template=settings.worker_template,
            searching=searches(settings),
        )
        with log_file(workdir).open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "quire.cluster.serve.supervisor", WAIT],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                cwd=scratch_folder(workdir),
            )

    @property
    def pid(self) -> int:
        """The process id of the supervisor, and of its session."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Kill a supervisor that got no start signal; its fork ends with it."""
        pipe = self._process.stdin
        assert pipe is not None
        if not pipe.closed:
            self._process.kill()
            self._process.wait()
            pipe.close()

    def go(self, runtime: Runtime) -> ServiceState:
        """Record the supervisor's identity and let it run. Raises `StartFailed` if it is gone already."""
        pipe, workdir = self._process.stdin, runtime.settings.workdir
        assert pipe is not None
        process = this_process(self.pid)
        state = ServiceState(supervisor=process, base_url=runtime.base_url, ports=self._ports, version=SERVICE_VERSION)
        write_state(workdir, state)
        try:
            give_go_ahead(pipe)
        except BrokenPipeError:
            raise StartFailed(_why(workdir, "the service ended while starting")) from None
        return state


def log_file(workdir: Path) -> Path:
    """Return the supervisor's log (0600), rotated if it is large."""
    folder = workdir / "log"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "supervisor.log"
    if path.exists() and path.stat().st_size > LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    path.touch(mode=0o600)
    return path


def wait_ready(workdir: Path, state: ServiceState, timeout_s: float, *, report: Callable[[str], None]) -> None:
    """Wait until the supervisor is ready. Raises `StartFailed` with one line that names the reason.

    Args:
        workdir: Folder of the service.
        state: State that names the supervisor.
        timeout_s: Limit in seconds of a fair clock, which is slow on a busy machine.
        report: Called with a line about the progress every half minute.
    """
    clock, started = session_clock(state.supervisor.pid, workdir), time.monotonic()
    looked_at = reported_at = started
    while True:
        now = read_state(workdir)
        if now is not None and now.supervisor == state.supervisor and now.ready:
            return
        if not state.supervisor.alive():
            raise StartFailed(_why(workdir, "the service ended while starting"))
        if time.monotonic() - looked_at > LOOK_S:
            looked_at = time.monotonic()
            if clock.read() > timeout_s:
                raise StartFailed(_why(workdir, f"the service was not ready after {looked_at - started:.0f} s"))
            if looked_at - reported_at > REPORT_S:
                reported_at = looked_at
                report(f"still starting: {clock.running_s:.0f} CPU seconds used in {looked_at - started:.0f} s")
        time.sleep(0.1)


def _why(workdir: Path, failure: str) -> str:
    """Return one line: the event, the known reason, and the path of the log."""
    reason = read_failure(workdir)
    return f"{failure}{f' ({reason})' if reason else ''}; see {log_file(workdir)}"

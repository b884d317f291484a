"""A real service for a test session: `quire up` on a separate workdir, and the process facts for tests."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quire.cluster.machine.ports import is_free
from quire.cluster.state import ServiceState, read_state
from tests.lab.bench.client import Client
from tests.lab.bench.processes import family

ROOT = Path(__file__).resolve().parents[2]
QUIRE = [sys.executable, "-m", "quire.cluster.cli.main"]
FAST = {"SVC_WORKERS": "2", "SVC_LEASE_S": "3", "SVC_BEAT_S": "1", "SVC_RETRY_DELAYS_S": "1,2"}


@dataclass(frozen=True, slots=True)
class Service:
    """A workdir that is up."""

    workdir: Path
    port: int

    def quire(self, *arguments: str, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the command as a user would; stdout and stderr as text."""
        command = [*QUIRE, *arguments, "--workdir", str(self.workdir)]
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("SVC_", "RAY_"))}
        environment = {**kept, **FAST, **variables}
        return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=check)

    @property
    def state(self) -> ServiceState:
        state = read_state(self.workdir)
        assert state is not None
        return state

    @property
    def client(self) -> Client:
        return Client(self.state.base_url, (self.workdir / "token").read_text().strip())

    def processes(self, *names: str) -> dict[int, str]:
        """Living processes of the service whose command line holds one of `names` (all without names)."""
        found = {pid: _command(pid) for pid in family(self.state.supervisor.pid)}
        return {pid: text for pid, text in found.items() if text and (not names or any(name in text for name in names))}

    def log(self) -> str:
        return (self.workdir / "log" / "supervisor.log").read_text(errors="replace")


@contextmanager
def service_up(ports: range, *, keys: str = "", **variables: str) -> Iterator[Service]:
    """Start a service with these settings on a separate workdir and a free port; stop and delete it afterwards."""
    workdir = Path(tempfile.mkdtemp(prefix="qe", dir="/tmp"))
    workdir.chmod(0o711)
    started = Service(workdir, next(port for port in ports if is_free(port)))
    done = started.quire("up", "--detach", "--port", str(started.port), check=False, SVC_API_KEYS=keys, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    try:
        yield started
    finally:
        started.quire("down", check=False)
        shutil.rmtree(workdir, ignore_errors=True)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""

"""WORKDIR/run/state.json (0600): which process runs this workdir, its ports and whether it is ready.

In comes a workdir, out come facts about the running service. A process is named by pid *and* start time, so that a
reused pid is never taken for ours. Knows nothing of Ray or settings.
"""

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from cluster.errors import ClusterBusy

_STATE, _TICKS_FIELD = "state.json", 19


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process identified for good: pid and kernel start time (clock ticks since boot)."""

    pid: int
    started: int

    def alive(self) -> bool:
        """Still that very process, and not a zombie."""
        return start_time(self.pid) == self.started


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """What `up` wrote: `ports` by purpose; `ready` turns true when the API has answered."""

    supervisor: Process
    base_url: str
    ports: dict[str, int] = field(default_factory=dict)
    ready: bool = False
    version: str = ""


def start_time(pid: int) -> int | None:
    """The process's start time, None when it is gone or a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *rest = stat[stat.rindex(")") + 2 :].split()
    return None if state in "ZX" else int(rest[_TICKS_FIELD - 1])


def this_process(pid: int | None = None) -> Process:
    """Identity of a living process, by default of the caller."""
    pid = os.getpid() if pid is None else pid
    return Process(pid=pid, started=start_time(pid) or 0)


def run_folder(workdir: Path) -> Path:
    """WORKDIR/run, private to the owner; made when missing, and the workdir with it (others may pass, not look)."""
    workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    folder = workdir / "run"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def write_private(path: Path, content: bytes) -> None:
    """Replace `path` by a 0600 file, whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mkstemp makes it 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_state(workdir: Path) -> ServiceState | None:
    """What was written last, or None; it may describe processes that are gone."""
    try:
        raw = json.loads((workdir / "run" / _STATE).read_bytes())
        return ServiceState(**{**raw, "supervisor": Process(**raw["supervisor"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def running_state(workdir: Path) -> ServiceState | None:
    """The state of a service that is running now, else None."""
    state = read_state(workdir)
    return state if state is not None and state.supervisor.alive() else None


def write_state(workdir: Path, state: ServiceState) -> None:
    """Store it, owner only."""
    write_private(run_folder(workdir) / _STATE, json.dumps(asdict(state), indent=1).encode())


def mark_ready(workdir: Path, ready: bool) -> None:
    """Flip the readiness of a stored state."""
    state = read_state(workdir)
    if state is not None and state.ready != ready:
        write_state(workdir, replace(state, ready=ready))


def clear_state(workdir: Path) -> None:
    """Forget the service: it is down."""
    (workdir / "run" / _STATE).unlink(missing_ok=True)


def scratch_folder(workdir: Path) -> Path:
    """Working folder and TMPDIR of every process of the service: the mark by which they are known as ours."""
    folder = run_folder(workdir) / "tmp"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def session_members(session: int, workdir: Path) -> list[Process]:
    """Living processes of a session (named by its leader's pid) that work in this workdir's scratch folder.

    The folder keeps a stale state file, after a reboot say, from pointing at a stranger's session. (A mark in the
    environment would not do: Ray's processes write their titles over it.)
    """
    found, ours = [], str((workdir / "run" / "tmp").resolve())
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            pid = int(entry.name)
            started = start_time(pid)
            if started and os.getsid(pid) == session and (entry / "cwd").readlink() == Path(ours):
                found.append(Process(pid=pid, started=started))
    return found


@contextlib.contextmanager
def exclusive(workdir: Path) -> Iterator[None]:
    """One `up` or `down` of a workdir at a time; raises `ClusterBusy` at once."""
    with (run_folder(workdir) / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClusterBusy(f"another quire up or down is at work on {workdir}") from None
        yield

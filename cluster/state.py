"""WORKDIR/run/state.json (0600): the process that runs this workdir, its ports and whether it is ready.

A process is named by pid *and* start time, so that a reused pid is never taken for ours. Knows nothing of Ray or
settings.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from quire.cluster.errors import ClusterBusy
from quire.storage.objects.durable_files import replace_file

_STATE, _LOCK, _TICKS_FIELD = "state.json", "lock", 19
STOP_S = 8.0
"""Seconds in which a reader finishes or releases its documents when the whole service stops."""


class ServicePhase(StrEnum):
    """State of a service."""

    DOWN = "down"
    STARTING = "starting"
    UP = "up"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process identified by pid and kernel start time (clock ticks since boot)."""

    pid: int
    started: int

    def alive(self) -> bool:
        """Return whether that very process still runs and is not a zombie."""
        return start_time(self.pid) == self.started


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """The state that `up` wrote: `ports` by purpose.

    `ready` becomes true when the API has answered, and `stopping` when the service begins to drain.
    """

    supervisor: Process
    base_url: str
    ports: dict[str, int] = field(default_factory=dict)
    ready: bool = False
    stopping: bool = False
    version: str = ""


def start_time(pid: int) -> int | None:
    """Return the process's start time, or None if it is gone or a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *fields = stat[stat.rindex(")") + 2 :].split()
    return None if state in "ZX" else int(fields[_TICKS_FIELD - 1])


def this_process(pid: int | None = None) -> Process:
    """Return the identity of a living process, by default of the caller."""
    pid = os.getpid() if pid is None else pid
    return Process(pid=pid, started=start_time(pid) or 0)


def run_folder(workdir: Path) -> Path:
    """Return WORKDIR/run, private to the owner; create it and the workdir if missing (others may pass, not look)."""
    workdir.mkdir(mode=0o711, parents=True, exist_ok=True)
    folder = workdir / "run"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def read_state(workdir: Path) -> ServiceState | None:
    """Return the last written state, or None; it may describe processes that are gone."""
    try:
        raw = json.loads((workdir / "run" / _STATE).read_bytes())
        return ServiceState(**{**raw, "supervisor": Process(**raw["supervisor"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def running_state(workdir: Path) -> ServiceState | None:
    """Return the state of a service that is running now, else None."""
    state = read_state(workdir)
    return state if state is not None and state.supervisor.alive() else None


def write_state(workdir: Path, state: ServiceState) -> None:
    """Store the state, readable by its owner only."""
    replace_file(run_folder(workdir) / _STATE, json.dumps(asdict(state), indent=1).encode())


def mark_ready(workdir: Path, ready: bool) -> None:
    """Set the readiness of a stored state."""
    state = read_state(workdir)
    if state is not None and (state.ready != ready or state.stopping):
        write_state(workdir, replace(state, ready=ready, stopping=False))


def mark_stopping(workdir: Path) -> None:
    """Record that the service drains, so that its readers hurry."""
    state = read_state(workdir)
    if state is not None:
        write_state(workdir, replace(state, ready=False, stopping=True))


def is_stopping(workdir: Path) -> bool:
    """Return whether the whole service drains, and not only one replica."""
    state = read_state(workdir)
    return state is not None and state.stopping


def find_phase(workdir: Path) -> ServicePhase:
    """Return what the service of a workdir does now."""
    state = running_state(workdir)
    phase = _phase_of_command(workdir)
    if phase is not None:
        return phase
    if state is None:
        return ServicePhase.DOWN
    return ServicePhase.STOPPING if state.stopping else ServicePhase.UP if state.ready else ServicePhase.STARTING


def _phase_of_command(workdir: Path) -> ServicePhase | None:
    """Return the phase of a running `up` or `down`, or None."""
    try:
        with (workdir / "run" / _LOCK).open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return ServicePhase(lock.read().strip() or ServicePhase.STARTING)
    except (OSError, ValueError):
        pass
    return None


def clear_state(workdir: Path) -> None:
    """Remove the state: the service is down."""
    (workdir / "run" / _STATE).unlink(missing_ok=True)


def scratch_folder(workdir: Path) -> Path:
    """Return the working folder and TMPDIR of every process of the service, by which its processes are identified."""
    folder = run_folder(workdir) / "tmp"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def session_members(session: int, workdir: Path) -> list[Process]:
    """Return living processes of a session (its leader's pid) that work in this workdir's scratch folder.

    The folder keeps a stale state file, after a reboot for example, from naming another program's session. (A mark in
    the environment would not do: Ray's processes write their titles over it.)
    """
    members, ours = [], str((workdir / "run" / "tmp").resolve())
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            pid = int(entry.name)
            started = start_time(pid)
            if started and os.getsid(pid) == session and (entry / "cwd").readlink() == Path(ours):
                members.append(Process(pid=pid, started=started))
    return members


@contextlib.contextmanager
def exclusive(workdir: Path, phase: ServicePhase) -> Iterator[None]:
    """Allow one `up` or `down` of a workdir at a time; raise `ClusterBusy` at once if another runs.

    Meanwhile `find_phase` returns `phase`.
    """
    with (run_folder(workdir) / _LOCK).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClusterBusy(f"another quire up or down is at work on {workdir}") from None
        lock.truncate(0)
        lock.write(phase)
        lock.flush()
        yield

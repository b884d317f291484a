"""The service's processes as the kernel sees them: found by the supervisor's session, distinguished by title."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    title: str


def processes_of_session(session: int) -> list[Process]:
    """Every live process whose session id is `session`, and every fork server and child below one of them."""
    table = {process.pid: (process, sid) for process, sid in _all_processes()}
    ours = {pid for pid, (_, sid) in table.items() if sid == session}
    while True:
        more = {pid for pid, (process, _) in table.items() if process.parent in ours} - ours
        if not more:
            return [table[pid][0] for pid in sorted(ours)]
        ours |= more


def _all_processes() -> list[tuple[Process, int]]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            title = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        except OSError:
            continue
        if stat[0] != "Z":
            found.append((Process(int(entry.name), int(stat[1]), title), int(stat[3])))
    return found


def readers(session: int) -> list[Process]:
    return [p for p in processes_of_session(session) if "ServeReplica" in p.title and "fast_path" in p.title.lower()]


def api_replicas(session: int) -> list[Process]:
    return [p for p in processes_of_session(session) if "ServeReplica" in p.title and ":api" in p.title.lower()]


def children(session: int) -> list[Process]:
    """Parser children: sandbox processes whose parent is a sandbox process (the fork server)."""
    sandboxed = [p for p in processes_of_session(session) if "sandbox" in p.title and "server" in p.title]
    servers = {p.pid for p in sandboxed}
    return [p for p in sandboxed if p.parent in servers]


def send(process: Process, number: signal.Signals) -> bool:
    """Send a signal; False when the process is already gone."""
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return False
    return True

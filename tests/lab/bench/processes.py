"""Measures a running service: CPU seconds and memory of all its processes, read from /proc.

In come the supervisor's and the database's pids, out come sums. A reader's children are left out of the CPU: they end
before they could be counted, so the figure covers the part outside the child.
"""

import os
from contextlib import suppress
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def family(*roots: int) -> set[int]:
    """Living processes descending from `roots`, themselves included."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (parent := _stat(int(entry.name), 1)) is not None:
            children.setdefault(parent, []).append(int(entry.name))
    found, todo = set(roots), list(roots)
    while todo:
        fresh = [pid for pid in children.get(todo.pop(), ()) if pid not in found]
        found.update(fresh)
        todo += fresh
    return found


def cpu_seconds(pids: set[int]) -> float:
    """User and system time so far of these processes, without that of children they have outlived."""
    return sum((_stat(pid, 11) or 0) + (_stat(pid, 12) or 0) for pid in pids) / TICK


def cpu_by_name(pids: set[int]) -> dict[str, float]:
    """User and system time so far by the name a process states, with that of children it has outlived."""
    found: dict[str, float] = {}
    for pid in pids:
        with suppress(OSError):
            name = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")[-40:]
            ticks = sum(_stat(pid, field) or 0 for field in (11, 12, 13, 14))
            found[name] = found.get(name, 0) + ticks / TICK
    return found


def memory_mb(pids: set[int]) -> float:
    """Proportional set size: shared pages counted once over all processes."""
    total = 0
    for pid in pids:
        try:
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return total / 1000


def _stat(pid: int, field: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(stat[stat.rindex(")") + 2 :].split()[field])

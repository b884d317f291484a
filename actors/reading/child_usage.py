"""Resource usage of a sandboxed child, as the kernel reports it to the parent."""

import os
import sys
from dataclasses import dataclass

_IS_LINUX = sys.platform == "linux"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_USER_TICKS, _SYSTEM_TICKS, _ADDRESS_SPACE = 11, 12, 20  # fields after the name in /proc/PID/stat, see proc(5)


@dataclass(frozen=True, slots=True)
class ChildUsage:
    """CPU seconds and bytes of address space."""

    cpu_s: float
    mapped_bytes: int


def read_usage(pid: int) -> ChildUsage | None:
    """Return the usage of a live process; None where the system does not report it."""
    if not _IS_LINUX:
        return None
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return None
    cpu_ticks = int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])
    return ChildUsage(cpu_s=cpu_ticks / _TICKS_PER_S, mapped_bytes=int(fields[_ADDRESS_SPACE]))

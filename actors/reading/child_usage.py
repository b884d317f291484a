"""Resource usage of a sandboxed child, as the kernel reports it to the parent."""

import os
import select
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

_IS_LINUX = sys.platform == "linux"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_USER_TICKS, _SYSTEM_TICKS, _ADDRESS_SPACE = 11, 12, 20  # fields after the name in /proc/PID/stat, see proc(5)

_CHECKS = 8  # looks at an idle process within its limit
_MOST_STEP_S = 1.0  # seconds between two looks


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


def wait_until_ready(
    channel: socket.socket, event: int, pid: int, limit_s: float, check: Callable[[], None] = lambda: None
) -> float:
    """Wait for a channel to a process and return the seconds in which the process was idle.

    A process that waits for a processor is not idle: on a busy machine it is slow, not stuck. Where the system does not
    report such waiting, each second counts as idle.

    Args:
        channel: The parent's end of the channel.
        event: `select.POLLIN` or `select.POLLOUT`.
        pid: The process at the other end.
        limit_s: Idle seconds after which the process counts as stuck.
        check: Called about once a second; an exception that it raises ends the wait.

    Raises:
        TimeoutError: The process was idle for `limit_s`.
    """
    poll = select.poll()
    poll.register(channel, event)
    idle = IdleClock(pid)
    while not poll.poll(1000 * min(_MOST_STEP_S, limit_s / _CHECKS)):
        check()
        if idle.read() >= limit_s:
            raise TimeoutError
    return idle.seconds


class IdleClock:
    """Seconds in which a process neither ran nor waited for a processor, since the clock was made."""

    def __init__(self, pid: int) -> None:
        self._pid, self.seconds = pid, 0.0
        self._read_at, self._scheduled_s = time.monotonic(), _read_scheduled_s(pid)

    def read(self) -> float:
        """Return the seconds until now. Call it about once a second."""
        now, scheduled_s = time.monotonic(), _read_scheduled_s(self._pid)
        self.seconds += max(0.0, now - self._read_at - (scheduled_s - self._scheduled_s))
        self._read_at, self._scheduled_s = now, scheduled_s
        return self.seconds


def _read_scheduled_s(pid: int) -> float:
    """Return the seconds that a process has run or waited for a processor; 0 where the system does not report them."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as schedstat:
            running_ns, waiting_ns, _ = schedstat.read().split()
    except (OSError, ValueError):
        return 0.0
    return (int(running_ns) + int(waiting_ns)) / 1e9

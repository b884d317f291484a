"""Tries in locked-down children of the server what no document may do: the proof that the locks hold here."""

import os
import socket
from collections.abc import Callable
from typing import NoReturn

from quire.actors.sandbox.limits import SandboxLimits
from quire.actors.sandbox.lockdown import lock_down

_DENIED, _ALLOWED = 0, 1  # exit codes of a probing child
_FILTERED = 64  # that of a child whose system calls are filtered


def _connect() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect(("127.0.0.1", 9))


def _execute() -> None:
    os.execv("/proc/self/exe", ["python"])  # noqa: S606  must fail


def _open() -> None:
    os.close(os.open("/etc/passwd", os.O_RDONLY))


def _fork() -> None:
    os.fork()


ATTEMPTS: dict[str, Callable[[], None]] = {"connect": _connect, "exec": _execute, "open": _open, "fork": _fork}


def find_gaps(limits: SandboxLimits) -> list[str]:
    """Names of the attempts that a locked-down child could carry out; empty when the sandbox holds."""
    probes = {name: _start(attempt, limits) for name, attempt in ATTEMPTS.items()}
    return [name for name, pid in probes.items() if not _was_denied(pid)]


def can_filter(limits: SandboxLimits) -> bool:
    """Whether a child's system calls can be filtered here."""
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        _report_filter(limits, server)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == _FILTERED


def _report_filter(limits: SandboxLimits, server: int) -> NoReturn:
    try:
        os._exit(_FILTERED if lock_down(limits, server) else _DENIED)
    finally:
        os._exit(_DENIED)


def _start(attempt: Callable[[], None], limits: SandboxLimits) -> int:
    """Fork a child that tries the attempt; return its pid."""
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        _try(attempt, limits, server)
    return pid


def _was_denied(pid: int) -> bool:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code == _DENIED or code < 0


def _try(attempt: Callable[[], None], limits: SandboxLimits, server: int) -> NoReturn:
    outcome = _ALLOWED
    try:
        lock_down(limits, server)
        outcome = _attempt(attempt)
    finally:
        os._exit(outcome)


def _attempt(attempt: Callable[[], None]) -> int:
    try:
        attempt()
    except OSError:
        return _DENIED
    return _ALLOWED

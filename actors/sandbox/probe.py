"""Tries in locked-down children of the server what no document may do: the proof that the locks hold here."""

import os
import socket
from collections.abc import Callable
from typing import NoReturn

from actors.sandbox.limits import SandboxLimits
from actors.sandbox.lockdown import lock_down

_DENIED, _ALLOWED = 0, 1  # exit codes of a probing child
_LAYERS = ("rlimits", "no_new_privs", "landlock", "seccomp")
_LAYER_BASE = 64  # exit codes from here on carry the bits of the active layers


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


def find_gaps(limits: SandboxLimits, base_bytes: int) -> list[str]:
    """Names of the attempts that a locked-down child could carry out; empty when the sandbox holds."""
    probes = {name: _start(attempt, limits, base_bytes) for name, attempt in ATTEMPTS.items()}
    return [name for name, pid in probes.items() if not _was_denied(pid)]


def find_active_layers(limits: SandboxLimits, base_bytes: int) -> dict[str, bool]:
    """Layer → whether it could be put on here."""
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        _report_layers(limits, base_bytes, server)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    bits = code - _LAYER_BASE if code >= _LAYER_BASE else 0
    return {name: bool(bits >> place & 1) for place, name in enumerate(_LAYERS)}


def _report_layers(limits: SandboxLimits, base_bytes: int, server: int) -> NoReturn:
    try:
        layers = lock_down(limits, base_bytes, server)
        os._exit(_LAYER_BASE + sum(layers[name] << place for place, name in enumerate(_LAYERS)))
    finally:
        os._exit(_DENIED)


def _start(attempt: Callable[[], None], limits: SandboxLimits, base_bytes: int) -> int:
    """The pid of a child that tries it."""
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        _try(attempt, limits, base_bytes, server)
    return pid


def _was_denied(pid: int) -> bool:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code == _DENIED or code < 0


def _try(attempt: Callable[[], None], limits: SandboxLimits, base_bytes: int, server: int) -> NoReturn:
    outcome = _ALLOWED
    try:
        lock_down(limits, base_bytes, server)
        outcome = _attempt(attempt)
    finally:
        os._exit(outcome)


def _attempt(attempt: Callable[[], None]) -> int:
    try:
        attempt()
    except OSError:
        return _DENIED
    return _ALLOWED

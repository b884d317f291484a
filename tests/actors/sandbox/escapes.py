"""Attacks that a document might try after taking over its reader; each returns its outcome as text."""

import ctypes
import mmap
import os
import resource
import signal
import socket
import threading
from collections.abc import Callable

CHANNEL = 3
PR_SET_DUMPABLE = 4


def _connect() -> None:
    socket.create_connection(("127.0.0.1", 9), timeout=1)


def _send_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.sendto(b"x", ("127.0.0.1", 9))


def _resolve() -> None:
    socket.getaddrinfo("localhost", 80)


def _unix_socket() -> None:
    socket.socket(socket.AF_UNIX)


def _pair() -> None:
    socket.socketpair()


def _open(path: str, flags: int = os.O_RDONLY) -> Callable[[], None]:
    def attempt() -> None:
        os.close(os.open(path, flags, 0o600))

    return attempt


def _execute() -> None:
    os.execv("/bin/true", ["true"])


def _thread() -> None:
    threading.Thread(target=int).start()


def _trace_parent() -> None:
    _call(101, 16, os.getppid(), 0, 0)  # PTRACE_ATTACH


def _call(number: int, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *arguments) == -1:
        raise OSError(ctypes.get_errno(), "refused")


def _executable_memory() -> None:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)


def _raise_limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))


def _limit_parent() -> None:
    resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (1, 1))


_ATTEMPTS: dict[str, Callable[[], object]] = {
    "connect": _connect,
    "datagram": _send_datagram,
    "resolve": _resolve,
    "unix-socket": _unix_socket,
    "socket-pair": _pair,
    "open-passwd": _open("/etc/passwd"),
    "open-environ": _open("/proc/self/environ"),
    "open-parent-environ": _open("/proc/1/environ"),
    "write-file": _open("/tmp/escaped", os.O_WRONLY | os.O_CREAT),
    "list": lambda: os.listdir("/"),
    "stat": lambda: os.stat("/etc/passwd"),
    "make-folder": lambda: os.mkdir("/tmp/escaped"),
    "change-folder": lambda: os.chdir("/"),
    "memfd": lambda: os.memfd_create("x"),
    "pipe": os.pipe,
    "execute": _execute,
    "fork": os.fork,
    "thread": _thread,
    "trace-parent": _trace_parent,
    "kill-parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "kill-all": lambda: os.kill(-1, signal.SIGKILL),
    "become-root": lambda: os.setuid(0),
    "executable-memory": _executable_memory,
    "raise-limit": _raise_limit,
    "limit-parent": _limit_parent,
    "unshare": lambda: _call(272, 0x10000000),
    "write-original": lambda: os.write(4, b"x"),
}


def _outcome(attempt: Callable[[], object]) -> Callable[[], str]:
    def run() -> str:
        try:
            attempt()
        except (OSError, ValueError, RuntimeError) as error:
            return f"denied: {type(error).__name__}"
        return "ESCAPED"

    return run


ESCAPES: dict[str, Callable[[], str]] = {name: _outcome(attempt) for name, attempt in _ATTEMPTS.items()}

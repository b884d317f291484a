"""The fork server: imports the parsers, gives up its privileges, forks one locked-down child after another.

Comes in: one byte on the control socket per child wanted. Goes out: a child's pid, channel and pidfd, then its exit.
Single-threaded, opens no document but our own sample; ends when the control socket closes. Run with `python -I`.
"""

import array
import gc
import os
import resource
import select
import signal
import socket
import sys
from typing import Any, NoReturn

from quire.actors.sandbox.frames import encode
from quire.actors.sandbox.limits import SandboxLimits
from quire.actors.sandbox.lockdown import IS_LINUX, lock_down, lock_server

UNWANTED = ("onnxruntime", "networkx", "pymupdf.layout", "pymupdf4llm")
"""Left out of the server: together 1.8 s and 150 MB, and threads, which a fork must not meet."""
UNPRIVILEGED = 65534  # uid and gid of the user without rights
CHANNEL = 3  # file descriptor, right after the standard three
_POLL_MS = 20  # milliseconds between checks for ended children, where the system sends no notice


def main(control: int, limits_json: str) -> NoReturn:
    """Serve until the control socket closes; an error before that is sent as a `refused` frame."""
    link = socket.socket(fileno=control)
    try:
        limits = SandboxLimits.load(limits_json)
        prepare_process(limits)
        landlock = lock_server(limits, mapped_bytes())
        layers = check_lockdown(limits, landlock=landlock)
    except BaseException as error:
        link.sendall(encode({"kind": "refused", "reason": f"{type(error).__name__}: {error}"[:500]}))
        os._exit(1)
    link.sendall(encode({"kind": "ready", "layers": layers, "idle_rss": peak_rss_bytes()}))
    Server(link, limits).serve()
    os._exit(0)


def prepare_process(limits: SandboxLimits) -> None:
    """Import the readers, drop privileges, and keep one thread and a frozen heap; raises when a step fails."""
    gc.disable()  # what is imported stays: looking through it again and again costs a tenth of the start
    for name in UNWANTED:
        sys.modules[name] = None  # type: ignore[assignment]
    from quire.models.cdom.original import Format
    from quire.models.extract.pipeline.preload import preload
    from quire.models.extract.registry import READERS

    READERS.update({Format(name): target for name, target in limits.readers.items()})
    preload([Format(name) for name in limits.formats])
    from quire.actors.sandbox import child, probe  # noqa: F401  their code must be here before the files are gone
    from quire.actors.sandbox.warmup import warm_up

    warm_up(redact=not limits.formats)
    gc.enable()

    dropped = drop_privileges() if limits.locked else True
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if IS_LINUX and len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("the fork server has more than one thread")
    if not dropped and os.geteuid() == 0:
        raise RuntimeError("still root")
    gc.collect()
    gc.freeze()


def drop_privileges() -> bool:
    """Switch from root to the unprivileged user; return False when not root."""
    if os.geteuid() != 0:
        return False
    os.setgroups([])
    os.setresgid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
    os.setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED)
    return True


def check_lockdown(limits: SandboxLimits, *, landlock: bool) -> dict[str, bool]:
    """Return the layers that hold, by testing them; raises when a locked-down child could break out."""
    layers = {"rlimits": True, "no_new_privs": IS_LINUX and limits.locked, "landlock": landlock}
    if not IS_LINUX or not limits.locked:
        return {**layers, "seccomp": False, "unprivileged": os.geteuid() != 0}
    from quire.actors.sandbox.probe import can_filter, find_gaps

    gaps = find_gaps(limits)
    if gaps:
        raise RuntimeError(f"the sandbox lets through: {', '.join(gaps)}")
    return {**layers, "seccomp": can_filter(limits), "unprivileged": os.geteuid() != 0}


def mapped_bytes() -> int:
    """Return the address space in use; 0 where the system does not report it."""
    if not IS_LINUX:
        return 0
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def peak_rss_bytes() -> int:
    """Return the peak resident bytes of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if IS_LINUX else 1)


class Server:
    """Forks a child per byte on the control socket, and reports each child's exit code and usage."""

    def __init__(self, link: socket.socket, limits: SandboxLimits) -> None:
        self._link, self._limits = link, limits
        self._pid = os.getpid()
        self._poll = select.poll()
        self._poll.register(link, select.POLLIN)
        self._pids: dict[int, int] = {}
        self._children: set[int] = set()

    def serve(self) -> None:
        """Serve until the control socket closes."""
        self._fork()
        control = self._link.fileno()
        while True:
            for descriptor, _ in self._poll.poll(None if IS_LINUX else _POLL_MS):
                if descriptor == control:
                    requests = self._link.recv(64)
                    if not requests:
                        return
                    for _ in requests:
                        self._fork()
                else:
                    self._reap(descriptor)
            if not IS_LINUX:
                self._reap_any()

    def _fork(self) -> None:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            self._become_child(theirs)
        theirs.close()
        descriptors = [ours.fileno()]
        self._children.add(pid)
        if IS_LINUX:
            pidfd = os.pidfd_open(pid)
            self._pids[pidfd] = pid
            self._poll.register(pidfd, select.POLLIN)
            descriptors.append(pidfd)
        self._send(descriptors, kind="child", pid=pid)
        ours.close()

    def _become_child(self, channel: socket.socket) -> NoReturn:
        try:
            os.dup2(channel.fileno(), CHANNEL)
            os.closerange(CHANNEL + 1, CHANNEL + 1024)
            lock_down(self._limits, self._pid)
            from quire.actors.sandbox.child import serve_requests

            serve_requests(CHANNEL, self._limits)
        except BaseException:
            os._exit(70)

    def _reap(self, pidfd: int) -> None:
        pid = self._pids.pop(pidfd)
        self._poll.unregister(pidfd)
        os.close(pidfd)
        _, status, usage = os.wait4(pid, 0)
        self._report_exit(pid, status, usage)

    def _reap_any(self) -> None:
        for pid in tuple(self._children):
            ended_pid, status, usage = os.wait4(pid, os.WNOHANG)
            if ended_pid:
                self._report_exit(pid, status, usage)

    def _report_exit(self, pid: int, status: int, usage: resource.struct_rusage) -> None:
        self._children.discard(pid)
        rss = usage.ru_maxrss * (1024 if IS_LINUX else 1)
        code = os.waitstatus_to_exitcode(status)
        self._send([], kind="exit", pid=pid, code=code, cpu=usage.ru_utime + usage.ru_stime, rss=rss)

    def _send(self, descriptors: list[int], **message: Any) -> None:
        passed = array.array("i", descriptors)
        frame = encode(message)
        sent = self._link.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)] if descriptors else [])
        if sent < len(frame):
            self._link.sendall(frame[sent:])

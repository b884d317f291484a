"""The parent's side of the sandbox: starts the fork server, takes children from it, kills them, learns how they ended.

Comes in: limits. Goes out: `Child` objects to talk to. Nothing of this process (environment, signal mask, descriptors)
reaches the server. A dead server is started again by the next `take`.
"""

import array
import contextlib
import errno
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from quire.actors.reading.child_usage import wait_until_ready
from quire.actors.sandbox.frames import BadFrame, EndOfFrames, Frame, FrameReader
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.import_names import IMPORT_ROOT, is_compiled

_ROOT = str(IMPORT_ROOT)
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from {entry} import main; main(int(sys.argv[2]), sys.argv[3])"
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC",
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
}  # fmt: skip
_START_DELAYS_S = (0.0, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each start of the server; a full process table passes in such times."""
_START_TIMEOUT_S = 60.0  # idle seconds of the server, e.g. in which it loads parsers from a slow disk
_ANSWER_TIMEOUT_S = 10.0  # idle seconds: a fork takes milliseconds; without an answer the server is dead
_CONTROL_CAP = 1 << 16  # bytes of one control message: pids and verdicts, never documents
_DESCRIPTORS_AT_ONCE = 64  # descriptors taken from one message: no message of ours carries more


class ServerGone(Exception):
    """The fork server is dead, stuck or cannot be started; `take` starts a new one."""


class SandboxRefused(ServerGone):
    """The fork server will not serve here: a lock does not hold or a parser cannot be imported."""


@dataclass(frozen=True, slots=True)
class Exit:
    """Exit status of a child: exit code (negative: signal), CPU seconds, peak resident bytes."""

    code: int
    cpu_s: float
    peak_rss: int


@dataclass(slots=True)
class NewChild:
    """A child that is idle and locked down: `pidfd` is -1 where the system has none."""

    pid: int
    channel: socket.socket
    pidfd: int = -1

    def kill(self) -> None:
        """Kill the child if it is still running."""
        with contextlib.suppress(ProcessLookupError):
            if self.pidfd >= 0:
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Close the channel and the process descriptor."""
        self.channel.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1


@dataclass(slots=True)
class _Running:
    """One run of the server, with its messages that were not consumed yet."""

    process: subprocess.Popen[bytes]
    link: socket.socket
    frames: FrameReader = field(init=False)
    layers: dict[str, bool] = field(default_factory=dict)
    idle_rss: int = 0
    descriptors: deque[int] = field(default_factory=deque)
    idle: deque[NewChild] = field(default_factory=deque)
    exits: dict[int, Exit] = field(default_factory=dict)
    alive: set[int] = field(default_factory=set)
    timeout_s: float = _START_TIMEOUT_S
    compiled: bool = field(init=False)

    def __post_init__(self) -> None:
        self.frames = FrameReader(self._receive, _CONTROL_CAP)
        self.compiled = is_compiled()

    def _receive(self, count: int) -> bytes:
        wait_until_ready(self.link, select.POLLIN, self.process.pid, self.timeout_s)
        data, ancillary, _, _ = self.link.recvmsg(count, socket.CMSG_SPACE(4 * _DESCRIPTORS_AT_ONCE))
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self.descriptors.extend(array.array("i", payload[: len(payload) // 4 * 4]))
        return data

    def listen(self, timeout_s: float) -> None:
        """Process one message.

        Args:
            timeout_s: Seconds in which the server is idle, after which it counts as dead.

        Raises:
            ServerGone: The server is dead, or sent an unknown message.
        """
        self.timeout_s = timeout_s
        try:
            self._note(self.frames.next())
        except (EndOfFrames, BadFrame, OSError) as error:
            raise ServerGone(f"fork server: {type(error).__name__}") from error

    def _note(self, frame: Frame) -> None:
        match frame.kind:
            case "ready":
                self.layers, self.idle_rss = frame.flags("layers"), frame.number("idle_rss")
            case "refused":
                raise SandboxRefused(frame.text("reason"))
            case "child":
                self._note_child(frame.number("pid"))
            case "exit":
                pid = frame.number("pid")
                if pid in self.alive:
                    self.exits[pid] = Exit(frame.number("code"), frame.real("cpu"), frame.number("rss"))
            case unknown:
                raise BadFrame(unknown)

    def _note_child(self, pid: int) -> None:
        try:
            channel = socket.socket(fileno=self.descriptors.popleft())
            pidfd = self.descriptors.popleft() if sys.platform == "linux" else -1
        except IndexError:  # the kernel drops what a process without a free handle is passed
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE)) from None
        self.alive.add(pid)
        self.idle.append(NewChild(pid, channel, pidfd))

    def end(self) -> None:
        """Kill the server; its children die with it."""
        self.process.kill()
        self.process.wait()
        self.link.close()
        for child in self.idle:
            child.close()
        for descriptor in self.descriptors:
            os.close(descriptor)


class ForkServer:
    """One server process and its idle children. Thread-safe. `entry` names the module whose `main` is run in it."""

    def __init__(self, limits: SandboxLimits, *, entry: str = "quire.actors.sandbox.server") -> None:
        self.limits = limits
        self._entry = entry
        self._lock = threading.RLock()
        self._running: _Running | None = None
        self._launched: _Running | None = None

    @property
    def pid(self) -> int | None:
        """The server's pid; None when it does not run."""
        return self._running.process.pid if self._running else None

    @property
    def layers(self) -> dict[str, bool]:
        """Sandbox layer → active; empty when the server does not run."""
        return dict(self._running.layers) if self._running else {}

    @property
    def idle_rss(self) -> int:
        """Return the resident bytes of an idle server; 0 when it is not running."""
        return self._running.idle_rss if self._running else 0

    def start(self) -> None:
        """Start the server unless it runs; tries a few times. Raises `ServerGone`, `SandboxRefused`."""
        with self._lock:
            if self._running is None:
                self._running = self._start()

    def launch(self) -> None:
        """Let the server come up while the caller does something else; `start` waits for it."""
        with self._lock:
            if self._running is None and self._launched is None:
                self._launched = self._execute()

    def take(self) -> NewChild:
        """Return an idle child and have the next one forked; restarts a dead server.

        Raises:
            ServerGone: The server does not stay up.
        """
        with self._lock:
            self._end_interpreted()
            for _ in _START_DELAYS_S:
                self.start()
                try:
                    return self._take_idle()
                except ServerGone:
                    self._end()
            raise ServerGone("fork server dies again and again")

    def wait_exit(self, child: NewChild) -> Exit | None:
        """Return the exit status of this child, or None when it is unknown because the server died too."""
        with self._lock:
            running = self._running
            if running is None or child.pid not in running.alive:
                return None
            try:
                while child.pid not in running.exits:
                    running.listen(_ANSWER_TIMEOUT_S)
            except ServerGone:
                self._end()
                return None
            return running.exits[child.pid]

    def discard(self, child: NewChild) -> None:
        """Kill and close a child, and discard its exit status."""
        child.kill()
        child.close()
        with self._lock:
            if self._running is not None:
                self._running.alive.discard(child.pid)
                self._running.exits.pop(child.pid, None)

    def close(self) -> None:
        """Stop the server."""
        with self._lock:
            self._end()

    def _end_interpreted(self) -> None:
        """End a server that began before the reader was compiled, unless a child is at work."""
        running = self._running
        if running and running.compiled != is_compiled() and len(running.alive) == len(running.idle):
            self._end()

    def _take_idle(self) -> NewChild:
        running = self._running
        if running is None:
            raise ServerGone("fork server is closed")
        while not running.idle:
            running.listen(_ANSWER_TIMEOUT_S)
        try:
            running.link.sendall(b"n")
        except OSError as error:
            raise ServerGone("fork server: gone") from error
        return running.idle.popleft()

    def _end(self) -> None:
        for running in (self._running, self._launched):
            if running is not None:
                running.end()
        self._running = self._launched = None

    def _start(self) -> _Running:
        problem = ServerGone("fork server did not start")
        for delay in _START_DELAYS_S:
            time.sleep(delay)
            try:
                running, self._launched = self._launched or self._execute(), None
            except OSError as error:  # no handle or no memory for another process
                problem = ServerGone(f"fork server: {type(error).__name__}")
                continue
            try:
                running.listen(_START_TIMEOUT_S)
                return running
            except SandboxRefused:  # it has looked and will not find otherwise the next time
                running.end()
                raise
            except ServerGone as error:
                running.end()
                problem = error
        raise problem

    def _execute(self) -> _Running:
        ours, theirs = socket.socketpair()
        with theirs:
            boot = _BOOT.format(entry=self._entry)
            try:
                process = subprocess.Popen(
                    [sys.executable, "-I", "-c", boot, _ROOT, str(theirs.fileno()), self.limits.dump()],
                    env=_ENVIRONMENT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, start_new_session=True, cwd="/",
                )  # fmt: skip
            except OSError:
                ours.close()
                raise
        return _Running(process, ours)


def sandbox_layers() -> dict[str, bool]:
    """Sandbox layer → active on this machine, found by starting a server. Raises `SandboxRefused`, `ServerGone`."""
    server = ForkServer(SandboxLimits())
    try:
        server.start()
        return server.layers
    finally:
        server.close()

"""One child as the parent talks to it: requests out, checked frames in, and a verdict when it ends early.

Every byte that comes in is hostile: counted, timed and type-checked. Knows frames and exits, not documents.
"""

import array
import logging
import select
import signal
import socket
from typing import Any

from quire.actors.reading.child_usage import read_usage, wait_until_ready
from quire.actors.reading.forkserver import Exit, ForkServer
from quire.actors.sandbox.failures import DocumentError, SandboxEnd, describe_end
from quire.actors.sandbox.frames import BadFrame, EndOfFrames, Frame, FrameReader, TooMuchOutput, encode
from quire.actors.sandbox.lockdown import hard_cpu_s
from quire.models.cdom.errors import ErrorCode

log = logging.getLogger(__name__)
MOST_DETAIL = 400
"""Characters of a child's detail that are kept: a dozen places in our code, the innermost first."""
_GROWTH_SHARE = 8
"""A child whose address space grew by more than 1/8 of a document's memory limit reads no other document."""
_MEMORY_LOOKS_LIKE = frozenset({ErrorCode.MALFORMED, ErrorCode.PARSER_CRASH, ErrorCode.INTERNAL})


class ChildFailed(Exception):
    """The child is gone: it died, was killed, or reported an error.

    `cpu_s` is the CPU time that it spent on the document, 0 when it is unknown.
    """

    def __init__(self, error: DocumentError, *, cpu_s: float = 0.0) -> None:
        super().__init__(error.code.value)
        self.error, self.cpu_s = error, cpu_s


class Conversation:
    """A child from the server. After `ChildFailed` or `close` it is over."""

    def __init__(self, server: ForkServer) -> None:
        """Take an idle child of the server.

        Raises:
            ServerGone: The server does not start.
        """
        self._server, self._limits = server, server.limits
        self._child = server.take()
        self._child.channel.setblocking(False)
        self._frames = FrameReader(self._receive, self._limits.output_bytes)
        self._idle_s = 0.0
        self.documents = 0
        self.pid = self._child.pid
        self._first_usage = self._usage = read_usage(self.pid)

    def begin(self, messages: list[dict[str, Any]], descriptor: int) -> None:
        """Start a document: its requests and the descriptor of its bytes. Raises `ChildFailed`."""
        if self.documents:
            self._usage = read_usage(self.pid) or self._usage
        self.documents += 1
        self._idle_s = 0.0
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
        self._send(messages, rights)

    def ask(self, message: dict[str, Any]) -> None:
        """One more request about the document. Raises `ChildFailed`."""
        self._send([message], [])

    def next(self) -> Frame:
        """Return the next frame; an `error` frame raises like the child's end.

        Raises:
            ChildFailed: The child ended, stalled, or sent an error or a bad message.
        """
        try:
            frame = self._frames.next()
            return frame if frame.kind != "error" else self._raise_reported(frame)
        except (EndOfFrames, ConnectionError):
            raise self._died() from None
        except TimeoutError:
            raise self.fail(SandboxEnd.STALLED) from None
        except TooMuchOutput:
            raise self.fail(SandboxEnd.TOO_MUCH_OUTPUT) from None
        except BadFrame:
            raise self.fail(SandboxEnd.BAD_MESSAGE) from None

    def fail(self, end: SandboxEnd) -> ChildFailed:
        """Kill the child; gives the error to raise."""
        self._child.kill()
        ended = self._server.wait_exit(self._child)
        self.close()
        return ChildFailed(describe_end(end), cpu_s=self._document_cpu_s(ended))

    def is_reusable(self) -> bool:
        """Return True when the child can read another document: silent, with a document's CPU time and memory left.

        Returns False where the system does not report a child's usage.
        """
        usage, first = read_usage(self.pid), self._first_usage
        if usage is None or first is None or self._has_unread_output():
            return False
        grown = usage.mapped_bytes - first.mapped_bytes
        return usage.cpu_s < self._limits.total_cpu_s and grown <= self._limits.memory_bytes // _GROWTH_SHARE

    def close(self) -> None:
        """Kill and release the child; harmless when it has ended."""
        self._server.discard(self._child)

    def _send(self, messages: list[dict[str, Any]], rights: "list[tuple[int, int, array.array[int]]]") -> None:
        data = memoryview(b"".join(encode(message) for message in messages))
        try:
            self._await(select.POLLOUT)
            data = data[self._child.channel.sendmsg([data], rights) :]
            while data:
                self._await(select.POLLOUT)
                data = data[self._child.channel.send(data) :]
        except TimeoutError:
            raise self.fail(SandboxEnd.STALLED) from None
        except OSError:
            raise self._died() from None

    def _receive(self, count: int) -> bytes:
        self._await(select.POLLIN)
        return self._child.channel.recv(count)

    def _await(self, event: int) -> None:
        """Wait until the channel is ready.

        Raises:
            TimeoutError: The child was idle for longer than the limits of one wait or of one document.
        """
        limits = self._limits
        limit_s = max(0.001, min(limits.stall_idle_s, limits.total_idle_s - self._idle_s))
        self._idle_s += wait_until_ready(self._child.channel, event, self.pid, limit_s)

    def _raise_reported(self, frame: Frame) -> Frame:
        """Raise the child's error, unless memory trouble may look like a broken file (lxml)."""
        try:
            code = ErrorCode(frame.text("code"))
        except ValueError as error:
            raise BadFrame("unknown code") from error
        detail = printable_detail(frame)
        if code is ErrorCode.INTERNAL:
            log.error("a document was not read by a fault of ours: %s", detail)
        self._child.kill()
        ended = self._server.wait_exit(self._child)
        self.close()
        raise ChildFailed(self._doubt(DocumentError(code, detail), ended), cpu_s=self._document_cpu_s(ended))

    def _has_unread_output(self) -> bool:
        """Whether the child sent something after its last answer, or has ended."""
        try:
            self._child.channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return self._frames.has_leftover
        except OSError:
            return True
        return True

    def _document_cpu_s(self, ended: Exit | None) -> float:
        """CPU seconds since the document began; those of the documents before are not its own."""
        if ended is None:
            return 0.0
        return max(0.0, ended.cpu_s - (self._usage.cpu_s if self._usage else 0.0))

    def _died(self) -> ChildFailed:
        ended = self._server.wait_exit(self._child)
        self.close()
        if ended is None:
            return ChildFailed(describe_end(SandboxEnd.SERVER_DIED))
        end = judge_exit(ended, hard_cpu_s(self._limits))
        if end is SandboxEnd.FORBIDDEN_CALL:
            log.error("security: a document made its reader try a forbidden system call (child %d)", self.pid)
        return ChildFailed(self._doubt(describe_end(end), ended), cpu_s=self._document_cpu_s(ended))

    def _doubt(self, error: DocumentError, ended: Exit | None) -> DocumentError:
        if ended is None or error.code not in _MEMORY_LOOKS_LIKE:
            return error
        grown = ended.peak_rss - self._server.idle_rss
        return DocumentError(ErrorCode.RESOURCE_LIMIT, "memory") if grown >= self._limits.memory_bytes / 2 else error


def printable_detail(frame: Frame) -> str:
    """Return the detail of a child's error, cut and printable because a document may control it."""
    return "".join(char for char in frame.text("detail")[:MOST_DETAIL] if char.isprintable())


def judge_exit(ended: Exit, hard_cpu_limit_s: int) -> SandboxEnd:
    """Classify an exit status. The kernel also sends SIGKILL at the hard CPU limit."""
    if ended.code == -signal.SIGXCPU:
        return SandboxEnd.OUT_OF_CPU
    if ended.code == -signal.SIGKILL:
        return SandboxEnd.OUT_OF_CPU if ended.cpu_s >= 0.95 * hard_cpu_limit_s else SandboxEnd.KILLED
    if ended.code == -signal.SIGSYS:
        return SandboxEnd.FORBIDDEN_CALL
    return SandboxEnd.CRASHED

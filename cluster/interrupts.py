"""Ctrl-C for all commands: one handler that undoes what is under way, ends the child processes, and exits with 130.

The handler never raises. An exception could fall into an import, a lock or a `finally`, and then the command hangs,
continues or prints a traceback. `held` turns it into a flag where a command ends in its own order.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells define it."""
_SHOW_CURSOR = b"\x1b[?25h"
_undo: list[Callable[[], None]] = []


def catch_interrupts() -> None:
    """Install the handler. Call it first in the main thread."""
    signal.signal(signal.SIGINT, _on_interrupt)


def exit_interrupted() -> None:
    """Undo what is under way, kill the child processes, and exit with 130 despite other threads."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _kill_children()
    for action in reversed(_undo):
        with suppress(Exception):
            action()
    if os.isatty(2):
        os.write(2, _SHOW_CURSOR)
    os._exit(INTERRUPTED)


@contextmanager
def undone_by(action: Callable[[], None]) -> Iterator[None]:
    """Call `action` if Ctrl-C ends the command in this block. It must not take locks that the block may hold."""
    _undo.append(action)
    try:
        yield
    finally:
        _undo.remove(action)


class Asked:
    """Whether Ctrl-C was pressed. A `threading.Event` has a lock, which the interrupted code may hold itself."""

    def __init__(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        """Return whether Ctrl-C was pressed."""
        return self._is_set

    def set(self, number: int, frame: FrameType | None) -> None:
        """Note it, as the handler of a signal."""
        self._is_set = True


@contextmanager
def held() -> Iterator[Asked]:
    """Yield a flag that Ctrl-C sets in this block, where it ends nothing."""
    asked = Asked()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, asked.set)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def _on_interrupt(number: int, frame: FrameType | None) -> None:
    exit_interrupted()


def _kill_children() -> None:
    """Kill all descendants; a server that detached itself is not one any more."""
    parents: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc") if sys.platform == "linux" else ()):
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
            parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    for pid in family - {os.getpid()}:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)

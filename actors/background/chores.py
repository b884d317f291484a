"""Housekeeping: chores that one process of the deployment does at a time, each on its own period.

The role lease in SQL keeps other processes from running them; a chore must still be safe when two run. Knows no Ray
and no SQL.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from quire.models.fair_time import TurnWatch
from quire.storage.values.errors import StorageError
from quire.storage.values.native_panics import native_panics

log = logging.getLogger(__name__)
TURN_S = 1.0  # seconds between checks for due chores: chores are minutes apart
STUCK_S = 600.0  # fair seconds without progress after which a turn of chores is stuck: the longest takes minutes


class SingletonRole(Protocol):
    """A role that one process holds, implemented by `quire.storage.postgres.leases.RoleLease`."""

    def acquire(self) -> bool:
        """Return whether the role is held from now on, newly taken or kept."""

    def renew(self) -> bool:
        """Extend a held lease; False means that it is lost."""

    def release(self) -> None:
        """Release the role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chore:
    """`run` is called every `every_s` seconds, in the janitor's thread."""

    name: str
    every_s: float
    run: Callable[[], object]


class UncontestedRole:
    """The role of a process that does its own chores only, so no other process competes for it."""

    def acquire(self) -> bool:
        """Return True."""
        return True

    def renew(self) -> bool:
        """Return True."""
        return True

    def release(self) -> None:
        """Do nothing."""
        return


class ChoreRunner:
    """Runs chores on one thread, while it holds the lease."""

    def __init__(
        self,
        role: SingletonRole,
        chores: Sequence[Chore],
        *,
        turn_s: float = TURN_S,
        clock: Callable[[], float] = time.monotonic,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._close = close
        self._role, self._chores, self._turn_s, self._clock = role, chores, turn_s, clock
        self._due = {chore.name: 0.0 for chore in chores}
        self._held = False
        self._turn = TurnWatch()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="janitor", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def healthy(self) -> bool:
        """Return whether the thread turns."""
        return self._stop.is_set() or (self._thread.is_alive() and self._turn.seconds() < STUCK_S)

    def advance(self) -> None:
        """Note that the current chore made progress."""
        self._turn.advance()

    def drain(self, timeout_s: float) -> bool:
        """Finish the current chore, release the role, close the connections; false if the chore takes longer."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        if self._held:
            self._try("release role", self._role.release)
        self._close()
        return not self._thread.is_alive()

    def turn(self) -> list[str]:
        """Run the due chores once and return their names."""
        if not self._hold():
            return []
        now = self._clock()
        due = [chore for chore in self._chores if now >= self._due[chore.name]]
        return [chore.name for chore in due if not self._stop.is_set() and self._hold() and self._do(chore)]

    def _run(self) -> None:
        while not self._stop.wait(self._turn_s):
            with self._turn:
                self.turn()

    def _hold(self) -> bool:
        try:
            self._held = self._role.renew() if self._held else self._role.acquire()
        except StorageError as error:
            log.warning("janitor's role: %s", error.code)
            self._held = False
        return self._held

    def _do(self, chore: Chore) -> bool:
        self._due[chore.name] = self._clock() + chore.every_s
        return self._try(chore.name, chore.run)

    def _try(self, name: str, act: Callable[[], object]) -> bool:
        """Run one chore; a failure is logged and does not stop the others."""
        try:
            with native_panics():
                act()
        except Exception as error:
            log.warning("%s failed: %s", name, getattr(error, "code", type(error).__name__))
            return False
        return True

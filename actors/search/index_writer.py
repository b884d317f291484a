"""The writer process of the index: commits writes of all readers and runs the index's chores.

A call returns when its chunks can be found. A commit takes all calls that arrived during the last one, parse calls
first, without a timer. The lease in SQL prevents a second writer. Knows no model, no Ray and no HTTP.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quire.actors.background.chores import Chore, ChoreRunner, SingletonRole
from quire.models.cdom.ports import PortUnavailable, keep_waiting
from quire.models.fair_time import TurnWatch
from quire.storage.index.table.entries import DocumentChunks, KnownVectors
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Scope

if TYPE_CHECKING:  # LanceDB: only the process of the index loads it
    from quire.storage.index.writer import ChunkIndexWriter

log = logging.getLogger(__name__)
PORT = "index_writer"
MAX_CHUNKS = 5_000
"""Chunks of one commit, which takes 35 ms in the table. More would delay parse calls."""
STUCK_S = 300.0  # fair seconds of one commit after which the process is unhealthy; the largest take four
HELD_S = 4.0
"""Seconds after which the next write renews the lease; it lasts three times as long."""


@dataclass(slots=True, eq=False)
class _WriteCall:
    documents: Sequence[DocumentChunks]
    urgent: bool
    future: Future[None] = field(default_factory=Future)

    @property
    def chunks(self) -> int:
        return sum(len(document.chunks) for document in self.documents)


class IndexWriting:
    """Accepts writes from any thread. Call `start` once and `drain` once."""

    def __init__(
        self,
        role: SingletonRole,
        writer: "ChunkIndexWriter",
        chores: Sequence[Chore],
        slow_chores: Sequence[Chore] = (),
    ) -> None:
        self._role, self._writer = role, writer
        self._janitors = [ChoreRunner(role, some) for some in (chores, slow_chores)]  # a purge waits for no re-indexing
        self._waiting: list[_WriteCall] = []
        self._wake = threading.Condition()
        self._stopping = False
        self._sure_until = 0.0
        self._commit = TurnWatch()
        self._thread = threading.Thread(target=self._run, name=PORT, daemon=True)

    def start(self) -> None:
        """Start the writing thread and the chores."""
        for janitor in self._janitors:
            janitor.start()
        self._thread.start()

    def healthy(self) -> bool:
        """Return whether the writing thread and the chores work."""
        writing = self._thread.is_alive() and self._commit.seconds() < STUCK_S
        return self._stopping or (writing and all(janitor.healthy() for janitor in self._janitors))

    def advance(self) -> None:
        """Note that a chore made progress, so that a long one does not count as stuck."""
        for janitor in self._janitors:
            janitor.advance()

    def drain(self, timeout_s: float) -> bool:
        """Write pending calls and release the role; false if that takes longer than `timeout_s` seconds."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(timeout_s)
        have_ended = all([janitor.drain(timeout_s) for janitor in self._janitors])
        self._writer.close()
        return have_ended and not self._thread.is_alive()

    def write(
        self,
        documents: Sequence[DocumentChunks],
        *,
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> None:
        """Write chunks; return when searches can find them (once SQL publishes them). Raises `PortUnavailable`."""
        check()
        call = _WriteCall(documents, urgent)
        with self._wake:
            if self._stopping:
                raise PortUnavailable(PORT, "stopping")
            self._waiting.append(call)
            self._wake.notify()
        call.future.result()

    def find_vectors(
        self,
        scope: Scope,
        documents: Collection[str],
        texts: Sequence[str],
        check: Callable[[], None] = keep_waiting,
    ) -> KnownVectors:
        """Return the vectors that these documents have for any of the texts. Raises `PortUnavailable`."""
        check()
        try:
            return self._writer.find_vectors(scope, documents, texts)
        except StorageError as error:
            raise PortUnavailable(PORT, error.code) from error

    def _run(self) -> None:
        while calls := self._gather():
            try:
                with self._commit:
                    self._hold()
                    self._writer.write(_once_each(calls))
            except Exception as error:  # an answer to these callers, who try again; never the end of the loop
                log.warning("index write failed: %s", getattr(error, "code", type(error).__name__))
                for call in calls:
                    call.future.set_exception(PortUnavailable(PORT, type(error).__name__))
                continue
            for call in calls:
                call.future.set_result(None)

    def _gather(self) -> list[_WriteCall]:
        """Return at least one call and all others that arrived, up to MAX_CHUNKS; empty at the end."""
        with self._wake:
            while True:
                while not self._waiting and not self._stopping:
                    self._wake.wait()
                taken = self._take()
                if taken or (self._stopping and not self._waiting):
                    return taken

    def _take(self) -> list[_WriteCall]:
        self._waiting.sort(key=lambda call: not call.urgent)
        taken: list[_WriteCall] = []
        room = MAX_CHUNKS
        while self._waiting and (not taken or self._waiting[0].chunks <= room):
            call = self._waiting.pop(0)
            if call.future.set_running_or_notify_cancel():
                taken.append(call)
                room -= call.chunks
        return taken

    def _hold(self) -> None:
        """Acquire or renew the role; raise `PortUnavailable` if another process is the writer."""
        now = time.monotonic()
        if now < self._sure_until:
            return
        try:
            is_held = self._role.acquire()
        except StorageError as error:
            raise PortUnavailable(PORT, error.code) from error
        if not is_held:
            raise PortUnavailable(PORT, "another process is the writer")
        self._sure_until = now + HELD_S


def _once_each(calls: Sequence[_WriteCall]) -> list[DocumentChunks]:
    """Return every (document, generation) once: a repeated call would double its rows within one merge."""
    unique = {(document.document_id, document.generation): document for call in calls for document in call.documents}
    return list(unique.values())

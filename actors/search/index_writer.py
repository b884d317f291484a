"""The holder of the index: writes come together from all readers, the index's own chores run beside them.

In come chunks, out goes "they can be found". A commit takes whatever has gathered while the last one ran, parse calls
first; there is no timer. The lease in SQL makes it the only one. Knows no model, no Ray and no HTTP.
"""

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

from actors.background.chores import Chore, ChoreRunner, SingletonRole
from models.cdom.ports import PortUnavailable
from storage.index.table.entries import DocumentChunks
from storage.values.errors import StorageError

log = logging.getLogger(__name__)
PORT = "index_writer"
MAX_CHUNKS = 5_000
"""Of one commit: 35 ms in the table. More would keep parse calls waiting."""
HELD_S = 4.0
"""The lease is asked for again at the first write after this time; it lasts three times as long."""


class IndexWriteQueue(Protocol):
    """`storage.index.writer.IndexWriter`."""

    def write(self, documents: Sequence[DocumentChunks]) -> int: ...
    def close(self) -> None: ...


@dataclass(slots=True, eq=False)
class _WriteCall:
    documents: Sequence[DocumentChunks]
    urgent: bool
    future: Future[None] = field(default_factory=Future)

    @property
    def chunks(self) -> int:
        return sum(len(document.chunks) for document in self.documents)


class IndexWriting:
    """`start` once, `drain` once; `write` from any thread."""

    def __init__(
        self, role: SingletonRole, writer: IndexWriteQueue, chores: Sequence[Chore], slow_chores: Sequence[Chore] = ()
    ) -> None:
        self._role, self._writer = role, writer
        self._janitors = [ChoreRunner(role, some) for some in (chores, slow_chores)]  # a purge waits for no re-indexing
        self._waiting: list[_WriteCall] = []
        self._wake = threading.Condition()
        self._stopping = False
        self._sure_until = 0.0
        self._thread = threading.Thread(target=self._run, name=PORT, daemon=True)

    def start(self) -> None:
        for janitor in self._janitors:
            janitor.start()
        self._thread.start()

    def healthy(self) -> bool:
        return self._stopping or (self._thread.is_alive() and all(janitor.healthy() for janitor in self._janitors))

    def drain(self, timeout_s: float) -> bool:
        """Write what waits, give the role back."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(timeout_s)
        ended = all([janitor.drain(timeout_s) for janitor in self._janitors])
        self._writer.close()
        return ended and not self._thread.is_alive()

    def write(self, documents: Sequence[DocumentChunks], *, timeout_s: float, urgent: bool = False) -> None:
        """Returns when every chunk can be found (once SQL publishes it). Raises `PortUnavailable`."""
        call = _WriteCall(documents, urgent)
        with self._wake:
            if self._stopping:
                raise PortUnavailable(PORT, "stopping")
            self._waiting.append(call)
            self._wake.notify()
        try:
            call.future.result(timeout_s)
        except TimeoutError as error:
            call.future.cancel()
            raise PortUnavailable(PORT, "too slow") from error

    def _run(self) -> None:
        while calls := self._gather():
            try:
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
        """At least one call and whatever else has come, up to MAX_CHUNKS; empty at the end."""
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
        """Raises `PortUnavailable` when somebody else is the writer."""
        now = time.monotonic()
        if now < self._sure_until:
            return
        try:
            held = self._role.acquire()
        except StorageError as error:
            raise PortUnavailable(PORT, error.code) from error
        if not held:
            raise PortUnavailable(PORT, "another process is the writer")
        self._sure_until = now + HELD_S


def _once_each(calls: Sequence[_WriteCall]) -> list[DocumentChunks]:
    """Every (document, generation) once: a repeated call would double its rows within one merge."""
    unique = {(document.document_id, document.generation): document for call in calls for document in call.documents}
    return list(unique.values())

"""The embedder of a node: turns texts of many documents into vectors, batched across callers.

A batch holds texts of calls that arrived while the model was busy, without a timer: parse calls first, then tenants in
turn and the calls of a tenant in turn, so that a long document delays a short one by its share of a batch only. Built
from values; knows no Ray.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from quire.models.cdom.ports import EmbeddingFailed, PortUnavailable, QueueState, keep_waiting
from quire.models.fair_time import TurnWatch
from quire.storage.index.table.entries import Vectors

PORT = "embedder"
BATCH_TEXTS = 16
"""Texts of one batch: one inference of full chunks (0.3 CPU seconds), which is the longest wait of a parse call."""
SHARE_TEXTS = 8  # texts that a call gets of one batch while others wait
STUCK_S = 120.0  # fair seconds without a finished batch after which it is unhealthy; a batch takes a third of one
LOOK_S = 1.0  # seconds between two checks of a waiting call


class Model(Protocol):
    """A text embedding model: `quire.models.neural.embed.minilm.MiniLm`."""

    def embed(self, texts: list[str]) -> Vectors:
        """Return unit vectors, shape (n, width)."""


@dataclass(slots=True, eq=False)
class _EmbedCall:
    """One caller's texts; `done` of them are taken. `turn`: number of its last turn, at first of its arrival."""

    tenant: str
    urgent: bool
    texts: Sequence[str]
    turn: int
    future: Future[Vectors] = field(default_factory=Future)
    parts: list[Vectors] = field(default_factory=list)
    done: int = 0


class Embedder:
    """Implements `Embed` for any number of calling threads; a separate thread drives the model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._calls: list[_EmbedCall] = []
        self._turns, self._tenant_turns = 0, dict[str, int]()
        self._wake = threading.Condition()
        self._stopping = False
        self._batch = TurnWatch()
        self._thread = threading.Thread(target=self._run, name=PORT, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def embed(
        self,
        texts: Sequence[str],
        *,
        tenant: str = "",
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> Vectors:
        """Return unit vectors, one row a text, in the order given. Raises `PortUnavailable` while it stops."""
        if not texts:
            return self._model.embed([])
        with self._wake:
            if self._stopping:
                raise PortUnavailable(PORT, "stopping")
            call = _EmbedCall(tenant, urgent, texts, self._next_turn())
            self._calls.append(call)
            self._wake.notify()
        try:
            while True:
                try:
                    return call.future.result(LOOK_S)
                except TimeoutError:
                    check()
        except BaseException:
            call.future.cancel()
            raise

    def state(self) -> QueueState:
        """Return the number of texts that wait, and for how long the current batch has been computed."""
        waiting = sum(len(call.texts) - call.done for call in list(self._calls))
        return QueueState(waiting=waiting, standing_s=self._batch.seconds())

    def healthy(self) -> bool:
        """Return False if the thread is gone or one batch takes longer than any should: then replace this process."""
        return self._stopping or (self._thread.is_alive() and self._batch.seconds() < STUCK_S)

    def drain(self, timeout_s: float) -> bool:
        """Refuse new texts and embed pending ones; false if that takes longer than `timeout_s` seconds."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (batch := self._gather()) is not None:
            with self._batch:
                self._answer(batch)

    def _gather(self) -> list[tuple[_EmbedCall, Sequence[str]]] | None:
        """Return up to BATCH_TEXTS texts; None at the end."""
        with self._wake:
            while not self._calls and not self._stopping:
                self._wake.wait()
            batch: list[tuple[_EmbedCall, Sequence[str]]] = []
            room = BATCH_TEXTS
            while room and (call := self._next_call()) is not None:
                piece = call.texts[call.done : call.done + min(room, SHARE_TEXTS)]
                call.done += len(piece)
                room -= len(piece)
                batch.append((call, piece))
                call.turn = self._tenant_turns[call.tenant] = self._next_turn()
                if call.done == len(call.texts):
                    self._calls.remove(call)
            if not self._calls:
                self._tenant_turns.clear()
            return batch or (None if self._stopping else [])

    def _next_call(self) -> _EmbedCall | None:
        """Return the call whose turn it is: an urgent one, else of the tenant that has waited longest."""
        self._calls = [call for call in self._calls if not call.future.cancelled()]

        def turn(call: _EmbedCall) -> tuple[bool, int, int]:
            return not call.urgent, self._tenant_turns.get(call.tenant, 0), call.turn

        return min(self._calls, key=turn, default=None)

    def _next_turn(self) -> int:
        self._turns += 1
        return self._turns

    def _answer(self, batch: list[tuple[_EmbedCall, Sequence[str]]]) -> None:
        if not batch:
            return
        try:
            vectors = self._model.embed([text for _, piece in batch for text in piece])
        except Exception as error:  # an answer to callers, never the end of the loop
            self._answer_apart(batch, error)
            return
        start = 0
        for call, piece in batch:
            call.parts.append(vectors[start : start + len(piece)])
            start += len(piece)
            if sum(map(len, call.parts)) == len(call.texts) and call.future.set_running_or_notify_cancel():
                call.future.set_result(np.concatenate(call.parts))

    def _answer_apart(self, batch: list[tuple[_EmbedCall, Sequence[str]]], error: Exception) -> None:
        """Embed each piece alone after a failure, so that only the call that causes it fails."""
        if len(batch) > 1:
            for entry in batch:
                self._answer([entry])
            return
        call, _ = batch[0]
        with self._wake:
            if call in self._calls:
                self._calls.remove(call)
        if not call.future.done() and call.future.set_running_or_notify_cancel():
            call.future.set_exception(EmbeddingFailed(type(error).__name__))

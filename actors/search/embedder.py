"""The embedder of a node: turns texts of many documents into vectors, batched across callers, parse calls first.

A batch holds the calls that arrived while the model was busy, without a timer. Built from values; knows no Ray.
"""

import heapq
import itertools
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from models.cdom.ports import EmbeddingFailed, PortUnavailable
from storage.index.table.entries import Vectors

PORT = "embedder"
BATCH_TEXTS = 64
"""Texts of one batch: enough to sort by length with little padding; a parse call waits for at most one (1.3 s CPU)."""
MAX_WAITING = 20_000  # texts waiting before callers are refused: minutes of work of one embedder
STUCK_S = 120.0  # seconds without a finished batch after which it is unhealthy; a batch takes one


class Model(Protocol):
    """A text embedding model: `models.neural.embed.minilm.MiniLm`."""

    def embed(self, texts: list[str]) -> Vectors:
        """Return unit vectors, shape (n, width)."""


@dataclass(order=True, slots=True)
class _EmbedCall:
    """One caller's texts; `done` of them are embedded."""

    urgency: int
    number: int
    texts: Sequence[str] = field(compare=False)
    future: Future[Vectors] = field(compare=False)
    parts: list[Vectors] = field(compare=False, default_factory=list)
    done: int = field(compare=False, default=0)


class Embedder:
    """Implements `Embed` for any number of calling threads; a separate thread drives the model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._calls: list[_EmbedCall] = []
        self._waiting, self._numbers = 0, itertools.count()
        self._wake = threading.Condition()
        self._stopping = False
        self._begun: float | None = None
        self._thread = threading.Thread(target=self._run, name=PORT, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def embed(self, texts: Sequence[str], *, timeout_s: float, urgent: bool = False) -> Vectors:
        """Return unit vectors, one row a text, in the order given. Raises `PortUnavailable` if full or too slow."""
        call = _EmbedCall(0 if urgent else 1, next(self._numbers), texts, Future())
        if not texts:
            return self._model.embed([])
        with self._wake:
            if self._stopping or self._waiting + len(texts) > MAX_WAITING:
                raise PortUnavailable(PORT, "full")
            self._waiting += len(texts)
            heapq.heappush(self._calls, call)
            self._wake.notify()
        try:
            return call.future.result(timeout_s)
        except TimeoutError as error:
            call.future.cancel()
            raise PortUnavailable(PORT, "too slow") from error

    def healthy(self) -> bool:
        """Return False if the thread is gone or one batch takes longer than any should: then replace this process."""
        started = self._begun
        return self._stopping or (self._thread.is_alive() and (started is None or time.monotonic() - started < STUCK_S))

    def drain(self, timeout_s: float) -> bool:
        """Refuse new texts and embed pending ones; false if that takes longer than `timeout_s` seconds."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (batch := self._gather()) is not None:
            self._begun = time.monotonic()
            self._answer(batch)
            self._begun = None

    def _gather(self) -> list[tuple[_EmbedCall, Sequence[str]]] | None:
        """Return up to BATCH_TEXTS texts, the most urgent callers' first; None at the end."""
        with self._wake:
            while not self._calls and not self._stopping:
                self._wake.wait()
            batch: list[tuple[_EmbedCall, Sequence[str]]] = []
            room = BATCH_TEXTS
            while self._calls and room:
                call = self._calls[0]
                if call.future.cancelled():
                    self._drop()
                    continue
                piece = call.texts[call.done : call.done + room]
                call.done += len(piece)
                room -= len(piece)
                self._waiting -= len(piece)
                batch.append((call, piece))
                if call.done == len(call.texts):
                    heapq.heappop(self._calls)
            return batch or (None if self._stopping else [])

    def _drop(self) -> None:
        call = heapq.heappop(self._calls)
        self._waiting -= len(call.texts) - call.done

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
            if call.done == len(call.texts) and call.future.set_running_or_notify_cancel():
                call.future.set_result(np.concatenate(call.parts))

    def _answer_apart(self, batch: list[tuple[_EmbedCall, Sequence[str]]], error: Exception) -> None:
        """Embed each call alone after a failure, so that only the call that causes it fails."""
        if len(batch) > 1:
            for entry in batch:
                self._answer([entry])
            return
        call, _ = batch[0]
        with self._wake:
            if call in self._calls:
                self._calls.remove(call)
                heapq.heapify(self._calls)
                self._waiting -= len(call.texts) - call.done
        if call.future.set_running_or_notify_cancel():
            call.future.set_exception(EmbeddingFailed(type(error).__name__))

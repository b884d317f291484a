"""The documents one reader holds, and the thread that renews their leases.

Claims and their progress become heartbeats. A document with a lost lease is dropped, so that nothing more is written
for it. A reader that receives a lost-lease reply is alive, so the document did not crash it: the start that the
document was charged is refunded. Knows no parser and no artifacts.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from quire.actors.reader.document_trace import DocumentTrace, begin_trace
from quire.models.cdom.tracing import TRACING_OFF, Tracing
from quire.storage.queue.queue import Queue
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Beat, Claim, DocumentId
from quire.storage.values.states import Phase

log = logging.getLogger(__name__)
PROGRESS_S = 1.0
"""Least seconds between two reports of page progress."""


@dataclass(frozen=True, slots=True)
class Held:
    """A claim with its current beat.

    `ending`: a transaction that ends it is running, whose result says whether the claim was still held.
    """

    claim: Claim
    beat: Beat
    trace: DocumentTrace | None = None
    ending: bool = False

    def end(self, error: str | None) -> None:
        """End the document's trace."""
        if self.trace is not None:
            self.trace.whole.set_attribute("quire.pages", self.beat.pages_total)
            self.trace.end(error)


class Inflight:
    """Open documents by id. All methods may be called from any thread."""

    def __init__(self, tracing: Tracing = TRACING_OFF) -> None:
        self._tracing = tracing
        self._lock = threading.Lock()
        self._held: dict[DocumentId, Held] = {}
        self._has_progress = False

    def __len__(self) -> int:
        return len(self._held)

    def add(self, claim: Claim) -> None:
        """Add a new claim."""
        phase = Phase.CLAIMED if claim.grouped else Phase.READING
        beat = Beat(document_id=claim.document_id, attempt=claim.attempt, phase=phase)
        trace = begin_trace(self._tracing, claim) if self._tracing.on else None
        with self._lock:
            self._held[claim.document_id] = Held(claim, beat, trace)

    def remove(self, claim: Claim, error: str | None = None) -> None:
        """Remove a finished claim; `error` is the code it ended with, if any."""
        with self._lock:
            if self._is_held(claim):
                self._held.pop(claim.document_id).end(error)

    def holds(self, claim: Claim) -> bool:
        """Return whether the lease is still held, as far as the last heartbeat knew."""
        with self._lock:
            return self._is_held(claim)

    def progress(self, claim: Claim, done: int, total: int) -> None:
        """Record that `done` of `total` pages are read."""
        self._change(claim, pages_done=done, pages_total=total)
        self._has_progress = True

    def index_progress(self, claim: Claim, done: int, total: int) -> None:
        """Record that `done` of `total` chunks have a vector."""
        self._change(claim, chunks_done=done, chunks_total=total)
        self._has_progress = True

    def enter(self, claim: Claim, phase: Phase) -> None:
        """Record that the document entered a phase."""
        if (trace := self._change(claim, phase=phase)) is not None:
            trace.enter(phase)

    def beats(self) -> list[Beat]:
        """Return the heartbeats to send now."""
        with self._lock:
            self._has_progress = False
            return [held.beat for held in self._held.values()]

    @contextlib.contextmanager
    def ending(self, claims: Sequence[Claim]) -> Iterator[None]:
        """Mark claims as ending for the block: a heartbeat reply that lacks them then means no loss."""
        self._set_ending(claims, True)
        try:
            yield
        finally:
            self._set_ending(claims, False)

    def expects_more(self) -> bool:
        """Return whether documents of a group are still to be read, so that a commit may wait for them."""
        with self._lock:
            return any(
                held.claim.grouped and held.beat.phase in (Phase.CLAIMED, Phase.READING) for held in self._held.values()
            )

    def has_progress(self) -> bool:
        """Return whether a page was finished since the last `beats`."""
        return self._has_progress

    def apply_reply(self, lost: frozenset[DocumentId], sent: list[Beat]) -> list[Claim]:
        """Apply the reply to the beats `sent`: drop and return claims whose lease is lost, if still that attempt."""
        dropped = []
        with self._lock:
            for beat in sent:
                held = self._held.get(beat.document_id)
                if held is None or held.claim.attempt != beat.attempt or held.ending or beat.document_id not in lost:
                    continue
                log.warning("lease lost: document %s attempt %d", beat.document_id, beat.attempt)
                self._held.pop(beat.document_id).end("lease-lost")
                if beat.phase is not Phase.CLAIMED:
                    dropped.append(held.claim)
        return dropped

    def _set_ending(self, claims: Sequence[Claim], ending: bool) -> None:
        with self._lock:
            for claim in filter(self._is_held, claims):
                self._held[claim.document_id] = replace(self._held[claim.document_id], ending=ending)

    def _is_held(self, claim: Claim) -> bool:
        held = self._held.get(claim.document_id)
        return held is not None and held.claim.attempt == claim.attempt

    def _change(self, claim: Claim, **changes: object) -> DocumentTrace | None:
        with self._lock:
            if not self._is_held(claim):
                return None
            held = self._held[claim.document_id]
            self._held[claim.document_id] = replace(held, beat=replace(held.beat, **changes))  # type: ignore[arg-type]
            return held.trace


class HeartbeatThread:
    """Sends heartbeats of all documents every `beat_s` seconds, and within a second after a page was finished."""

    def __init__(self, queue: Queue, inflight: Inflight, beat_s: float) -> None:
        self._queue, self._inflight, self._beat_s = queue, inflight, beat_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, waiting at most 5 s."""
        self._stop.set()
        self._thread.join(timeout=5)

    def alive(self) -> bool:
        """Return whether the thread runs."""
        return self._thread.is_alive()

    def _run(self) -> None:
        step, since = min(PROGRESS_S, self._beat_s), 0.0
        while not self._stop.wait(step):
            since += step
            if (since >= self._beat_s or self._inflight.has_progress()) and beat_once(
                self._queue, self._inflight.beats, self._inflight
            ):
                since = 0.0


def beat_once(queue: Queue, beats: Callable[[], list[Beat]], inflight: Inflight) -> bool:
    """Send one heartbeat; false if the database could not be reached, so that the next one comes soon."""
    sent = beats()
    if not sent:
        return True
    try:
        if dropped := inflight.apply_reply(queue.beat(sent), sent):
            queue.forgive(dropped)
    except StorageError as error:
        log.warning("heartbeat failed: %s", error.code)
        return False
    return True

"""The documents one reader holds, and the thread that keeps their leases alive.

In come claims and their progress, out go heartbeats; a lost lease is remembered so that nothing more is written for it.
Who hears of a lost lease is alive: the document did not end its reader, and gets back the start it was charged.
Knows no parser and no artifacts.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from actors.reader.document_trace import DocumentTrace, begin_trace
from models.cdom.tracing import TRACING_OFF, Tracing
from storage.values.errors import StorageError
from storage.values.rows import Beat, Claim, DocumentId
from storage.values.states import Phase

log = logging.getLogger(__name__)
PROGRESS_S = 1.0
"""Page progress is reported at most this often between heartbeats."""


class Beats(Protocol):
    """The part of the queue that renews leases."""

    def beat(self, beats: list[Beat], /) -> frozenset[DocumentId]: ...
    def refund_starts(self, claims: Sequence[Claim], /) -> int: ...


@dataclass(frozen=True, slots=True)
class Held:
    """A claim with what its holder is doing, what the database was told last, and what it has answered to.

    `ending`: a transaction that ends it is under way, and says itself whether the claim was still held.
    """

    claim: Claim
    beat: Beat
    trace: DocumentTrace | None = None
    told: Phase = Phase.READING
    known: Phase = Phase.READING
    ending: bool = False

    def end(self, error: str | None) -> None:
        if self.trace is not None:
            self.trace.whole.set_attribute("quire.pages", self.beat.pages_total)
            self.trace.end(error)


class Inflight:
    """Open documents by id. All methods may be called from any thread."""

    def __init__(self, tracing: Tracing = TRACING_OFF) -> None:
        self._tracing = tracing
        self._lock = threading.Lock()
        self._held: dict[DocumentId, Held] = {}
        self._moved = False

    def __len__(self) -> int:
        return len(self._held)

    def add(self, claim: Claim) -> None:
        phase = Phase.CLAIMED if claim.grouped else Phase.READING
        beat = Beat(document_id=claim.document_id, attempt=claim.attempt, phase=phase)
        trace = begin_trace(self._tracing, claim) if self._tracing.on else None
        with self._lock:
            self._held[claim.document_id] = Held(claim, beat, trace, told=phase, known=phase)

    def remove(self, claim: Claim, error: str | None = None) -> None:
        """Done with it; `error` is the code it ended with, if any."""
        with self._lock:
            if self._is_held(claim):
                self._held.pop(claim.document_id).end(error)

    def holds(self, claim: Claim) -> bool:
        """Whether the lease is still ours, as far as the last heartbeat knew."""
        with self._lock:
            return self._is_held(claim)

    def progress(self, claim: Claim, done: int, total: int) -> None:
        self._change(claim, pages_done=done, pages_total=total)
        self._moved = True

    def enter(self, claim: Claim, phase: Phase) -> None:
        if (trace := self._change(claim, phase=phase)) is not None:
            trace.enter(phase)

    def beats(self) -> list[Beat]:
        """What to tell the database now."""
        with self._lock:
            self._moved = False
            self._held = {name: replace(held, told=held.beat.phase) for name, held in self._held.items()}
            return [held.beat for held in self._held.values()]

    def believed_read(self, claims: Sequence[Claim]) -> bool:
        """Whether the database thinks that one of these is being read: a lapse would cost it a start."""
        with self._lock:
            return any(self._is_held(claim) and self._held[claim.document_id].told is Phase.READING for claim in claims)

    @contextlib.contextmanager
    def ending(self, claims: Sequence[Claim]) -> Iterator[None]:
        """While these are being ended, a heartbeat that finds them ended already has found no loss."""
        self._set_ending(claims, True)
        try:
            yield
        finally:
            self._set_ending(claims, False)

    def coming(self) -> bool:
        """Whether more of a group is still to be read: a commit may wait for it."""
        with self._lock:
            return any(
                held.claim.grouped and held.beat.phase in (Phase.CLAIMED, Phase.READING) for held in self._held.values()
            )

    def moved(self) -> bool:
        """Some page was finished since the last `beats`."""
        return self._moved

    def hear(self, lost: frozenset[DocumentId], told: list[Beat]) -> list[Claim]:
        """The answer to `told`: documents that somebody else holds now are forgotten, if they are still that attempt.

        Returns those of them that the database believed to be read: each was charged a start for a death that was none.
        """
        charged = []
        with self._lock:
            for beat in told:
                held = self._held.get(beat.document_id)
                if held is None or held.claim.attempt != beat.attempt:
                    continue
                if beat.document_id not in lost:
                    self._held[beat.document_id] = replace(held, known=beat.phase)
                    continue
                if held.ending:
                    continue
                log.warning("lease lost: document %s attempt %d", beat.document_id, beat.attempt)
                self._held.pop(beat.document_id).end("lease-lost")
                if held.known is Phase.READING and not held.claim.exhausted:
                    charged.append(held.claim)
        return charged

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
    """Beats for everything in flight every `beat_s`, and within a second when a page was finished."""

    def __init__(self, queue: Beats, inflight: Inflight, beat_s: float) -> None:
        self._queue, self._inflight, self._beat_s = queue, inflight, beat_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def alive(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        step, since = min(PROGRESS_S, self._beat_s), 0.0
        while not self._stop.wait(step):
            since += step
            if (since >= self._beat_s or self._inflight.moved()) and beat_once(
                self._queue, self._inflight.beats, self._inflight
            ):
                since = 0.0


def beat_once(queue: Beats, beats: Callable[[], list[Beat]], inflight: Inflight) -> bool:
    """One heartbeat; false when the database could not be reached, so that the next comes soon."""
    told = beats()
    if not told:
        return True
    try:
        charged = inflight.hear(queue.beat(told), told)
        if charged:
            queue.refund_starts(charged)
    except StorageError as error:
        log.warning("heartbeat failed: %s", error.code)
        return False
    return True

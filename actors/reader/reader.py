"""The loop of a CPU reader: claim a document, have it read in the sandbox, hand over what came of it, go on.

In come the queue, the originals and a `DocumentReader`; out go results to the publisher and pages without text to the
recognition line. One document is being read at a time; small ones are taken in groups while the queue is deep. Leases
are kept by a thread of their own. Knows no Ray, no HTTP
and no parser.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from actors.reader.inflight import HeartbeatThread, Inflight
from actors.reader.ocr_queue import OcrQueue
from actors.reader.outcome_handler import Settlement
from actors.reader.publisher import Publishing
from actors.reader.retry import Backoff, Disposition, locate
from actors.reader.task_notifier import WakeSignal
from actors.reading.original import is_picture
from actors.reading.pending_ocr import PendingOcr
from models.cdom.errors import ErrorCode
from models.cdom.original import ReadOptions
from models.cdom.ports import ReadOutcome
from storage.values.errors import LostLease, NotFound, QuotaExceeded, StorageError
from storage.values.rows import Beat, Claim, DocumentId
from storage.values.states import Phase

log = logging.getLogger(__name__)
STUCK_S = 60.0
"""An idle loop turns every second; silent for this long while reading nothing, it is dead."""
NO_ROOM = ReadOutcome(detail="a picture, while the recognition line is full")
"""Known without a child, so that a hundred pictures in the queue cost a reader nothing."""
GROUP = 16
"""Documents taken by one claim at most: a claim's share of the database's work is then a sixteenth per document."""
FAULTS = 8
"""Consecutive faults of the sandbox itself after which the replica asks to be replaced."""


class TaskQueue(Protocol):
    """What the loop needs of `storage.queue.queue.Queue`."""

    def claim_group(self, most: int, *, scans: bool = True) -> list[Claim]: ...
    def beat(self, beats: list[Beat], /) -> frozenset[DocumentId]: ...
    def release(self, claim: Claim, /, *, scan: bool = False) -> bool: ...
    def release_all(self, claims: Sequence[Claim], /) -> int: ...
    def retry(self, claim: Claim, error: str, detail: str, /) -> bool: ...


class OriginalSource(Protocol):
    """Uploaded bytes by content hash."""

    def open(self, sha256: str, /) -> BinaryIO: ...


class Parser(Protocol):
    """`actors.reading.read_document.DocumentReader`: one sandboxed reading at a time."""

    def start(self) -> None: ...
    def read_until_pixels(
        self, original: BinaryIO, options: ReadOptions, on_page: Callable[[int, int], None], *, job: str
    ) -> ReadOutcome | PendingOcr: ...
    def end_job(self, job: str) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderParts:
    """Everything a reader is made of."""

    queue: TaskQueue
    originals: OriginalSource
    parser: Parser
    hints: WakeSignal
    publisher: Publishing
    settlement: Settlement
    recognition: OcrQueue
    inflight: Inflight
    heart: HeartbeatThread
    reserve: Callable[[Claim, int], None]
    """Grow the claim's page reservation to this many pages; raises QuotaExceeded or LostLease."""
    close: Callable[[], None] = lambda: None
    """Ends the connections, last of all."""


def job_name(claim: Claim) -> str:
    """Name the documents that may share a sandboxed child: those of one job of one organisation of one tenant."""
    return f"{claim.scope.tenant}/{claim.scope.org}/{claim.job_id}"


class Reader:
    """`start` once, `drain` once; `healthy` whenever asked."""

    def __init__(self, parts: ReaderParts) -> None:
        self._parts = parts
        self._stop = threading.Event()
        self._backoff = Backoff(self._stop.wait)
        self._sandbox_faults = Backoff(self._stop.wait)
        self._reading: Claim | None = None
        self._group: deque[Claim] = deque()
        self._most = 1
        self._turned_at = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        self._parts.parser.start()  # raises where the sandbox cannot be had: better no reader than an open one
        self._parts.hints.start()
        self._parts.publisher.start()
        self._parts.heart.start()
        self._thread.start()

    def healthy(self) -> bool:
        """All threads live, the loop turns and the sandbox works.

        A lost database is no reason: replacing replicas would not bring it back.
        """
        if self._stop.is_set():
            return True
        turning = self._reading is not None or time.monotonic() - self._turned_at < STUCK_S
        living = self._thread.is_alive() and self._parts.publisher.alive() and self._parts.heart.alive()
        return living and turning and self._sandbox_faults.faults < FAULTS

    def drain(self, timeout_s: float) -> bool:
        """Claim no more, finish what is open; what takes longer goes back uncharged. Heartbeats end last."""
        until = time.monotonic() + timeout_s
        self._stop.set()
        self._parts.hints.wake()
        self._thread.join(timeout_s)
        late = self._give_back()
        self._parts.recognition.close()
        published = self._parts.publisher.close(max(1.0, until - time.monotonic()))
        self._parts.heart.stop()
        self._parts.hints.stop()
        self._parts.parser.close()
        self._parts.close()
        return published and not late

    def _give_back(self) -> bool:
        claim = self._reading
        if claim is None or not self._thread.is_alive():
            return False
        try:
            self._parts.settlement.give_back(claim)
            self._release_group()
        except StorageError as error:
            log.warning("could not give back document %s: %s", claim.document_id, error.code)
        return True

    def _run(self) -> None:
        while not self._stop.is_set():
            self._turned_at = time.monotonic()
            try:
                idle = not self._take_turn()
                self._backoff.reset()
            except StorageError as error:
                log.warning("queue unreachable: %s", error.code)
                self._backoff.pause()
                continue
            if idle:
                self._parts.hints.wait()

    def _take_turn(self) -> bool:
        """Claim and read; false when there was nothing. Groups grow while the queue fills them: a short queue is left
        to all readers."""
        group = self._parts.queue.claim_group(self._most, scans=not self._parts.recognition.full)
        self._most = min(GROUP, 2 * self._most) if len(group) == self._most else 1
        for claim in group:
            self._parts.inflight.add(claim)
        self._group.extend(group)
        try:
            while self._group and not self._stop.is_set():
                claim = self._group.popleft()
                try:
                    self._handle(claim)
                finally:
                    self._end_job_unless_claimed(claim)
        finally:
            self._release_group()
        return bool(group)

    def _end_job_unless_claimed(self, claim: Claim) -> None:
        """End the children of the claim's job when no other document of it is left to be read."""
        job = job_name(claim)
        if self._stop.is_set() or all(job_name(waiting) != job for waiting in self._group):
            self._parts.parser.end_job(job)

    def _release_group(self) -> None:
        """What was not begun goes back: another reader takes it at once."""
        held = [claim for claim in self._group if self._parts.inflight.holds(claim)]
        self._group.clear()
        for claim in held:
            self._parts.inflight.remove(claim)
        if held:
            self._parts.queue.release_all(held)

    def _handle(self, claim: Claim) -> None:
        if not self._parts.inflight.holds(claim):  # canceled while it waited in its group
            return
        self._parts.inflight.enter(claim, Phase.READING)
        if claim.exhausted:
            self._parts.settlement.fail(claim, ErrorCode.WORKER_KILLED, "every start ended without a verdict")
            return
        self._reading = claim
        try:
            outcome = self._read(claim)
        finally:
            self._reading = None
        if outcome is NO_ROOM:
            self._parts.settlement.give_back(claim, scan=True)
        elif isinstance(outcome, PendingOcr):
            self._recognise(claim, outcome)
        elif self._parts.settlement.settle(claim, outcome) is Disposition.RELEASE:
            self._sandbox_faults.pause()
        else:
            self._sandbox_faults.reset()

    def _recognise(self, claim: Claim, waiting: PendingOcr) -> None:
        """Into the line; when that is full back to the queue, where it waits without hindering what is behind it."""
        self._sandbox_faults.reset()
        if not self._parts.inflight.holds(claim):
            waiting.pixels.close()
        elif self._parts.recognition.full:
            waiting.pixels.close()
            self._parts.settlement.give_back(claim, scan=True)
        else:
            self._parts.recognition.put(claim, waiting)

    def _read(self, claim: Claim) -> ReadOutcome | PendingOcr:
        """Never raises: whatever goes wrong here is an outcome of this document, not the end of the loop."""
        try:
            with self._parts.originals.open(claim.blob_sha256 or "") as original:
                if self._parts.recognition.full and is_picture(original):
                    return NO_ROOM
                return self._parts.parser.read_until_pixels(
                    original,
                    claim.options,
                    lambda done, total: self._page(claim, done, total),
                    job=job_name(claim),
                )
        except NotFound:
            return ReadOutcome(error=ErrorCode.ORIGINAL_MISSING)
        except QuotaExceeded:
            return ReadOutcome(error=ErrorCode.PAGE_QUOTA)
        except StorageError as error:  # the database or the disk, not the document
            return ReadOutcome(error=ErrorCode.INTERNAL, detail=error.code, charged=False)
        except Exception as error:
            log.error("reading document %s attempt %d: %s", claim.document_id, claim.attempt, locate(error))
            return ReadOutcome(error=ErrorCode.INTERNAL, detail=type(error).__name__)

    def _page(self, claim: Claim, done: int, total: int) -> None:
        """Called by the sandbox's parent; what it raises ends this reading."""
        if done == 0 and total > claim.reserved_pages:
            self._parts.reserve(claim, total)
        if not self._parts.inflight.holds(claim):
            raise LostLease(claim.document_id)
        self._parts.inflight.progress(claim, done, total)

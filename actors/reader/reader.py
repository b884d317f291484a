"""The loop of a CPU reader: claim a document, read it in the sandbox, pass on the outcome, repeat.

Results go to the publisher, and pages without text to the OCR queue. One document is read at a time; small ones are
claimed in groups while the queue is deep. A separate thread renews the leases. Knows no Ray, no HTTP and no parser.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from quire.actors.reader.inflight import HeartbeatThread, Inflight
from quire.actors.reader.ocr_queue import OcrQueue
from quire.actors.reader.outcome_handler import OutcomeHandler
from quire.actors.reader.publisher import Publishing
from quire.actors.reader.retry import Backoff, Disposition, locate
from quire.actors.reader.task_notifier import TaskNotifier
from quire.actors.reading.original import is_picture
from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.ports import ReadOutcome
from quire.models.fair_time import TurnWatch
from quire.storage.objects.blobs import Blobs
from quire.storage.queue.queue import Queue
from quire.storage.values.errors import LostLease, NotFound, QuotaExceeded, StorageError
from quire.storage.values.rows import Claim
from quire.storage.values.states import Phase

log = logging.getLogger(__name__)
STUCK_S = 60.0
"""Fair seconds without progress of a turn, while not reading, after which the loop counts as dead."""
NO_ROOM = ReadOutcome(detail="a picture, while the recognition line is full")
"""Outcome of a picture while the OCR queue is full; it needs no child, so many pictures cost a reader nothing."""
GROUP = 16
"""Most documents of one claim: a claim's database work is then a sixteenth per document."""
FAULTS = 8
"""Consecutive faults of the sandbox itself after which the replica asks to be replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderParts:
    """Everything a reader is made of."""

    queue: Queue
    originals: Blobs
    parser: DocumentReader
    wake_signal: TaskNotifier
    publisher: Publishing
    outcomes: OutcomeHandler
    recognition: OcrQueue
    inflight: Inflight
    heartbeat: HeartbeatThread
    reserve: Callable[[Claim, int], None]
    """Grow the claim's page reservation to this many pages; raises QuotaExceeded or LostLease."""
    earlier: Callable[[Claim], bytes] = lambda claim: b""
    """Pages of an earlier file of the claim's name, as `ReadOutcome.kept_pages`."""
    close: Callable[[], None] = lambda: None
    """Closes the connections, as the last step."""


def job_name(claim: Claim) -> str:
    """Name the documents that may share a sandboxed child: those of one job of one organisation of one tenant."""
    return f"{claim.scope.tenant}/{claim.scope.org}/{claim.job_id}"


class Reader:
    """Reads documents of the queue. Call `start` once, `drain` once, and `healthy` at any time."""

    def __init__(self, parts: ReaderParts) -> None:
        self._parts = parts
        self._stop = threading.Event()
        self._backoff = Backoff(self._stop.wait)
        self._sandbox_faults = Backoff(self._stop.wait)
        self._reading: Claim | None = None
        self._group: deque[Claim] = deque()
        self._most = 1
        self._turn = TurnWatch()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)

    def start(self) -> None:
        """Start the sandbox and all threads. Raises if the sandbox is not available."""
        self._parts.parser.start()  # raises without a sandbox: no reader is better than an unprotected one
        self._parts.wake_signal.start()
        self._parts.publisher.start()
        self._parts.heartbeat.start()
        self._thread.start()

    def healthy(self) -> bool:
        """Return whether all threads live, the loop turns and the sandbox works.

        A lost database does not count: replacing replicas would not restore it.
        """
        if self._stop.is_set():
            return True
        turning = self._reading is not None or self._turn.seconds() < STUCK_S
        living = self._thread.is_alive() and self._parts.publisher.alive() and self._parts.heartbeat.alive()
        return living and turning and self._sandbox_faults.faults < FAULTS

    def drain(self, timeout_s: float) -> bool:
        """Claim nothing new and finish open work; work that takes longer is released uncharged. Heartbeats end last."""
        until = time.monotonic() + timeout_s
        self._stop.set()
        self._parts.wake_signal.wake()
        self._thread.join(timeout_s)
        late = self._release_current()
        self._parts.recognition.close()
        self._parts.outcomes.close()
        published = self._parts.publisher.close(max(1.0, until - time.monotonic()))
        self._parts.heartbeat.stop()
        self._parts.wake_signal.stop()
        self._parts.parser.close()
        self._parts.close()
        return published and not late

    def _release_current(self) -> bool:
        claim = self._reading
        if claim is None or not self._thread.is_alive():
            return False
        try:
            self._parts.outcomes.release(claim)
            self._release_group()
        except StorageError as error:
            log.warning("could not release document %s: %s", claim.document_id, error.code)
        return True

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with self._turn:
                    idle = not self._take_turn()
                self._backoff.reset()
            except StorageError as error:
                log.warning("queue unreachable: %s", error.code)
                self._backoff.pause()
                continue
            if idle:
                self._parts.wake_signal.wait()

    def _take_turn(self) -> bool:
        """Claim and read; false if no task was ready.

        Groups grow while the queue fills them, so that a short queue is shared by all readers.
        """
        full = self._parts.recognition.full or self._parts.outcomes.full
        group = self._parts.queue.claim_group(self._most, scans=not full)
        self._most = min(GROUP, 2 * self._most) if len(group) == self._most else 1
        for claim in group:
            self._parts.inflight.add(claim)
        self._group.extend(group)
        try:
            while self._group and not self._stop.is_set():
                claim = self._group.popleft()
                self._turn.advance()
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
        """Release claims that were not begun, so that another reader takes them at once."""
        unread = [claim for claim in self._group if self._parts.inflight.holds(claim)]
        self._group.clear()
        for claim in unread:
            self._parts.inflight.remove(claim)
        if unread:
            self._parts.queue.release_all(unread)

    def _handle(self, claim: Claim) -> None:
        if not self._parts.inflight.holds(claim):  # canceled while it waited in its group
            return
        self._parts.inflight.enter(claim, Phase.READING)
        if claim.exhausted:
            self._parts.outcomes.fail(claim, ErrorCode.WORKER_KILLED, "every start ended without a verdict")
            return
        self._reading = claim
        try:
            outcome = self._read(claim)
        finally:
            self._turn.advance()
            self._reading = None
        if outcome is NO_ROOM:
            self._parts.outcomes.release(claim, scan=True)
        elif isinstance(outcome, PendingOcr):
            self._recognise(claim, outcome)
        elif self._parts.outcomes.handle(claim, outcome) is Disposition.RELEASE:
            self._sandbox_faults.pause()
        else:
            self._sandbox_faults.reset()

    def _recognise(self, claim: Claim, waiting: PendingOcr) -> None:
        """Add the document to the OCR queue, or release it if that is full, so that it does not block others."""
        self._sandbox_faults.reset()
        if not self._parts.inflight.holds(claim):
            waiting.pixels.close()
        elif self._parts.recognition.full:
            waiting.pixels.close()
            self._parts.outcomes.release(claim, scan=True)
        else:
            self._parts.recognition.put(claim, waiting)

    def _read(self, claim: Claim) -> ReadOutcome | PendingOcr:
        """Read one document. Never raises: any error becomes an outcome of this document, so the loop continues."""
        try:
            with self._parts.originals.open(claim.blob_sha256 or "") as original:
                if self._parts.recognition.full and is_picture(original):
                    return NO_ROOM
                return self._parts.parser.read_until_pixels(
                    original,
                    claim.options,
                    lambda done, total: self._page(claim, done, total),
                    job=job_name(claim),
                    earlier=partial(self._parts.earlier, claim),
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
        """Record a page, called by the sandbox's parent; an error raised here ends this reading."""
        if done == 0 and total > claim.reserved_pages:
            self._parts.reserve(claim, total)
        if not self._parts.inflight.holds(claim):
            raise LostLease(claim.document_id)
        self._parts.inflight.progress(claim, done, total)

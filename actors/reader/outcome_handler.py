"""Routes a document whose reading or recognition ended: publish, fail, retry or release.

An outcome becomes a result for the publisher or a task for the queue, or nothing if the lease was lost meanwhile. The
reading loop and the OCR queue use it, from any thread. Short documents are searched for personal data here, long ones
in the scan queue.
"""

import logging
from typing import assert_never

from quire.actors.reader.inflight import Inflight
from quire.actors.reader.outcome import describe
from quire.actors.reader.pii_scan import FlagTree, scan, unscanned
from quire.actors.reader.publisher import Publishing, Result
from quire.actors.reader.retry import Disposition, as_error, judge
from quire.actors.reader.scan_queue import ScanQueue, is_long
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.ports import ReadOutcome
from quire.storage.queue.queue import Queue
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Claim, Failed

log = logging.getLogger(__name__)


class OutcomeHandler:
    """Handles outcomes of readings. All methods may raise `StorageError`; the lease then expires."""

    def __init__(
        self,
        queue: Queue,
        publisher: Publishing,
        inflight: Inflight,
        flag_tree: FlagTree = unscanned,
        scans: ScanQueue | None = None,
    ) -> None:
        """Without `scans`, all documents are scanned here."""
        self._queue, self._publisher, self._inflight = queue, publisher, inflight
        self._flag_tree, self._scans = flag_tree, scans

    @property
    def full(self) -> bool:
        """Whether the scan queue holds as many documents as it may."""
        return self._scans is not None and self._scans.full

    def close(self) -> None:
        """Release the documents that are being scanned, uncharged."""
        for claim in self._scans.close() if self._scans is not None else ():
            try:
                self.release(claim)
            except StorageError as error:  # then its lease expires
                log.warning("could not release document %s: %s", claim.document_id, error.code)

    def handle(self, claim: Claim, outcome: ReadOutcome, *, wait: bool = False) -> Disposition | None:
        """Act on the outcome and return the disposition; None if the lease was lost.

        Args:
            claim: The document.
            outcome: What its reading ended with.
            wait: Whether to wait for room in the scan queue. Otherwise a long document goes back to the task queue.
        """
        if not self._inflight.holds(claim):
            return None
        disposition = judge(outcome)
        match disposition:
            case Disposition.PUBLISH:
                self._scan(claim, outcome, wait=wait)
            case Disposition.FAIL:
                self.fail(claim, outcome.error or ErrorCode.INTERNAL, outcome.detail)
            case Disposition.RETRY:
                self._inflight.remove(claim)
                self._queue.retry(claim, as_error(outcome.error), outcome.detail)
            case Disposition.RELEASE:
                self.release(claim)
            case _:
                assert_never(disposition)
        return disposition

    def _publish(self, claim: Claim, outcome: ReadOutcome) -> None:
        self._publisher.put(describe(claim, outcome))

    def _scan(self, claim: Claim, outcome: ReadOutcome, *, wait: bool) -> None:
        if self._scans is None or outcome.tree is None or not is_long(outcome.tree):
            self._publish(claim, scan(outcome, self._flag_tree))
        elif self._scans.full and not wait:
            self.release(claim, scan=True)
        else:
            self._scans.put(claim, outcome, self._publish)

    def fail(self, claim: Claim, error: ErrorCode, detail: str) -> None:
        """End the document with this error."""
        self._publisher.put(Result(finished=Failed(claim=claim, error=error.value, detail=detail)))

    def release(self, claim: Claim, *, scan: bool = False) -> None:
        """Return the task to the queue at once, uncharged; `scan` marks it as needing a recogniser."""
        if self._inflight.holds(claim):
            self._inflight.remove(claim)
            self._queue.release(claim, scan=scan)

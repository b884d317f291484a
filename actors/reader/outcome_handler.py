"""Routes a document whose reading or recognition ended: publish, fail, retry or release.

An outcome becomes a result for the publisher or a task for the queue, or nothing if the lease was lost meanwhile. The
reading loop and the OCR queue use it, from any thread.
"""

from typing import Protocol, assert_never

from actors.reader.inflight import Inflight
from actors.reader.outcome import describe
from actors.reader.pii_scan import FlagTree, scan, unscanned
from actors.reader.publisher import Publishing, Result
from actors.reader.retry import Disposition, as_error, judge
from models.cdom.errors import ErrorCode
from models.cdom.ports import ReadOutcome
from storage.values.rows import Claim, Failed


class PutBack(Protocol):
    """The part of the queue that takes tasks back."""

    def release(self, claim: Claim, /, *, scan: bool = False) -> bool:
        """Return the task to the queue at once, uncharged; `scan` marks it as needing a recogniser. False if lost."""

    def retry(self, claim: Claim, error: str, detail: str, /) -> bool:
        """Charge the start and queue the task after a delay, or fail it after the last start. False if lost."""


class OutcomeHandler:
    """Handles outcomes of readings. All methods may raise `StorageError`; the lease then expires."""

    def __init__(
        self, queue: PutBack, publisher: Publishing, inflight: Inflight, flag_tree: FlagTree = unscanned
    ) -> None:
        self._queue, self._publisher, self._inflight = queue, publisher, inflight
        self._flag_tree = flag_tree

    def handle(self, claim: Claim, outcome: ReadOutcome) -> Disposition | None:
        """Act on the outcome and return the disposition; None if the lease was lost."""
        if not self._inflight.holds(claim):
            return None
        disposition = judge(outcome)
        match disposition:
            case Disposition.PUBLISH:
                self._publisher.put(describe(claim, scan(outcome, self._flag_tree)))
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

    def fail(self, claim: Claim, error: ErrorCode, detail: str) -> None:
        """End the document with this error."""
        self._publisher.put(Result(finished=Failed(claim=claim, error=error.value, detail=detail)))

    def release(self, claim: Claim, *, scan: bool = False) -> None:
        """Return the task to the queue at once, uncharged; `scan` marks it as needing a recogniser."""
        if self._inflight.holds(claim):
            self._inflight.remove(claim)
            self._queue.release(claim, scan=scan)

"""What becomes of a document whose reading or recognition ended: published, failed, tried again or given back.

In comes an outcome, out go a result to the publisher or a task to the queue. Nothing at all when the lease was lost
meanwhile. Used by the reading loop and by the recognition line, from any thread.
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

    def release(self, claim: Claim, /, *, scan: bool = False) -> bool: ...
    def retry(self, claim: Claim, error: str, detail: str, /) -> bool: ...


class Settlement:
    """All methods may raise `StorageError`; the lease then runs out."""

    def __init__(
        self, queue: PutBack, publisher: Publishing, inflight: Inflight, flag_tree: FlagTree = unscanned
    ) -> None:
        self._queue, self._publisher, self._inflight = queue, publisher, inflight
        self._flag_tree = flag_tree

    def settle(self, claim: Claim, outcome: ReadOutcome) -> Disposition | None:
        """What was done; None when the lease was lost."""
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
                self.give_back(claim)
            case _:
                assert_never(disposition)
        return disposition

    def fail(self, claim: Claim, error: ErrorCode, detail: str) -> None:
        """The document ends with this error."""
        self._publisher.put(Result(finished=Failed(claim=claim, error=error.value, detail=detail)))

    def give_back(self, claim: Claim, *, scan: bool = False) -> None:
        """Uncharged and at once; `scan`: known to need a recogniser."""
        if self._inflight.holds(claim):
            self._inflight.remove(claim)
            self._queue.release(claim, scan=scan)

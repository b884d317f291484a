"""Reads a document in children that its pages may crash: decides on retries, failed pages and failed documents.

A page that ends its child is retried once alone in a fresh child, then failed, and the other pages continue. Only an
end while opening or finishing fails the document. A killed child says nothing about the document, so its work is
repeated. A document that fails, or has an anomaly, in a reused child is read again in a fresh one.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from quire.actors.reading.child_session import ChildSession, SessionDocument, SessionPhase, SessionStopped
from quire.actors.reading.childpool import ChildPool
from quire.actors.reading.conversation import ChildFailed
from quire.actors.sandbox.failures import DocumentError
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.tree import Tree
from quire.models.extract.contract import failed_page

SPLIT_ABOVE = 64
"""Documents with more pages are read by several children, when several are allowed."""
_PAGES_PER_CHILD = 200  # pages after which a fresh child takes over, which bounds the leaks of an engine
_FREE_TRIES, _KILLED_TRIES, _CRASH_TRIES = 5, 1, 1  # starts: not the document's fault, killed from outside, crashed
_CONCLUSIVE_AT_ONCE = frozenset({ErrorCode.TIMEOUT, ErrorCode.RESOURCE_LIMIT})
NOT_DRAWN = "picture-not-drawn"


class DocumentFailed(Exception):
    """The document as a whole cannot be read."""

    def __init__(self, error: DocumentError) -> None:
        super().__init__(error.code.value)
        self.error = error


class RetryBudget:
    """Limits the retries of one document. Thread-safe."""

    def __init__(self, limits: SandboxLimits) -> None:
        self._free, self._killed, self._crashed = _FREE_TRIES, _KILLED_TRIES, _CRASH_TRIES
        self._cpu_left_s = float(limits.total_cpu_s)
        self._lock = threading.Lock()

    def allows(self, failure: ChildFailed, sitting: ChildSession) -> bool:
        """Whether the same may be asked of a fresh child. Raises `DocumentFailed` when all CPU time is used up."""
        with self._lock:
            self._cpu_left_s -= failure.cpu_s
            if self._cpu_left_s <= 0:
                raise DocumentFailed(DocumentError(ErrorCode.TIMEOUT, "CPU time of the whole document"))
            if sitting.phase is SessionPhase.SENT or not sitting.fresh:
                self._free -= 1
                return self._free >= 0
            if failure.error.code is ErrorCode.WORKER_KILLED:
                self._killed -= 1
                return self._killed >= 0
            if failure.error.code is ErrorCode.PARSER_CRASH and sitting.phase in (
                SessionPhase.OPENING,
                SessionPhase.FINISHING,
            ):
                self._crashed -= 1
                return self._crashed >= 0
            return False


class Attempts:
    """One document's reading. `side_by_side` children may work on a long one."""

    def __init__(self, pool: ChildPool, document: SessionDocument, limits: SandboxLimits, side_by_side: int) -> None:
        self._pool, self._document, self._collected = pool, document, document.collected
        self._retries, self._side_by_side = RetryBudget(limits), side_by_side

    def run(self) -> Tree | None:
        """Read the document.

        Returns:
            The tree, or None when the pages are in `collected` and still have to be finished.

        Raises:
            DocumentFailed: The document cannot be read.
            ServerGone: The fork server does not start.
        """
        fresh = False
        while True:
            sitting = self._sit(fresh=fresh)
            try:
                tree = self._whole_or_split(sitting)
                if not sitting.is_doubtful:
                    return tree
                self._collected.drop_pages()
                fresh = True
            except ChildFailed as failure:
                if self._retries.allows(failure, sitting):
                    self._collected.drop_pages()
                    fresh = True
                elif is_about_page(failure, sitting):
                    self._collected.drop_pages()
                    self._settle(failure, sitting)
                    self._read_remaining()
                    return None
                else:
                    raise DocumentFailed(failure.error) from None

    def _sit(self, *, fresh: bool = True) -> ChildSession:
        return ChildSession(self._pool.take(self._document.job, fresh=fresh), self._document, self._pool)

    def _whole_or_split(self, sitting: ChildSession) -> Tree | None:
        with sitting:
            if self._side_by_side == 1:
                return sitting.read_whole()
            sitting.open()
            if len(self._numbers()) <= SPLIT_ABOVE:
                return sitting.go_on_whole()
        self._read_remaining()
        return None

    def _numbers(self) -> tuple[int, ...]:
        facts = self._collected.facts
        return facts.page_numbers if facts else ()

    def _read_remaining(self) -> None:
        """All pages that are not yet collected, in ranges; the ranges side by side when that is allowed."""
        numbers = [number for number in self._numbers() if number not in self._collected.contents]
        ranges = split_pages(numbers, self._side_by_side)
        if self._side_by_side == 1 or len(ranges) < 2:
            for some in ranges:
                self._read_range(some)
            return
        with ThreadPoolExecutor(self._side_by_side) as threads:
            for done in [threads.submit(self._read_range_or_stop, some) for some in ranges]:
                done.result()

    def _read_range_or_stop(self, numbers: Sequence[int]) -> None:
        try:
            self._read_range(numbers)
        except SessionStopped:
            return
        except BaseException:
            self._document.stopped.set()
            raise

    def _read_range(self, numbers: Sequence[int]) -> None:
        while left := [number for number in numbers if number not in self._collected.contents]:
            sitting = self._sit()
            try:
                with sitting:
                    sitting.read_pages(left)
            except ChildFailed as failure:
                self._drop_unfinished(failure, sitting)
                if not self._retries.allows(failure, sitting):
                    if not is_about_page(failure, sitting):
                        raise DocumentFailed(failure.error) from None
                    self._settle(failure, sitting)

    def _drop_unfinished(self, failure: ChildFailed, sitting: ChildSession) -> None:
        """Drop a page whose pictures were being drawn when its child was killed, so that it is read again with them."""
        if failure.error.code is ErrorCode.WORKER_KILLED and sitting.phase is SessionPhase.DRAWING:
            self._collected.contents.pop(sitting.page, None)

    def _settle(self, failure: ChildFailed, sitting: ChildSession) -> None:
        """Handle a page that ended its child: retry it alone, or fail it when it was alone or used up its limits."""
        number, last = sitting.page, failure
        if sitting.phase is SessionPhase.DRAWING:
            self._settle_drawing(number)
            return
        if not (sitting.page_was_alone and failure.error.code in _CONCLUSIVE_AT_ONCE):
            again = self._read_alone(number, draw=self._document.draw)
            if again is None:
                return
            last = again
        self._collected.contents[number] = failed_page(number, last.error.code)

    def _settle_drawing(self, number: int) -> None:
        """Keep the text of a page whose pictures end the child, and leave the pictures out."""
        if number not in self._collected.contents:
            failure = self._read_alone(number, draw=False)
            if failure is not None:
                self._collected.contents[number] = failed_page(number, failure.error.code)
                return
        content = self._collected.contents[number]
        self._collected.contents[number] = replace(content, warnings=(*content.warnings, NOT_DRAWN))

    def _read_alone(self, number: int, *, draw: bool) -> ChildFailed | None:
        """One page in a fresh child; the failure when it ended that one too."""
        while True:
            sitting = self._sit()
            try:
                with sitting:
                    sitting.read_pages([number], draw=draw)
                return None
            except ChildFailed as failure:
                self._drop_unfinished(failure, sitting)
                if self._retries.allows(failure, sitting):
                    continue
                if not is_about_page(failure, sitting):
                    raise DocumentFailed(failure.error) from None
                if sitting.phase is SessionPhase.DRAWING:
                    self._settle_drawing(number)
                    return None
                return failure


def is_about_page(failure: ChildFailed, sitting: ChildSession) -> bool:
    """Whether one page is to blame, and neither the document as a whole nor the machine."""
    return (
        sitting.phase in (SessionPhase.READING, SessionPhase.DRAWING)
        and failure.error.code is not ErrorCode.WORKER_KILLED
    )


def split_pages(numbers: Sequence[int], side_by_side: int) -> list[Sequence[int]]:
    """Ranges of at most 200 pages, at least two per child when several work, so that none waits long for another."""
    size = _PAGES_PER_CHILD
    if side_by_side > 1:
        size = max(1, min(size, -(-len(numbers) // (2 * side_by_side))))
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]

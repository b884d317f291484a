"""Long documents that are searched for personal data, each in a separate process, so that the reading loop continues.

A read document becomes a flagged one for the publisher. A scan that exceeds its budget is incomplete and is not
repeated. Documents of several tenants take turns: one tenant holds all processes only while no other waits.
"""

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from quire.actors.reader.inflight import Inflight
from quire.actors.reader.pii_scan import FlagTree, scan
from quire.actors.reader.scan_process import ScanFailed, ScanProcess
from quire.models.cdom.ports import ReadOutcome
from quire.models.cdom.tree import Tree, load_tree
from quire.models.pii.flagging.flag import unfinished
from quire.storage.values.errors import LostLease, StorageError
from quire.storage.values.rows import Claim
from quire.storage.values.states import Phase

log = logging.getLogger(__name__)
SHORT_CHARS = 20_000
"""Most characters that are scanned in the reading loop: one second of names in prose, four in punctuation."""
KEEP_S = 60.0
"""Seconds for which an idle process and its model stay loaded."""
INTERRUPTED = "interrupted"
"""Name of the engine of a scan whose process ended."""


def is_long(tree: Tree) -> bool:
    """Return whether the tree's scan needs a separate process."""
    chars = 0
    for block in tree.blocks:
        cells = block.table.cells if block.table else ()
        chars += len(block.text) + sum(len(cell.text) for cell in cells)
        if chars > SHORT_CHARS:
            return True
    return False


Publish = Callable[[Claim, ReadOutcome], None]


@dataclass(frozen=True, slots=True)
class _Waiting:
    claim: Claim
    outcome: ReadOutcome
    publish: Publish


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanParts:
    """Parts of `ScanQueue`. `room`: most documents; `at_once`: processes; `wake` signals new capacity."""

    flag_tree: FlagTree
    inflight: Inflight
    wake: Callable[[], None]
    room: int
    at_once: int = 2
    keep_s: float = KEEP_S


class ScanQueue:
    """All methods may be called from any thread."""

    def __init__(self, parts: ScanParts) -> None:
        self._parts = parts
        self._changed = threading.Condition()
        self._waiting: deque[_Waiting] = deque()
        self._scanning: list[Claim] = []
        self._threads = 0
        self._closed = False

    @property
    def full(self) -> bool:
        """Whether the queue holds as many documents as it may."""
        return len(self._waiting) + len(self._scanning) >= self._parts.room

    def put(self, claim: Claim, outcome: ReadOutcome, publish: Publish) -> None:
        """Have a document that was read scanned and then published; waits while the queue is full."""
        with self._changed:
            self._changed.wait_for(lambda: not self.full or self._closed)
            if self._closed:
                return
            self._parts.inflight.enter(claim, Phase.READING)
            self._waiting.append(_Waiting(claim, outcome, publish))
            if self._threads < min(self._parts.at_once, len(self._waiting) + len(self._scanning)):
                self._threads += 1
                threading.Thread(target=self._run, name="scan", daemon=True).start()
            self._changed.notify_all()

    def close(self) -> list[Claim]:
        """End the processes and return the documents that were not scanned."""
        with self._changed:
            self._closed = True
            claims = [*(waiting.claim for waiting in self._waiting), *self._scanning]
            self._waiting.clear()
            self._changed.notify_all()
        return claims

    def _run(self) -> None:
        process = ScanProcess(self._parts.flag_tree)
        try:
            while (taken := self._take()) is not None:
                try:
                    self._scan(process, taken)
                except StorageError as error:  # the lease of this document expires, and nothing else is lost
                    log.warning("scanned document %s: %s", taken.claim.document_id, error.code)
                finally:
                    self._leave(taken.claim)
        finally:
            process.close()

    def _take(self) -> _Waiting | None:
        """Return the next document; None when none came for a while, or the queue is closed."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting or self._closed, self._parts.keep_s) or self._closed:
                self._threads -= 1
                return None
            held = Counter(claim.scope.tenant for claim in self._scanning)
            taken = min(self._waiting, key=lambda waiting: held[waiting.claim.scope.tenant])
            self._waiting.remove(taken)
            self._scanning.append(taken.claim)
            return taken

    def _leave(self, claim: Claim) -> None:
        with self._changed:
            self._scanning.remove(claim)
            self._changed.notify_all()
        self._parts.wake()

    def _scan(self, process: ScanProcess, taken: _Waiting) -> None:
        claim, outcome = taken.claim, taken.outcome
        try:
            self._check(claim)
            tree_json = process.scan(outcome.tree_json, lambda: self._check(claim))
            scanned = replace(outcome, tree=load_tree(tree_json), tree_json=tree_json)
        except LostLease:
            return
        except ScanFailed as error:
            log.error("scan of document %s attempt %d: %s", claim.document_id, claim.attempt, error)
            scanned = scan(outcome, lambda tree: unfinished(tree, INTERRUPTED, "0"))
        taken.publish(claim, scanned)

    def _check(self, claim: Claim) -> None:
        """Stop the scan after a lost lease, a cancel or a drain, by raising LostLease."""
        if self._closed or not self._parts.inflight.holds(claim):
            raise LostLease(claim.document_id)

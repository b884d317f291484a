"""Searches finished documents for names while the machine has idle CPU, before a redacted output is asked for.

The result is stored next to the published tree and is not shown: the first redacted output publishes it
(`quire.serve_apps.api.context.redaction_scans`). So a tree does not depend on the load of the machine. Documents
are kept in memory only; one that is lost at a restart is searched when its first redacted output is asked for.
"""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quire.actors.reader.scan_process import ScanFailed, ScanProcess
from quire.models.cdom.tree import Tree, load_tree
from quire.storage.objects.artifacts import SCANNED_TREE, TREE, Artifacts
from quire.storage.values.errors import NotFound, StorageError
from quire.storage.values.rows import Claim, DocumentId, Finished, Succeeded

log = logging.getLogger(__name__)
MOST_WAITING = 1000  # documents that wait for idle CPU; the oldest is dropped
POLL_S = 5.0  # seconds between looks at the load while it is high


def has_idle_cpu() -> bool:
    """Return whether fewer processes want to run than the machine has cores, over the last minute."""
    return os.getloadavg()[0] < (os.cpu_count() or 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanAheadParts:
    """Parts of `ScanAhead`. `is_wanted` returns whether a tree lacks the scan that redacted outputs need."""

    artifacts: Artifacts
    process: ScanProcess
    is_wanted: Callable[[Tree], bool]
    is_idle: Callable[[], bool] = has_idle_cpu
    poll_s: float = POLL_S


class ScanAhead:
    """All methods may be called from any thread."""

    def __init__(self, parts: ScanAheadParts) -> None:
        self._parts = parts
        self._changed = threading.Condition()
        self._waiting: deque[tuple[DocumentId, int]] = deque(maxlen=MOST_WAITING)
        self._closed = False
        self._running = False

    def after(self, finish: Callable[[Sequence[Finished]], list[bool]]) -> Callable[[Sequence[Finished]], list[bool]]:
        """Return `finish`, which also has the documents that it published searched later."""

        def finish_and_note(finished: Sequence[Finished]) -> list[bool]:
            done = finish(finished)
            published = [row.claim for row, ok in zip(finished, done, strict=True) if ok and isinstance(row, Succeeded)]
            self.note(published)
            return done

        return finish_and_note

    def note(self, published: Sequence[Claim]) -> None:
        """Have published documents searched when there is idle CPU."""
        with self._changed:
            self._waiting.extend((claim.document_id, claim.attempt) for claim in published)
            if self._waiting and not self._running and not self._closed:
                self._running = True
                threading.Thread(target=self._run, name="scan-ahead", daemon=True).start()

    def close(self) -> None:
        """Search no further document."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()

    def _run(self) -> None:
        try:
            while (taken := self._take()) is not None:
                try:
                    self._scan(*taken)
                except (ScanFailed, StorageError) as error:  # the first redacted output will search it
                    log.info("document %s was not searched ahead: %s", taken[0], error)
        finally:
            self._parts.process.close()

    def _take(self) -> tuple[DocumentId, int] | None:
        """Return the next document once there is idle CPU; None after the last one."""
        with self._changed:
            while self._waiting and not self._parts.is_idle():
                self._changed.wait(self._parts.poll_s)
            if not self._waiting:
                self._running = False
                return None
            return self._waiting.popleft()

    def _scan(self, document_id: DocumentId, attempt: int) -> None:
        artifacts = self._parts.artifacts
        tree_json = artifacts.read(document_id, attempt, TREE)
        if not self._parts.is_wanted(load_tree(tree_json)):
            return
        scanned = self._parts.process.scan(tree_json, self._stop_if_closed)
        artifacts.put(document_id, attempt, {SCANNED_TREE: scanned})
        try:
            artifacts.read(document_id, attempt, TREE)
        except NotFound:  # the document was deleted meanwhile
            artifacts.delete_attempt(document_id, attempt)

    def _stop_if_closed(self) -> None:
        if self._closed:
            raise ScanFailed("the reader stops")

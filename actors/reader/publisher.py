"""Makes finished documents visible: artifacts first, then one fenced transaction for all that are ready.

Results come from the reading loop. Batches form while the previous one commits, so reading never waits for a commit. A
result stays here until it is committed, rejected by the fence, or its lease is lost. Knows no parser.
"""

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from quire.actors.reader.inflight import Inflight
from quire.actors.reader.retry import Backoff, locate
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import Embedded, clean_name
from quire.models.cdom.tree import Tree
from quire.storage.objects.artifacts import KEPT_PAGES, Artifacts
from quire.storage.queue.queue import Queue
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import Claim, Failed, Finished, MemberFile, StoredBlob
from quire.storage.values.states import Phase

log = logging.getLogger(__name__)
BATCH = 16  # documents ended in one transaction: more only lengthens the lock on their jobs
GATHER_S = 0.25  # most seconds a result waits for others of its group; results without a group do not wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A document that was read: its artifacts by name, and the row to publish (the manifest is filled in here).

    `tree` is for indexing before the publisher, which does not use it.
    """

    finished: Finished
    artifacts: dict[str, bytes] = field(default_factory=dict)
    tree: Tree | None = None
    embedded: tuple[Embedded, ...] = ()

    @property
    def claim(self) -> Claim:
        """The claim of the document."""
        return self.finished.claim


class Publishing(Protocol):
    """Accepts finished documents for publishing: the publisher, or indexing before it."""

    def start(self) -> None:
        """Start working."""

    def alive(self) -> bool:
        """Return whether results are still being published."""

    def put(self, result: Result) -> None:
        """Accept a result; may block while earlier ones are pending."""

    def close(self, timeout_s: float) -> bool:
        """Publish pending results; false if that takes longer than `timeout_s` seconds."""


class Publisher:
    """Publishes on one thread. `put` blocks while `depth` results are pending, which slows reading down."""

    def __init__(
        self,
        *,
        artifacts: Artifacts,
        finish: Callable[[Sequence[Finished]], list[bool]],
        tasks: Queue,
        inflight: Inflight,
        depth: int,
        gather_s: float = GATHER_S,
        keep: Callable[[bytes], StoredBlob] | None = None,
    ) -> None:
        """Prepare the thread; `keep` stores files inside documents, and without it they do not become documents."""
        self._keep = keep
        self._gather_s = gather_s
        self._artifacts, self._finish, self._tasks, self._inflight = artifacts, finish, tasks, inflight
        self._results: queue.Queue[Result | None] = queue.Queue(maxsize=max(1, depth))
        self._ended = False
        self._closed = threading.Event()
        self._backoff = Backoff(self._closed.wait)
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def alive(self) -> bool:
        """Return whether the thread runs."""
        return self._thread.is_alive()

    def put(self, result: Result) -> None:
        """Add a result; blocks while `depth` results are pending."""
        self._results.put(result)

    def close(self, timeout_s: float) -> bool:
        """Publish pending results; false if that takes longer than `timeout_s` seconds (leases then expire)."""
        self._results.put(None)
        self._thread.join(timeout_s)
        self._closed.set()
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            self._publish(batch)

    def _next(self) -> list[Result] | None:
        """Return at least one result and all others that are ready; None at the end."""
        first = None if self._ended else self._results.get()
        if first is None:
            return None
        batch, until = [first], time.monotonic() + self._gather_s
        while len(batch) < BATCH:
            try:
                result = self._results.get(timeout=self._patience(batch, until))
            except queue.Empty:
                break
            if result is None:
                self._ended = True
                break
            batch.append(result)
        return batch

    def _patience(self, batch: list[Result], until: float) -> float:
        """Return the seconds to wait for another result: 0 unless the batch is of groups with more to come."""
        gathers = all(result.claim.grouped for result in batch) and self._inflight.expects_more()
        return max(0.0, until - time.monotonic()) if gathers else 0.0

    def _publish(self, batch: list[Result]) -> None:
        """Commit with retries while the database is away and the leases hold; a lost COMMIT reply ends at the fence."""
        for result in batch:
            self._inflight.enter(result.claim, Phase.PUBLISHING)
        while batch := [result for result in batch if self._inflight.holds(result.claim)]:
            try:
                self._commit(batch)
            except Exception as error:
                if not getattr(error, "retryable", False):
                    self._give_up(batch, error)
                    return
                log.warning("publishing waits: %s", error if isinstance(error, StorageError) else type(error).__name__)
                self._backoff.pause()
                if self._closed.is_set():
                    return
                continue
            self._backoff.reset()
            return

    def _give_up(self, batch: list[Result], error: Exception) -> None:
        """Handle an error that waiting cannot fix: find the faulty result by publishing singly, and retry its task."""
        if len(batch) > 1:
            for result in batch:
                self._publish([result])
            return
        claim = batch[0].claim
        log.error("document %s attempt %d cannot be published: %s", claim.document_id, claim.attempt, locate(error))
        self._inflight.remove(claim)
        with contextlib.suppress(StorageError):  # then its lease expires
            self._tasks.retry(claim, ErrorCode.INTERNAL.value, type(error).__name__)

    def _commit(self, batch: list[Result]) -> None:
        ready = [self._store(result) for result in batch if self._inflight.holds(result.claim)]
        if not ready:
            return
        with self._inflight.ending([finished.claim for finished in ready]):
            for finished, done in zip(ready, self._finish(ready), strict=True):
                claim = finished.claim
                if not done:
                    log.warning("fence refused document %s attempt %d", claim.document_id, claim.attempt)
                self._inflight.remove(claim, finished.error if isinstance(finished, Failed) else None)

    def _store(self, result: Result) -> Finished:
        if isinstance(result.finished, Failed):
            return result.finished
        claim = result.claim
        try:
            manifest = self._artifacts.put(claim.document_id, claim.attempt, result.artifacts)
        except ValueError as error:  # an artifact name that no file may have
            return Failed(claim=claim, error=ErrorCode.INTERNAL.value, detail=type(error).__name__)
        manifest.pop(KEPT_PAGES, None)
        return replace(result.finished, manifest=manifest, members=self._keep_members(result))

    def _keep_members(self, result: Result) -> tuple[MemberFile, ...]:
        """Store the files inside a document as originals, before rows refer to them."""
        if self._keep is None:
            return ()
        return tuple(
            MemberFile(name=clean_name(embedded.name), path=embedded.path, blob=self._keep(embedded.data))
            for embedded in result.embedded
        )

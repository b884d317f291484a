"""Makes finished documents visible: artifacts first, then one fenced transaction for all that are ready.

In come results from the reading loop; batches form naturally while the previous one commits, so publishing never idles
reading. A result stays here until it is committed, refused by the fence or the lease is lost. Knows no parser.
"""

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from actors.reader.inflight import Beats, Inflight, beat_once
from actors.reader.retry import Backoff, locate
from models.cdom.errors import ErrorCode
from models.cdom.original import Embedded, clean_name
from models.cdom.tree import Tree
from storage.values.errors import StorageError
from storage.values.rows import Claim, DocumentId, Failed, Finished, MemberFile, StoredBlob
from storage.values.states import Phase

log = logging.getLogger(__name__)
BATCH = 16  # documents ended in one transaction: more only lengthens the lock on their jobs
GATHER_S = 0.25  # a result of a group waits so long at most for the rest of the group; all others do not wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A document that was read: its artifacts by name, and the row to publish (the manifest is filled in here).

    `tree` is for whoever indexes it first; the publisher itself does not look at it.
    """

    finished: Finished
    artifacts: dict[str, bytes] = field(default_factory=dict)
    tree: Tree | None = None
    embedded: tuple[Embedded, ...] = ()

    @property
    def claim(self) -> Claim:
        return self.finished.claim


class DocumentArtifacts(Protocol):
    """Where derived files go; never overwrites."""

    def put(self, document_id: DocumentId, attempt: int, files: dict[str, bytes], /) -> dict[str, dict[str, Any]]: ...


class KeepOriginal(Protocol):
    """Stores the bytes of an original and says where."""

    def __call__(self, data: bytes, /) -> StoredBlob: ...


class Tasks(Beats, Protocol):
    """The part of the queue a publisher needs: renew leases, and give back what cannot be published."""

    def retry(self, claim: Claim, error: str, detail: str, /) -> bool: ...


class Finish(Protocol):
    """`storage.queue.publish.finish` with its store: false = the fence refused that one."""

    def __call__(self, finished: Sequence[Finished], /) -> list[bool]: ...


class Publishing(Protocol):
    """Where results go to be published: the publisher, or what stands before it."""

    def start(self) -> None: ...
    def alive(self) -> bool: ...
    def put(self, result: Result) -> None: ...
    def close(self, timeout_s: float) -> bool: ...


class Publisher:
    """One thread. `put` blocks when `depth` results wait: that is the back-pressure on reading."""

    def __init__(
        self,
        *,
        artifacts: DocumentArtifacts,
        finish: Finish,
        tasks: Tasks,
        inflight: Inflight,
        depth: int,
        gather_s: float = GATHER_S,
        keep: KeepOriginal | None = None,
    ) -> None:
        """`keep` stores the files that are inside documents; without it they are not made documents."""
        self._keep = keep
        self._gather_s = gather_s
        self._artifacts, self._finish, self._tasks, self._inflight = artifacts, finish, tasks, inflight
        self._results: queue.Queue[Result | None] = queue.Queue(maxsize=max(1, depth))
        self._ended = False
        self._gone = threading.Event()
        self._backoff = Backoff(self._gone.wait)
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def alive(self) -> bool:
        return self._thread.is_alive()

    def put(self, result: Result) -> None:
        self._results.put(result)

    def close(self, timeout_s: float) -> bool:
        """Publish what is left; false when that took longer than `timeout_s` (leases then run out)."""
        self._results.put(None)
        self._thread.join(timeout_s)
        self._gone.set()
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            self._publish(batch)

    def _next(self) -> list[Result] | None:
        """At least one result, and whatever else is ready; None at the end."""
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
        """Seconds to wait for one more: none unless all of the batch were taken in groups and more of them come."""
        gathers = all(result.claim.grouped for result in batch) and self._inflight.coming()
        return max(0.0, until - time.monotonic()) if gathers else 0.0

    def _publish(self, batch: list[Result]) -> None:
        """Retried while the database is away and the leases are ours; a lost COMMIT answer ends at the fence."""
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
                if self._gone.is_set():
                    return
                continue
            self._backoff.reset()
            return

    def _give_up(self, batch: list[Result], error: Exception) -> None:
        """No outage, so waiting will not help: one that spoils its batch is found alone and goes back to the queue."""
        if len(batch) > 1:
            for result in batch:
                self._publish([result])
            return
        claim = batch[0].claim
        log.error("document %s attempt %d cannot be published: %s", claim.document_id, claim.attempt, locate(error))
        self._inflight.remove(claim)
        with contextlib.suppress(StorageError):  # then its lease runs out
            self._tasks.retry(claim, ErrorCode.INTERNAL.value, type(error).__name__)

    def _commit(self, batch: list[Result]) -> None:
        if self._inflight.believed_read([result.claim for result in batch]):
            beat_once(self._tasks, self._inflight.beats, self._inflight)  # a lapse from here on costs no start
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
        return replace(result.finished, manifest=manifest, members=self._keep_members(result))

    def _keep_members(self, result: Result) -> tuple[MemberFile, ...]:
        """The files inside a document, stored as originals before anything refers to them."""
        if self._keep is None:
            return ()
        return tuple(
            MemberFile(name=clean_name(one.name), path=one.path, blob=self._keep(one.data)) for one in result.embedded
        )

"""Compares the index with SQL: rows of attempts nobody published go after a grace time, published documents without
rows are indexed again. What is indexed but not published is normal for as long as its document is being worked on.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from storage.index.index_requests import take_requests
from storage.index.rechunk import mark_chunked
from storage.index.table.entries import parse_scope
from storage.index.writer import ChunkIndexWriter
from storage.postgres.database import Database, Row
from storage.values.errors import StorageError
from storage.values.rows import DocumentId, Scope

log = logging.getLogger(__name__)
GRACE_S = 3600.0  # seconds a row nobody published may belong to a publication in course
PASS_S = 120.0
"""Indexing again stops after this time; the next pass goes on."""
EVERY_S = 3600.0  # seconds between whole comparisons; notices bring the urgent ones

_PUBLISHED = """
select id, tenant, org, published_attempt, chunks from documents
where status = 'succeeded' and deleted_at is null and published_attempt is not null and coalesce(chunks, -1) <> 0
"""
_AT_WORK = "select id from documents where status in ('queued', 'running') and id = any(%(ids)s)"
Reindex = Callable[[Scope, DocumentId, int], int]
"""Chunk, embed and write a published attempt again; the number of its chunks."""


@dataclass(slots=True)
class IndexDifferences:
    """(document, generation) pairs. `retired` were removed now; `waiting` will be, when they stay what they are."""

    retired: list[tuple[str, int]] = field(default_factory=list)
    waiting: list[tuple[str, int]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class IndexReconciler:
    """Remembers when it first saw a row that nobody published: rows carry no time of their own."""

    def __init__(
        self,
        db: Database,
        writer: ChunkIndexWriter,
        reindex: Reindex,
        *,
        chunker: str,
        grace_s: float = GRACE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._db, self._writer, self._reindex, self._chunker = db, writer, reindex, chunker
        self._grace_s, self._clock = grace_s, clock
        self._seen: dict[tuple[str, int], float] = {}
        self._next_at = -1.0

    def run_when_due(self) -> IndexDifferences | None:
        """Every hour, when asked to (`storage.index.index_requests`), and at once again while something is missing."""
        if not take_requests(self._db) and self._clock() < self._next_at:
            return None
        found = self.run()
        self._next_at = self._clock() + (0 if found.missing else EVERY_S)
        return found

    def run(self) -> IndexDifferences:
        """One pass. A document that cannot be indexed now is tried again in the next one."""
        indexed = self._writer.generations()
        published = {(row["id"], row["published_attempt"]): row for row in self._db.fetch_all(_PUBLISHED)}
        found = IndexDifferences()
        self._retire({key: scope for key, (scope, _) in indexed.items() if key not in published}, found)
        counts = {key: chunks for key, (_, chunks) in indexed.items()}
        for key in self._leave_old_owners(indexed, published):
            del counts[key]
        lacking = [row for key, row in published.items() if counts.get(key) is None or _differs(counts[key], row)]
        found.missing = [row["id"] for row in lacking]
        until = self._clock() + PASS_S
        for row in lacking:
            if self._clock() <= until:
                self._index_again(row)
        return found

    def _retire(self, unpublished: dict[tuple[str, int], str], found: IndexDifferences) -> None:
        at_work = {row["id"] for row in self._db.fetch_all(_AT_WORK, {"ids": [name for name, _ in unpublished]})}
        stale = {key: scope for key, scope in unpublished.items() if key[0] not in at_work}
        now = self._clock()
        self._seen = {key: self._seen.get(key, now) for key in stale}
        found.retired = sorted(key for key, since in self._seen.items() if now - since >= self._grace_s)
        found.waiting = sorted(stale.keys() - set(found.retired))
        self._writer.retire(found.retired, {parse_scope(stale[key]) for key in found.retired})

    def _leave_old_owners(
        self, indexed: dict[tuple[str, int], tuple[str, int]], published: dict[tuple[str, int], Row]
    ) -> list[tuple[str, int]]:
        """Rows under an owner their document was moved away from go now; which those were."""
        old = {key: parse_scope(indexed[key][0]) for key in indexed.keys() & published.keys()}
        moved = {key: scope for key, scope in old.items() if scope != _owner(published[key])}
        self._writer.retire(moved.keys(), set(moved.values()))
        return list(moved)

    def _index_again(self, row: Row) -> None:
        scope, attempt = _owner(row), row["published_attempt"]
        try:
            chunks = self._reindex(scope, DocumentId(row["id"]), attempt)
        except StorageError as error:
            log.warning("document %s cannot be indexed again: %s", row["id"], error.code)
            return
        mark_chunked(self._db, DocumentId(row["id"]), attempt, self._chunker, chunks)


def _owner(row: Row) -> Scope:
    return Scope(tenant=row["tenant"], org=row["org"])


def _differs(there: int, row: Row) -> bool:
    return row["chunks"] is not None and row["chunks"] != there

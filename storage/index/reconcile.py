"""Compares the index with SQL.

Rows of unpublished attempts are deleted after a grace time, and published documents without rows are indexed again.
Searches show the earlier rows of a republished document until its new ones are there.
Indexed but unpublished rows are normal while their document is in progress.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from quire.storage.index.index_requests import take_requests
from quire.storage.index.rechunk import mark_chunked
from quire.storage.index.table.entries import parse_scope
from quire.storage.index.writer import ChunkIndexWriter
from quire.storage.postgres.database import Database, Row
from quire.storage.values.errors import StorageError
from quire.storage.values.rows import DocumentId, Scope

log = logging.getLogger(__name__)
GRACE_S = 3600.0  # seconds for which an unpublished row may belong to a publication in progress
PASS_S = 120.0
"""Seconds after which a pass stops indexing; the next pass continues."""
EVERY_S = 3600.0  # seconds between whole comparisons; notices bring the urgent ones

_PUBLISHED = """
select id, tenant, org, published_attempt, chunks from documents
where status = 'succeeded' and deleted_at is null and published_attempt is not null and coalesce(chunks, -1) <> 0
"""
_SHOWN_EARLIER = """
select id, published_attempt, searched_attempt from documents
where searched_attempt is not null and status = 'succeeded' and deleted_at is null
"""
_SHOW_PUBLISHED = """
update documents d set searched_attempt = null
from unnest(%(ids)s::text[], %(attempts)s::bigint[]) as shown(id, attempt)
where d.id = shown.id and d.published_attempt = shown.attempt
"""
_AT_WORK = "select id from documents where status in ('queued', 'running') and id = any(%(ids)s)"
Reindex = Callable[[Scope, DocumentId, int], int]
"""Chunks, embeds and writes a published attempt again; returns the number of its chunks."""


@dataclass(slots=True)
class IndexDifferences:
    """(document, generation) pairs: `retired` ones were removed now, `waiting` ones are still in their grace time."""

    retired: list[tuple[str, int]] = field(default_factory=list)
    waiting: list[tuple[str, int]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class IndexReconciler:
    """Compares the index with SQL and keeps the time at which it first saw each unpublished row."""

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
        """Compare every hour, on request (`index_requests`), and again while documents are missing."""
        if not take_requests(self._db) and self._clock() < self._next_at:
            return None
        differences = self.run()
        self._next_at = self._clock() + (0 if differences.missing else EVERY_S)
        return differences

    def run(self) -> IndexDifferences:
        """Compare once. A document that cannot be indexed now is retried in the next pass."""
        indexed = self._writer.generations()
        published = {(row["id"], row["published_attempt"]): row for row in self._db.fetch_all(_PUBLISHED)}
        differences = IndexDifferences()
        earlier = self._db.fetch_all(_SHOWN_EARLIER)
        shown = published.keys() | {(row["id"], row["searched_attempt"]) for row in earlier}
        self._retire({key: scope for key, (scope, _) in indexed.items() if key not in shown}, differences)
        counts = {key: chunks for key, (_, chunks) in indexed.items()}
        for key in self._delete_rows_of_old_owners(indexed, published):
            del counts[key]
        lacking = [row for key, row in published.items() if counts.get(key) is None or _differs(counts[key], row)]
        differences.missing = [row["id"] for row in lacking]
        until = self._clock() + PASS_S
        waiting = set()
        for row in lacking:
            if self._clock() > until or not self._index_again(row):
                waiting.add(row["id"])
        self._show_published([row for row in earlier if row["id"] not in waiting])
        return differences

    def _retire(self, unpublished: dict[tuple[str, int], str], differences: IndexDifferences) -> None:
        at_work = {row["id"] for row in self._db.fetch_all(_AT_WORK, {"ids": [name for name, _ in unpublished]})}
        stale = {key: scope for key, scope in unpublished.items() if key[0] not in at_work}
        now = self._clock()
        self._seen = {key: self._seen.get(key, now) for key in stale}
        differences.retired = sorted(key for key, since in self._seen.items() if now - since >= self._grace_s)
        differences.waiting = sorted(stale.keys() - set(differences.retired))
        self._writer.retire(differences.retired, {parse_scope(stale[key]) for key in differences.retired})

    def _delete_rows_of_old_owners(
        self, indexed: dict[tuple[str, int], tuple[str, int]], published: dict[tuple[str, int], Row]
    ) -> list[tuple[str, int]]:
        """Delete rows under a previous owner of their document and return their keys."""
        old = {key: parse_scope(indexed[key][0]) for key in indexed.keys() & published.keys()}
        moved = {key: scope for key, scope in old.items() if scope != _owner(published[key])}
        self._writer.retire(moved.keys(), set(moved.values()))
        return list(moved)

    def _index_again(self, row: Row) -> bool:
        scope, attempt = _owner(row), row["published_attempt"]
        try:
            chunks = self._reindex(scope, DocumentId(row["id"]), attempt)
        except StorageError as error:
            log.warning("document %s cannot be indexed again: %s", row["id"], error.code)
            return False
        return mark_chunked(self._db, DocumentId(row["id"]), attempt, self._chunker, chunks)

    def _show_published(self, rows: list[Row]) -> None:
        """Let searches show the published attempts of these documents, unless they were republished meanwhile."""
        if rows:
            found = {"ids": [row["id"] for row in rows], "attempts": [row["published_attempt"] for row in rows]}
            with self._db.transaction() as conn:
                conn.execute(_SHOW_PUBLISHED, found)


def _owner(row: Row) -> Scope:
    return Scope(tenant=row["tenant"], org=row["org"])


def _differs(indexed: int, row: Row) -> bool:
    return row["chunks"] is not None and row["chunks"] != indexed

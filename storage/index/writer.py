"""The one writer of the search index: chunks in, deleted documents out, files kept small.

Order and crash safety: rows go into the table and are synced, then the keyword index follows the table, then the caller
is answered and may publish. A crash between leaves rows that are never shown, or a keyword index that catches up with
the next write or at start. Every step may be repeated.
"""

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from quire.storage.index.keyword.keyword_files import KeywordFiles
from quire.storage.index.table.chunk_rows import storable
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import DocumentChunks, KnownVectors, generation_name, parse_scope
from quire.storage.index.table.power_cut import FileState, sync_files
from quire.storage.index.table.upkeep import Upkeep
from quire.storage.index.vectors.table_vectors import count_partitions
from quire.storage.values.crash_points import CrashPoint, crash_point
from quire.storage.values.rows import Scope

VECTOR_INDEX_FROM = 200_000
"""Rows from which an ANN index is worth its cost; below, scopes fit into memory blocks."""
QUANTISED_FROM = 1_000_000
"""Rows from which the ANN index is quantised: a thirtieth of the bytes, and full vectors for the best candidates."""


class ChunkIndexWriter:
    """Writes the index. Thread-safe; the caller holds the lease of the role."""

    def __init__(
        self,
        table: ChunkTable,
        files: KeywordFiles,
        upkeep: Upkeep,
        erase_elsewhere: Callable[[Collection[str]], None] = lambda documents: None,
        folder: Path | None = None,
    ) -> None:
        """`folder`: where the table is a folder of this machine."""
        self.table, self._files, self.upkeep, self._erase_elsewhere = table, files, upkeep, erase_elsewhere
        self._lock = threading.RLock()
        self._dirty = False
        self._folder = folder
        self._synced: set[FileState] = set()

    def write(self, documents: Sequence[DocumentChunks]) -> int:
        """Write all chunks in one commit and return their number; searches find them when this returns."""
        scopes = {document.scope for document in documents if document.chunks or document.replace}
        with self._lock:
            written = self.table.put(documents)
            self._sync()
            crash_point(CrashPoint.AFTER_INDEX_ROWS)
            for scope in sorted(scopes, key=lambda scope: (scope.tenant, scope.org)):
                self._files.follow(scope, _emptied(scope, documents))
            crash_point(CrashPoint.AFTER_KEYWORDS)
            self._dirty = self._dirty or bool(scopes)
        return written

    def find_vectors(self, scope: Scope, documents: Collection[str], texts: Sequence[str]) -> KnownVectors:
        """Return the vectors that these documents have for any of the texts."""
        known = self.table.vectors_by_text(scope, documents)
        found = [(index, known[storable(text)]) for index, text in enumerate(texts) if storable(text) in known]
        return KnownVectors([index for index, _ in found], [vector for _, vector in found])

    def erase(self, documents: Iterable[tuple[Scope, str]]) -> None:
        """Erase these documents, so that no row, keyword or byte of them is left in any file."""
        gone = list(documents)
        if not gone:
            return
        self._erase_elsewhere({document for _, document in gone})
        with self._lock:
            self.table.remove_documents({document for _, document in gone})
            crash_point(CrashPoint.AFTER_INDEX_REMOVAL)
            self.upkeep.erase()
            self._sync()
        self._erase_words("document", gone)

    def retire(self, generations: Collection[tuple[str, int]], scopes: Collection[Scope]) -> None:
        """Erase rows of unpublished generations, bytes included."""
        if not generations:
            return
        with self._lock:
            self.table.remove(generations)
            self.upkeep.erase()
            self._sync()
        self._erase_words("generation", ((scope, generation_name(*pair)) for scope in scopes for pair in generations))

    def compact(self) -> bool:
        """Merge files and indexes if rows were written since; return whether it did."""
        with self._lock:
            if not self._dirty:
                return False
            self._dirty = False
            self.table.index_scalars()
            self.upkeep.compact()
            self._sync()
        return True

    def index_vectors(self) -> bool:
        """Build the ANN index once the table is large enough, and the quantised one once it is larger.

        Returns whether it did; `compact` adds later rows to the index that is there.
        """
        rows = self.table.count()
        quantised = rows >= QUANTISED_FROM
        is_made = self.table.has_quantised_index() if quantised else self.table.has_vector_index()
        if rows < VECTOR_INDEX_FROM or is_made:
            return False
        with self._lock:
            self.table.index_vectors(partitions=count_partitions(rows), quantised=quantised)
            self._sync()
        return True

    def catch_up(self) -> None:
        """Update keyword indexes that are missing or behind the table (after a crash or another machine's writes)."""
        scopes = [parse_scope(name) for name in sorted(self.table.scopes())]
        for scope in scopes:
            if not self._files.has(scope):
                self._files.rebuild(scope, self._lock)
            with self._lock:
                self._files.follow(scope)
        with self._lock:
            self._files.drop_foreign(self.table.scopes())

    def rebuild(self) -> int:
        """Build every keyword index from the table and return the number of scopes."""
        names = self.table.scopes()
        for name in sorted(names):
            self._files.rebuild(parse_scope(name), self._lock)
        return len(names)

    def generations(self) -> dict[tuple[str, int], tuple[str, int]]:
        """Return (document, generation) → (scope, chunks)."""
        return self.table.generations()

    def close(self) -> None:
        """Release the keyword writers' locks."""
        with self._lock:
            self._files.close()

    def _sync(self) -> None:
        if self._folder is not None:
            self._synced = sync_files(self._folder, self._synced)

    def _erase_words(self, field: str, gone: Iterable[tuple[Scope, str]]) -> None:
        words: dict[Scope, set[str]] = {}
        for scope, word in gone:
            words.setdefault(scope, set()).add(word)
        for scope in sorted(words, key=lambda scope: (scope.tenant, scope.org)):
            self._files.erase_words(scope, field, words[scope], self._lock)


def _emptied(scope: Scope, documents: Sequence[DocumentChunks]) -> list[tuple[str, int]]:
    """Return generations that are replaced by an empty list of chunks."""
    return [
        (document.document_id, document.generation)
        for document in documents
        if document.replace and not document.chunks and document.scope == scope
    ]

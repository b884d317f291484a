"""Storage of the job `reembed`, which computes new vectors while the service answers from the old ones.

Order and crash safety: each model has a separate table. The job fills the new one, in any number of passes; each pass
lists missing chunks, and the old table is only read. Searches use the new table from the first start with its model,
so the switch is immediate. Documents deleted meanwhile are erased from both; documents stored between the last pass and
the switch are missing in the new table until the reconciler adds them.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from quire.storage.index.opened import IndexPlace, keywords_of, open_writer
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk, parse_scope
from quire.storage.index.table.siblings import SiblingTables
from quire.storage.postgres.database import Database
from quire.storage.values.rows import DocumentId

Generation = tuple[str, int]
_PUBLISHED = """
select id, published_attempt from documents
where status = 'succeeded' and deleted_at is null and published_attempt is not null
"""


class Reembedding:
    """The new model's table, named by `place`, while it is filled. Only this process may write it."""

    def __init__(self, db: Database, place: IndexPlace) -> None:
        """Open the table. Raises StoreUnavailable, OtherModel."""
        self._db, self._place = db, place
        self._siblings = SiblingTables(place.uri, place.table, place.storage_options)
        self._writer = open_writer(place)

    def todo(self) -> list[Generation]:
        """Return published generations whose chunks are in some table but lack vectors of this model, in order."""
        done = self._writer.table.embedded()
        chunks: dict[Generation, int] = {}
        for table in self._sources():
            for pair, (_, count) in table.generations().items():
                chunks.setdefault(pair, count)
        published = self._published()
        return sorted(pair for pair, count in chunks.items() if pair in published and done.get(pair) != count)

    def texts(self, pairs: Sequence[Generation]) -> list[DocumentChunks]:
        """Return their chunks without vectors; generations deleted meanwhile are left out."""
        missing, documents = set(pairs), []
        for table in self._sources():
            rows = table.chunks_of({name for name, _ in missing})
            for entry in _documents(rows, missing):
                missing.discard((entry.document_id, entry.generation))
                documents.append(entry)
        return documents

    def put(self, documents: Sequence[DocumentChunks]) -> int:
        """Write chunks with vectors to the new table and return their number. Writing them again replaces them."""
        return self._writer.table.put(documents)

    def settle(self) -> int:
        """Drop rows that other tables no longer have, build indexes and keywords, and return the work left.

        Call it when `todo` is empty; 0 means that the switch can be made.
        """
        others = [self._siblings.open(name) for name in self._siblings.names()]
        if others:
            living = {pair for table in others for pair in table.generations()} & self._published()
            here = self._writer.generations()
            gone = {pair: scope for pair, (scope, _) in here.items() if pair not in living}
            self._writer.table.remove(gone)
        self._writer.upkeep.erase()
        self._writer.table.index_scalars()
        self._writer.index_vectors()
        self._writer.catch_up()
        return len(self.todo())

    def drop_others(self) -> list[str]:
        """Delete tables and keyword indexes of other models, once the service runs on this one; return their names."""
        names = self._siblings.names()
        for name in names:
            self._siblings.drop(name)
            shutil.rmtree(keywords_of(self._place, name), ignore_errors=True)
        return names

    def close(self) -> None:
        """Release the writer's locks."""
        self._writer.close()

    def _sources(self) -> list[ChunkTable]:
        """Return other models' tables first, and this one last, for chunks that were stored without any model."""
        return [*map(self._siblings.open, self._siblings.names()), self._writer.table]

    def _published(self) -> set[Generation]:
        return {(row["id"], row["published_attempt"]) for row in self._db.fetch_all(_PUBLISHED)}


def _documents(rows: list[dict[str, Any]], pairs: set[Generation]) -> Iterator[DocumentChunks]:
    """Group rows, which are sorted by generation, into documents."""
    for pair, some in groupby(rows, key=lambda row: (row["document_id"], row["generation"])):
        if pair not in pairs:
            continue
        group = list(some)
        yield DocumentChunks(
            scope=parse_scope(group[0]["scope"]),
            document_id=DocumentId(pair[0]),
            generation=pair[1],
            chunks=[_entry(row) for row in group],
            vectors=None,
            replace=True,
        )


def _entry(row: dict[str, Any]) -> IndexedChunk:
    return IndexedChunk(
        index=row["index"],
        chunk_id=row["chunk_id"],
        text=row["text"],
        facts=json.loads(row["facts"]),
        language=row["language"],
    )

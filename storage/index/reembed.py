"""New vectors beside the old ones: what the job `reembed` asks and hands over while the service answers from the old.

Order and crash story: each model has a table of its own. The job fills the new one, in any number of passes, each of
which asks again what is missing; the old table is only read. Nobody sees the new one before a start with its model, so
the switch is at once. Documents deleted meanwhile go from both (the writer's erase); what was stored between the last
pass and the switch is missing in the new table and comes by the reconciler.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from storage.index.opened import IndexPlace, keywords_of, open_writer
from storage.index.table.chunk_table import ChunkTable
from storage.index.table.entries import DocumentChunks, IndexedChunk, parse_scope
from storage.index.table.siblings import SiblingTables
from storage.postgres.database import Database
from storage.values.rows import DocumentId

Generation = tuple[str, int]
_PUBLISHED = """
select id, published_attempt from documents
where status = 'succeeded' and deleted_at is null and published_attempt is not null
"""


class Reembedding:
    """`place` names the new model's table. One process writes; nobody else writes this table meanwhile."""

    def __init__(self, db: Database, place: IndexPlace) -> None:
        """Raises StoreUnavailable, OtherModel."""
        self._db, self._place = db, place
        self._siblings = SiblingTables(place.uri, place.table, place.storage_options)
        self._writer = open_writer(place)

    def todo(self) -> list[Generation]:
        """Published generations whose chunks stand in some table, but not all with a vector of this model, in order."""
        done = self._writer.table.embedded()
        chunks: dict[Generation, int] = {}
        for table in self._sources():
            for pair, (_, count) in table.generations().items():
                chunks.setdefault(pair, count)
        published = self._published()
        return sorted(pair for pair, count in chunks.items() if pair in published and done.get(pair) != count)

    def texts(self, pairs: Sequence[Generation]) -> list[DocumentChunks]:
        """Their chunks without vectors. Those deleted meanwhile are left out."""
        missing, found = set(pairs), []
        for table in self._sources():
            rows = table.chunks_of({document for document, _ in missing})
            for entry in _documents(rows, missing):
                missing.discard((entry.document_id, entry.generation))
                found.append(entry)
        return found

    def put(self, documents: Sequence[DocumentChunks]) -> int:
        """Chunks with vectors into the new table; the same ones again replace themselves. Number of chunks."""
        return self._writer.table.put(documents)

    def settle(self) -> int:
        """What went from the other tables meanwhile goes here too; indexes and keywords are built. What is left to do.

        Called when `todo` has nothing more to give; 0 means the switch can be made.
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
        """Tables and keyword indexes of other models go; their names. Only after the service runs on this one."""
        names = self._siblings.names()
        for name in names:
            self._siblings.drop(name)
            shutil.rmtree(keywords_of(self._place, name), ignore_errors=True)
        return names

    def close(self) -> None:
        self._writer.close()

    def _sources(self) -> list[ChunkTable]:
        """Other models' tables first; this one last, for chunks that were stored without any model."""
        return [*map(self._siblings.open, self._siblings.names()), self._writer.table]

    def _published(self) -> set[Generation]:
        return {(row["id"], row["published_attempt"]) for row in self._db.fetch_all(_PUBLISHED)}


def _documents(rows: list[dict[str, Any]], wanted: set[Generation]) -> Iterator[DocumentChunks]:
    """Rows, sorted by generation, as the documents they are."""
    for pair, some in groupby(rows, key=lambda row: (row["document_id"], row["generation"])):
        if pair not in wanted:
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

"""Tables of other embedding models in the same place: what a switch of models left, or is still being filled.

A deleted document must go from them too. Nobody answers questions from them.
"""

import warnings
from collections.abc import Collection
from typing import Any

import lancedb

from storage.index.table.chunk_table import TABLE, ChunkTable
from storage.index.table.upkeep import Upkeep
from storage.values.errors import StoreUnavailable


class SiblingTables:
    """Of the table `own` at `uri`. They are looked up anew each time: a job may have made one."""

    def __init__(self, uri: str, own: str, storage_options: dict[str, str] | None = None) -> None:
        self._uri, self._own, self._options = uri, own, storage_options

    def names(self) -> list[str]:
        """Raises StoreUnavailable."""
        try:
            db = lancedb.connect(self._uri, storage_options=self._options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # list_tables answers in pages
                found = db.table_names(limit=10_000)
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error
        return sorted(name for name in found if name != self._own and (name == TABLE or name.startswith(f"{TABLE}_")))

    def open(self, name: str) -> ChunkTable:
        """Of whatever width it is. Raises StoreUnavailable."""
        try:
            db = lancedb.connect(self._uri, storage_options=self._options)
            kind: Any = db.open_table(name).schema.field("vector").type
        except (OSError, RuntimeError, ValueError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error
        return ChunkTable(self._uri, width=kind.list_size, table=name, storage_options=self._options)

    def rows(self) -> dict[str, int]:
        """Number of chunks by table."""
        return {name: self.open(name).count() for name in self.names()}

    def erase(self, documents: Collection[str]) -> None:
        """No row and no byte of these documents is left in any of the tables."""
        for name in self.names():
            table = self.open(name)
            if table.chunks_of(documents):
                table.remove_documents(documents)
                Upkeep(self._uri, self._options, table=name).erase()

    def drop(self, name: str) -> None:
        try:
            lancedb.connect(self._uri, storage_options=self._options).drop_table(name)
        except (OSError, RuntimeError, ValueError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error

"""Tables of other embedding models in the same location: left by a switch of models, or still being filled.

A deleted document must be erased from them too. Searches never use them.
"""

import warnings
from collections.abc import Collection
from typing import Any

import lancedb

from quire.storage.index.table.chunk_table import TABLE, ChunkTable
from quire.storage.index.table.upkeep import Upkeep
from quire.storage.values.errors import StoreUnavailable


class SiblingTables:
    """Tables next to the table `own` at `uri`. They are listed on each call, because a job may have added one."""

    def __init__(self, uri: str, own: str, storage_options: dict[str, str] | None = None) -> None:
        self._uri, self._own, self._options = uri, own, storage_options

    def names(self) -> list[str]:
        """Return the names of the other tables. Raises StoreUnavailable."""
        try:
            db = lancedb.connect(self._uri, storage_options=self._options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # list_tables answers in pages
                tables = db.table_names(limit=10_000)
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error
        return sorted(name for name in tables if name != self._own and (name == TABLE or name.startswith(f"{TABLE}_")))

    def open(self, name: str) -> ChunkTable:
        """Open a table of any vector width. Raises StoreUnavailable."""
        try:
            db = lancedb.connect(self._uri, storage_options=self._options)
            kind: Any = db.open_table(name).schema.field("vector").type
        except (OSError, RuntimeError, ValueError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error
        return ChunkTable(self._uri, width=kind.list_size, table=name, storage_options=self._options)

    def rows(self) -> dict[str, int]:
        """Return the number of chunks by table."""
        return {name: self.open(name).count() for name in self.names()}

    def erase(self, documents: Collection[str]) -> None:
        """Erase these documents from all tables, so that no row and no byte of them is left."""
        for name in self.names():
            table = self.open(name)
            if table.chunks_of(documents):
                table.remove_documents(documents)
                Upkeep(self._uri, self._options, table=name).erase()

    def drop(self, name: str) -> None:
        """Delete a table. Raises StoreUnavailable."""
        try:
            lancedb.connect(self._uri, storage_options=self._options).drop_table(name)
        except (OSError, RuntimeError, ValueError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error

"""The Lance table of chunks: merge, delete, fetch, compact. One process writes; any number read.

Order and crash story: rows of a new generation come in before SQL publishes it (a crash leaves rows nobody shows);
rows of superseded or deleted generations go after (a crash leaves rows nobody shows, the reconciler removes them).
"""

import warnings
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import Bitmap, BTree

from storage.errors import StoreUnavailable
from storage.index.chunk_rows import DocumentChunks, scope_name, table_schema, to_arrow
from storage.rows import Scope

TABLE = "chunks"
INDEXED: dict[str, BTree | Bitmap] = {"document_id": BTree(), "batch": BTree(), "scope": Bitmap()}
INDEX_FROM_ROWS = 20_000
"""Below this a scan is as fast as a scalar index and cheaper to keep."""
EVERYTHING = 2**31 - 1


class ChunkTable:
    """One connection to the table at `uri` (a directory or s3://…); the table is made on first use."""

    def __init__(self, uri: str, *, width: int, storage_options: dict[str, str] | None = None) -> None:
        self._width = width
        try:
            self._db = lancedb.connect(uri, storage_options=storage_options)
            self._table = self._db.create_table(TABLE, schema=table_schema(width), exist_ok=True)
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(type(error).__name__) from error

    # reading

    def version(self) -> int:
        """The newest version of the table: changes with every write of anybody."""
        self._table.checkout_latest()  # type: ignore[no-untyped-call]
        return int(self._table.version)

    def count(self) -> int:
        return int(self._table.count_rows())

    def vectors_of(self, scope: Scope, *, after_batch: int) -> pa.Table:
        """document_id, generation, index, batch, vector of a scope's chunks written after a batch."""
        where = f"scope = {_quoted(scope_name(scope))} and batch > {int(after_batch)}"
        return self._select(where, ["document_id", "generation", "index", "batch", "vector"])

    def chunks_by_key(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Whole rows (without vectors) by primary key; missing ones are absent."""
        wanted = list(keys)
        if not wanted:
            return {}
        documents = ", ".join(_quoted(document) for document in sorted({_document_of(key) for key in wanted}))
        where = f"document_id in ({documents}) and key in ({', '.join(map(_quoted, wanted))})"
        columns = ["key", "document_id", "generation", "index", "chunk_id", "text", "facts", "language"]
        return {row["key"]: row for row in self._select(where, columns).to_pylist()}

    def texts_of(self, scope: Scope, *, after_batch: int = -1) -> pa.Table:
        """key, document_id, batch, text, language of a scope's chunks after a batch: what keywords are made of."""
        where = f"scope = {_quoted(scope_name(scope))} and batch > {int(after_batch)}"
        return self._select(where, ["key", "document_id", "batch", "text", "language"])

    def generations(self) -> set[tuple[str, int]]:
        """Every (document, generation) that has rows: what the reconciler compares with SQL."""
        rows = self._select(None, ["document_id", "generation"])
        return set(zip(rows["document_id"].to_pylist(), rows["generation"].to_pylist(), strict=True))

    def last_batch(self) -> int:
        rows = self._select(None, ["batch"])
        return max(rows["batch"].to_pylist(), default=0)

    def scopes(self) -> set[str]:
        return set(self._select(None, ["scope"])["scope"].to_pylist())

    def _select(self, where: str | None, columns: list[str]) -> pa.Table:
        query = self._table.search()
        if where is not None:
            query = query.where(where)
        try:
            return query.select(columns).limit(EVERYTHING).to_arrow()
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(type(error).__name__) from error

    # writing: the one writer only

    def put(self, documents: Sequence[DocumentChunks], batch: int) -> int:
        """Merge all chunks of a batch in one commit; a generation written twice replaces itself. Number of rows."""
        rows = to_arrow(documents, batch, self._width)
        if rows.num_rows:
            self._table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all().execute(rows)
        return int(rows.num_rows)

    def remove(self, gone: Iterable[tuple[str, int]]) -> None:
        """Delete generations of documents, in one commit."""
        clauses = [f"(document_id = {_quoted(document)} and generation = {int(gen)})" for document, gen in sorted(gone)]
        if clauses:
            self._table.delete(" or ".join(clauses))

    def remove_documents(self, documents: Iterable[str]) -> None:
        """Delete all generations of documents, in one commit."""
        names = ", ".join(_quoted(document) for document in sorted(documents))
        if names:
            self._table.delete(f"document_id in ({names})")

    def compact(self, *, erase: bool = False) -> None:
        """Merge small files, index new rows; `erase` also drops old versions, so no byte of deleted text is left."""
        self._index_scalars()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            keep = timedelta(0) if erase else timedelta(minutes=10)
            self._table.optimize(cleanup_older_than=keep, delete_unverified=erase)

    def _index_scalars(self) -> None:
        if self._table.count_rows() < INDEX_FROM_ROWS:
            return
        present = {column for index in self._table.list_indices() for column in index.columns}
        for column, kind in INDEXED.items():
            if column not in present:
                self._table.create_index(column, config=kind)


def _document_of(key: str) -> str:
    return key.split(".", 1)[0]


def _quoted(value: str) -> str:
    """A string literal of the filter language. Ids and scopes are validated before; quotes are doubled all the same."""
    return "'" + value.replace("'", "''") + "'"

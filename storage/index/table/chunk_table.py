"""The Lance table of chunks: merge, delete, fetch. One process writes; any number read.

Order and crash safety: rows of a new generation are written before SQL publishes it, and rows of replaced or deleted
generations are removed afterwards. A crash leaves rows that are never shown; the reconciler removes them.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import timedelta
from functools import cache, partial
from typing import Any, TypeVar

import lancedb
import pyarrow as pa
from lancedb.index import Bitmap, BTree, IvfFlat, IvfRq

from quire.storage.index.table.chunk_rows import table_schema, to_arrow
from quire.storage.index.table.entries import DocumentChunks, Vectors, scope_name, split_key
from quire.storage.values.errors import OtherModel, StoreUnavailable
from quire.storage.values.rows import Scope

T = TypeVar("T")
TABLE = "chunks"
VECTOR_INDEX = "vector_idx"
QUANTISED_INDEX = "IvfRq"
REFINED = 2
"""Candidates of a quantised index whose full vectors are compared, for each hit (docs/design/search.md)."""
INDEXED: dict[str, BTree | Bitmap] = {"document_id": BTree(), "batch": BTree(), "scope": Bitmap()}
INDEX_FROM_ROWS = 20_000
"""Below this a scan is as fast as a scalar index and cheaper to keep."""
EVERYTHING = 2**31 - 1  # the largest limit Lance takes
METADATA_CACHE_BYTES = 32 << 20
"""Bytes of Lance's cache of file metadata in a process.

The default is 1 GB, and a process that works all day grew up to it. A million chunks have twenty files with a few
hundred KB of metadata each.
"""
KEYWORD_COLUMNS = ["key", "document_id", "batch", "chunk_id", "text", "facts", "language"]


@cache
def caches() -> lancedb.Session:
    """Return Lance's caches, shared by all tables of the process."""
    return lancedb.Session(metadata_cache_size_bytes=METADATA_CACHE_BYTES)


class ChunkTable:
    """One connection to a table at `uri` (a directory or s3://…); the table is created on first use.

    Raises `OtherModel` if a table of this name has vectors of another width.
    """

    def __init__(
        self, uri: str, *, width: int, table: str = TABLE, storage_options: dict[str, str] | None = None
    ) -> None:
        self.name, self._width = table, width
        self._quantised: tuple[int, bool] | None = None
        try:
            self._db = lancedb.connect(uri, storage_options=storage_options, session=caches())
            self._table = self._db.create_table(table, schema=table_schema(width), exist_ok=True)
        except ValueError as error:
            raise OtherModel(f"the search index's table {table} does not hold vectors of {width} numbers") from error
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error

    # reading

    def version(self) -> int:
        """Return the newest version of the table, which changes with every write of any process."""

        def ask() -> int:
            self._table.checkout_latest()  # type: ignore[no-untyped-call]
            return int(self._table.version)

        return self._try(ask)

    def count(self, scope: Scope | None = None) -> int:
        """Return the number of rows in all, or of one scope."""
        where = None if scope is None else _of_scope(scope)
        return int(self._try(lambda: self._table.count_rows(where)))

    def vectors_of(self, scope: Scope, *, after_batch: int) -> pa.Table:
        """Return document_id, generation, index, batch, vector of a scope's chunks written after a batch."""
        where = f"{_of_scope(scope)} and batch > {int(after_batch)}"
        return self._select(where, ["document_id", "generation", "index", "batch", "vector"])

    def near(
        self, scope: Scope, vector: Vectors, limit: int, documents: Collection[str] | None, *, probes: int
    ) -> list[tuple[str, Vectors, float]]:
        """Return (key, vector, cosine) of the nearest chunks, best first, by the table's index, or by a scan.

        `probes`: number of the index's partitions to search.
        """
        where = _of_scope(scope) if documents is None else f"{_of_scope(scope)} and {_among(documents)}"

        def ask() -> pa.Table:
            query: Any = self._table.search(vector, vector_column_name="vector")
            query = query.distance_type("cosine").nprobes(probes).where(where, prefilter=True)
            if self.has_quantised_index():
                query = query.refine_factor(REFINED)
            rows = query.select(["key", "vector", "_distance"]).limit(limit).to_arrow()
            return rows.filter(pa.compute.is_valid(rows["vector"]))

        rows = self._try(ask)
        matrix = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, self._width)
        cosines = 1.0 - rows["_distance"].to_numpy()
        return list(zip(rows["key"].to_pylist(), matrix, map(float, cosines), strict=True))

    def chunks_by_key(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return rows (without vectors) by primary key; missing ones are absent."""
        listed = list(keys)
        if not listed:
            return {}
        where = f"{_among({split_key(key)[0] for key in listed})} and key in ({', '.join(map(_quoted, listed))})"
        return {row["key"]: row for row in self._select(where, KEYWORD_COLUMNS).to_pylist()}

    def texts_of(self, scope: Scope, *, after_batch: int = -1, until_batch: int | None = None) -> pa.Table:
        """Return a scope's chunks after a batch up to another, without vectors, for keyword indexes."""
        where = f"{_of_scope(scope)} and batch > {int(after_batch)}"
        where += "" if until_batch is None else f" and batch <= {int(until_batch)}"
        return self._select(where, KEYWORD_COLUMNS)

    def batches_of(self, scope: Scope) -> list[tuple[int, int]]:
        """Return (batch, chunks) of a scope, in order."""
        counted = self._select(_of_scope(scope), ["batch"]).group_by("batch").aggregate([([], "count_all")])
        return sorted((row["batch"], row["count_all"]) for row in counted.to_pylist())

    def generations(self) -> dict[tuple[str, int], tuple[str, int]]:
        """Return (scope, rows) of every (document, generation), which the reconciler compares with SQL."""
        rows = self._select(None, ["document_id", "generation", "scope"])
        grouped = rows.group_by(["document_id", "generation", "scope"]).aggregate([([], "count_all")])
        return {
            (row["document_id"], row["generation"]): (row["scope"], row["count_all"]) for row in grouped.to_pylist()
        }

    def embedded(self) -> dict[tuple[str, int], int]:
        """Return the number of rows with a vector, of every (document, generation) with any."""
        rows = self._select("vector is not null", ["document_id", "generation"])
        grouped = rows.group_by(["document_id", "generation"]).aggregate([([], "count_all")])
        return {(row["document_id"], row["generation"]): row["count_all"] for row in grouped.to_pylist()}

    def chunks_of(self, documents: Collection[str]) -> list[dict[str, Any]]:
        """Return all rows of these documents, without vectors, in order of document, generation and index."""
        if not documents:
            return []
        rows = self._select(_among(documents), [*KEYWORD_COLUMNS, "scope", "generation", "index"])
        order = [(name, "ascending") for name in ("document_id", "generation", "index")]
        chunks: list[dict[str, Any]] = rows.sort_by(order).to_pylist()
        return chunks

    def vectors_by_text(self, scope: Scope, documents: Collection[str]) -> dict[str, Vectors]:
        """Return the vectors of a scope's documents by the text that they were computed from."""
        if not documents:
            return {}
        where = f"{_of_scope(scope)} and {_among(documents)} and vector is not null"
        rows = self._select(where, ["text", "vector"])
        matrix = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, self._width)
        return dict(zip(rows["text"].to_pylist(), matrix, strict=True))

    def scopes(self) -> set[str]:
        """Return the names of all scopes with chunks."""
        return set(self._select(None, ["scope"])["scope"].unique().to_pylist())

    def _select(self, where: str | None, columns: list[str]) -> pa.Table:
        def ask() -> pa.Table:
            query = self._table.search()
            if where is not None:
                query = query.where(where)
            return query.select(columns).limit(EVERYTHING).to_arrow()

        return self._try(ask)

    def _try(self, ask: Callable[[], T]) -> T:
        """Run a read; repeat it on the newest version, since a clean-up may have removed files of the older one."""
        try:
            return ask()
        except (OSError, RuntimeError, ValueError):
            try:
                self._table.checkout_latest()  # type: ignore[no-untyped-call]
                return ask()
            except (OSError, RuntimeError, ValueError) as error:
                raise StoreUnavailable(f"search index: {type(error).__name__}") from error

    # writing: the one writer only

    def put(self, documents: Sequence[DocumentChunks]) -> int:
        """Merge all chunks of a batch in one commit and return the number of rows.

        A generation written twice replaces itself. Documents with `replace` get a separate commit, which scans the
        whole table.
        """
        fresh = [document for document in documents if not document.replace]
        replacing = [document for document in documents if document.replace]
        return self._merge(fresh) + self._merge(replacing)

    def _merge(self, documents: Sequence[DocumentChunks]) -> int:
        rows = to_arrow(documents, self.version() + 1, self._width)
        gone = {(document.document_id, document.generation) for document in documents if document.replace}
        if not rows.num_rows:
            self.remove(gone)
            return 0
        merge = self._table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
        if gone:
            merge = merge.when_not_matched_by_source_delete(_generations(gone))
        bad = "null" if rows["vector"].null_count else "error"  # lancedb treats a missing vector as a broken one
        self._writing(lambda: merge.execute(rows, on_bad_vectors=bad))
        return int(rows.num_rows)

    def remove(self, gone: Iterable[tuple[str, int]]) -> None:
        """Hide generations of documents, in one commit. Their bytes stay until `Upkeep.erase`."""
        where = _generations(gone)
        if where:
            self._writing(lambda: self._table.delete(where))

    def remove_documents(self, documents: Collection[str]) -> None:
        """Hide all generations of documents, in one commit. Their bytes stay until `Upkeep.erase`."""
        if documents:
            self._writing(lambda: self._table.delete(_among(documents)))

    def index_scalars(self) -> None:
        """Make the indexes that filters use, once the table is large enough to profit."""
        if self.count() < INDEX_FROM_ROWS:
            return
        present = {column for index in self._table.list_indices() for column in index.columns}
        for column, kind in INDEXED.items():
            if column not in present:
                self._writing(partial(self._table.create_index, column, config=kind))

    def index_vectors(self, partitions: int, *, quantised: bool) -> None:
        """Build the ANN index from scratch; readers use it from the next query on.

        It holds full vectors (IVF), or with `quantised` one bit for each of their numbers (IVF with RaBitQ).
        """
        kind = IvfRq if quantised else IvfFlat
        config = kind(distance_type="cosine", num_partitions=partitions)
        self._writing(lambda: self._table.create_index("vector", config=config, name=VECTOR_INDEX, replace=True))
        self._writing(lambda: self._table.wait_for_index([VECTOR_INDEX], timeout=timedelta(minutes=30)))
        self._quantised = None

    def has_quantised_index(self) -> bool:
        """Return whether the ANN index is quantised, asked once for each version of the table."""
        version, known = int(self._table.version), self._quantised
        if known is None or known[0] != version:
            kinds = [index.index_type for index in self._table.list_indices() if index.name == VECTOR_INDEX]
            known = self._quantised = (version, QUANTISED_INDEX in kinds)
        return known[1]

    def prewarm(self) -> None:
        """Load a quantised ANN index, which is small, before the first query. Raises `StoreUnavailable`."""
        if self._try(self.has_quantised_index):
            self._try(lambda: self._table.prewarm_index(VECTOR_INDEX))  # type: ignore[attr-defined]

    def has_vector_index(self) -> bool:
        """Return whether the ANN index exists."""
        return any("vector" in index.columns for index in self._table.list_indices())

    def _writing(self, act: Callable[[], T]) -> T:
        """Run a write on the newest version; a write on a version that `Upkeep` has rewritten would be a conflict."""
        try:
            self._table.checkout_latest()  # type: ignore[no-untyped-call]
            return act()
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error


def _of_scope(scope: Scope) -> str:
    return f"scope = {_quoted(scope_name(scope))}"


def _generations(pairs: Iterable[tuple[str, int]]) -> str:
    return " or ".join(f"(document_id = {_quoted(name)} and generation = {int(gen)})" for name, gen in sorted(pairs))


def _among(documents: Collection[str]) -> str:
    return f"document_id in ({', '.join(map(_quoted, sorted(documents)))})"


def _quoted(value: str) -> str:
    """Return a string literal of the filter language. Ids and scopes were validated; quotes are doubled anyway."""
    return "'" + value.replace("'", "''") + "'"

"""Keeps the chunk table small and erased: merges small files, drops old versions, rewrites files with deleted rows.

A delete in Lance only masks rows; their text stays in the data file until that file is rewritten and the versions that
name it are gone. LanceDB's own `optimize` rewrites a file only when a tenth of it is deleted (measured: one document of
2,000 stayed readable), so this goes to Lance itself. One writer only.
"""

import warnings
from datetime import timedelta
from typing import Any

from quire.storage.index.table.chunk_table import TABLE, VECTOR_INDEX
from quire.storage.index.table.freed_memory import release_memory
from quire.storage.values.errors import StoreUnavailable

FRAGMENT_ROWS = 50_000
"""Rows of one data file: 100 MB with vectors of 384. Erasing one document rewrites one file, which takes 0.5 s."""
KEPT_S = 30.0
"""Seconds for which old versions are kept, for readers that have just opened them."""
MASKED_SHARE = 0.1  # share of deleted rows from which a file is rewritten
MOST_PARTS = 8
"""Most parts of the vector index: the large one, and one for each later round of rows."""


class Upkeep:
    """Upkeep of the table at `uri`, in the process of its writing `ChunkTable`, never at the same time as a write."""

    def __init__(self, uri: str, storage_options: dict[str, str] | None = None, *, table: str = TABLE) -> None:
        self._uri, self._options = f"{uri.rstrip('/')}/{table}.lance", storage_options

    def compact(self) -> None:
        """Merge small files, add new rows to the indexes, and drop versions older than `KEPT_S`."""
        self._run(masked_share=MASKED_SHARE, kept_s=KEPT_S, unverified=False)

    def erase(self) -> None:
        """Do `compact`, but leave no byte of a deleted row in any file. Readers of old versions must retry."""
        self._run(masked_share=0.0, kept_s=0.0, unverified=True)

    def vector_parts(self) -> int:
        """Return the number of parts of the vector index; 0 without an index."""
        return sum(len(index.segments) for index in self._open().describe_indices() if index.name == VECTOR_INDEX)

    def _run(self, *, masked_share: float, kept_s: float, unverified: bool) -> None:
        try:
            dataset = self._open()
            dataset.optimize.compact_files(
                target_rows_per_fragment=FRAGMENT_ROWS, materialize_deletions_threshold=masked_share
            )
            dataset.optimize.optimize_indices()
            self._merge_parts(dataset)
            dataset.cleanup_old_versions(older_than=timedelta(seconds=kept_s), delete_unverified=unverified)
            del dataset
            release_memory()
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error

    def _merge_parts(self, dataset: Any) -> None:
        """Merge parts of the vector index: each round of new rows adds one, and a search reads them all."""
        parts = self.vector_parts()
        if parts > MOST_PARTS:
            dataset.optimize.optimize_indices(index_names=[VECTOR_INDEX], num_indices_to_merge=parts - 1)

    def _open(self) -> Any:
        return open_dataset(self._uri, storage_options=self._options)


def open_dataset(uri: str, **options: Any) -> Any:
    """Open a table with Lance itself, which is imported late: it takes a third of a second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import lance

        return lance.dataset(uri, **options)

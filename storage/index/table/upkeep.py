"""Keeps the chunk table small and forgetful: merges small files, drops old versions, rewrites files with deleted rows.

A delete in Lance only masks rows; their text stays in the data file until that file is rewritten and the versions that
name it are gone. LanceDB's own `optimize` rewrites a file only when a tenth of it is deleted (measured: one document of
2,000 stayed readable), so this goes to Lance itself. One writer only.
"""

import warnings
from datetime import timedelta
from typing import Any

from storage.index.table.chunk_table import TABLE, VECTOR_INDEX
from storage.index.table.freed_memory import give_back
from storage.values.errors import StoreUnavailable

FRAGMENT_ROWS = 50_000
"""Rows of one data file: 100 MB with vectors of 384. Erasing one document rewrites one file, which takes 0.5 s."""
KEPT_S = 30.0
"""Old versions stay this long for readers that have just looked at them."""
MASKED_SHARE = 0.1  # share of deleted rows from which a file is rewritten
MOST_PARTS = 8
"""Of the vector index: the large one, and what came since."""


class Upkeep:
    """Of the table at `uri`, beside the one `ChunkTable` that writes; never at the same time as it."""

    def __init__(self, uri: str, storage_options: dict[str, str] | None = None, *, table: str = TABLE) -> None:
        self._uri, self._options = f"{uri.rstrip('/')}/{table}.lance", storage_options

    def compact(self) -> None:
        """Small files become large ones, indexes take in new rows, versions older than half a minute go."""
        self._run(masked_share=MASKED_SHARE, kept_s=KEPT_S, unverified=False)

    def erase(self) -> None:
        """As `compact`, but afterwards no file holds a byte of a deleted row. Readers of old versions try again."""
        self._run(masked_share=0.0, kept_s=0.0, unverified=True)

    def masked_rows(self) -> int:
        """Deleted rows whose bytes still lie in a file of the newest version: 0 after `erase`."""
        return sum(fragment.num_deletions for fragment in self._open().get_fragments())

    def versions(self) -> int:
        return len(self._open().versions())

    def vector_parts(self) -> int:
        """Of the vector index; 0 while there is none."""
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
            give_back()
        except (OSError, RuntimeError) as error:
            raise StoreUnavailable(f"search index: {type(error).__name__}") from error

    def _merge_parts(self, dataset: Any) -> None:
        """Each round of new rows is a part of its own in the vector index, and every part is searched: few are kept."""
        parts = self.vector_parts()
        if parts > MOST_PARTS:
            dataset.optimize.optimize_indices(index_names=[VECTOR_INDEX], num_indices_to_merge=parts - 1)

    def _open(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import lance

            return lance.dataset(self._uri, storage_options=self._options)

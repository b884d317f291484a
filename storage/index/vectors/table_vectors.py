"""Vectors of a scope too large for memory, read through the table's ANN index."""

from collections.abc import Collection
from math import ceil

import numpy as np

from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import Vectors
from quire.storage.values.rows import Scope

PROBED_SHARE = 0.3
"""Share of the index's partitions: finds 98 % of the exact ten nearest on real embeddings (docs/design/search.md)."""
MOST_PROBES = 400
"""Beyond 1.8 million chunks time matters more than the last per cent of recall."""


def count_partitions(rows: int) -> int:
    """Return the number of IVF partitions for `rows` vectors."""
    return max(64, int(rows**0.5))


class TableVectors:
    """A `VectorEngine` over the table, used for one request; it caches the vectors it has read."""

    def __init__(self, table: ChunkTable, scope: Scope) -> None:
        self._table, self._scope = table, scope
        self._known: dict[str, Vectors] = {}

    def nearest(self, query: Vectors, limit: int, documents: Collection[str] | None = None) -> list[tuple[str, float]]:
        """Return (key, cosine) of the nearest chunks, best first."""
        probes = min(MOST_PROBES, ceil(PROBED_SHARE * count_partitions(self._table.count())))
        rows = self._table.near(self._scope, query, limit, documents, probes=probes)
        for key, vector, _ in rows:
            self._known[key] = vector
        return [(key, cosine) for key, _, cosine in rows]

    def vectors(self, keys: Collection[str]) -> Vectors:
        """Return unit vectors of chunks seen in an answer, shape (n, width); others are left out."""
        rows = [self._known[key] for key in keys if key in self._known]
        return np.array(rows, dtype=np.float32).reshape(len(rows), -1)

"""Memory of a process that works with the index all day does not grow with its work."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from quire.storage.index.table import chunk_table
from quire.storage.index.table.chunk_table import ChunkTable
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk
from quire.storage.index.table.freed_memory import release_memory
from quire.storage.values.rows import DocumentId, Scope

BOUND = 256 << 10


def test_cache_of_old_versions_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_table, "METADATA_CACHE_BYTES", BOUND)
    monkeypatch.setattr(chunk_table, "caches", cache(chunk_table.caches.__wrapped__))
    table = ChunkTable(str(tmp_path / "table"), width=2)
    follower = ChunkTable(str(tmp_path / "table"), width=2)
    for number in range(40):
        chunk = IndexedChunk(index=0, chunk_id="c", text=f"apples {number}")
        one = DocumentChunks(
            scope=Scope(tenant="acme"), document_id=DocumentId(f"d{number}"), generation=1, chunks=[chunk],
            vectors=np.ones((1, 2), dtype=np.float32),
        )  # fmt: skip
        table.put([one])
        table.remove_documents([f"d{number - 5}"])
        table.texts_of(Scope(tenant="acme"))
        assert (follower.version(), follower.count()) == (table.version(), table.count())
    assert 0 < chunk_table.caches().size_bytes <= 2 * BOUND


def test_release_memory_is_harmless() -> None:
    held = [bytes(100_000) for _ in range(100)]
    del held[::2]
    release_memory()
    assert {len(one) for one in held} == {100_000}

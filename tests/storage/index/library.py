"""A small search index over a real database: texts go in as published documents, questions come back as hits."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quire.models.cdom.search import SearchHit, SearchMode, SearchRequest
from quire.storage.index.opened import IndexPlace, open_search, open_writer
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk, Vectors
from quire.storage.index.table.upkeep import Upkeep
from quire.storage.queue.publish import finish
from quire.storage.store import Store
from quire.storage.values.rows import Claim, DocumentId, Scope, Succeeded
from tests.storage.scenes import ACME, claim, submit, worker

WIDTH = 32


def embed(texts: Sequence[str]) -> Vectors:
    """Bags of hashed words, of length one: texts that share words are near."""
    vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.lower().split():
            vectors[row, hashlib.sha256(word.encode()).digest()[0] % WIDTH] += 1
        vectors[row] /= np.linalg.norm(vectors[row]) or 1
    return vectors


def entries(scope: Scope, document_id: str, generation: int, texts: Sequence[str]) -> DocumentChunks:
    """Chunks of one page each, with vectors."""
    chunks = [
        IndexedChunk(
            index=index,
            chunk_id=f"c{index}",
            text=text,
            facts={
                "section_path": ["Part"],
                "pages": [index + 1, index + 1],
                "block_ids": [f"b{index}"],
                "bboxes": [{"page": index + 1, "bbox": [0, 0, 1, 1]}],
            },
            language="en",
        )
        for index, text in enumerate(texts)
    ]
    return DocumentChunks(
        scope=scope, document_id=DocumentId(document_id), generation=generation, chunks=chunks, vectors=embed(texts)
    )


class Library:
    """Reader and writer of one index with separate connections, as in two processes."""

    def __init__(self, store: Store, uri: str, folder: Path, options: dict[str, str] | None = None) -> None:
        self.store = store
        self.place = IndexPlace(uri=uri, keywords=folder, width=WIDTH, storage_options=options)
        self.writer = open_writer(self.place)
        self.reader = open_search(self.place, store.db, memory_bytes=1 << 26)

    def claim(self, scope: Scope = ACME) -> Claim:
        submit(self.store, scope=scope)
        return claim(worker(self.store))

    def index(self, claimed: Claim, *texts: str) -> None:
        self.writer.write([entries(claimed.scope, claimed.document_id, claimed.attempt, texts)])

    def finish(self, claimed: Claim, chunks: int = 1) -> None:
        manifest = self.store.artifacts.put(claimed.document_id, claimed.attempt, {"tree.json": b"{}"})
        done = Succeeded(claim=claimed, manifest=manifest, format="pdf", pages=1, chunks=chunks)
        assert finish(self.store, [done]) == [True]

    def publish(self, *texts: str, scope: Scope = ACME) -> Claim:
        """One document from upload to searchable."""
        claimed = self.claim(scope)
        self.index(claimed, *texts)
        self.finish(claimed, len(texts))
        return claimed

    def ask(
        self, q: str, mode: SearchMode = SearchMode.HYBRID, *, scope: Scope = ACME, **narrowed: object
    ) -> list[SearchHit]:
        request = SearchRequest(tenant=scope.tenant, org=scope.org, q=q, mode=mode, **narrowed)  # type: ignore[arg-type]
        return self.reader.search(request, lambda: embed([q])[0])

    def close(self) -> None:
        self.writer.close()


def masked_rows(upkeep: Upkeep) -> int:
    """Return the number of deleted rows whose bytes are still in a file of the newest version: 0 after `erase`."""
    return sum(fragment.num_deletions for fragment in upkeep._open().get_fragments())


def count_versions(upkeep: Upkeep) -> int:
    """Return the number of versions of the table."""
    return len(upkeep._open().versions())

"""Makes the records of a document for targets: its chunks as the API shows them, with the vectors of the index."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from uuid import UUID, uuid5

from quire.models.cdom.chunk import Chunk
from quire.models.cdom.tree import Tree, load_tree
from quire.storage.index.table.entries import KnownVectors
from quire.storage.objects.artifacts import TREE, Artifacts
from quire.storage.targets.backlog import PublishedFacts
from quire.storage.targets.contract import TargetRecord
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import DocumentId, Scope

NAMESPACE = UUID("6f2f3c0e-6a7e-5a0b-9a51-3f0d7a3b5b21")
"""Namespace of record ids, so that no other program's UUIDs equal them."""
ChunkDocument = Callable[[Tree, str | None], list[Chunk]]
"""Cuts a tree as the named chunker did."""
FindVectors = Callable[[Scope, Sequence[str], Sequence[str]], KnownVectors]
"""Returns the vectors that the index has for texts of documents."""


class TargetRecords:
    """Makes records. Without `find_vectors`, because the service has no embedding model, they have no vectors."""

    def __init__(self, artifacts: Artifacts, chunk: ChunkDocument, find_vectors: FindVectors | None) -> None:
        self._artifacts, self._chunk, self._find_vectors = artifacts, chunk, find_vectors

    def make(self, scope: Scope, document_id: DocumentId, facts: PublishedFacts) -> list[TargetRecord]:
        """Return the records of a published document. Raises `StorageError`."""
        tree = load_tree(self._artifacts.read(document_id, facts.attempt, TREE))
        chunks = self._chunk(tree, facts.chunker)
        vectors = self._vectors(scope, document_id, [chunk.text for chunk in chunks])
        run = run_name(facts.attempt, facts.chunker)
        return [
            TargetRecord(
                id=str(uuid5(NAMESPACE, f"{document_id}/{run}/{chunk.id}")),
                document_id=document_id,
                run=run,
                chunk_id=chunk.id,
                index=chunk.index,
                text=chunk.text,
                source_file=facts.source_file,
                pages=chunk.pages,
                headings=chunk.section_path,
                boxes=tuple(asdict(box) for box in chunk.bboxes),
                language=chunk.language,
                metadata=facts.metadata,
                principals=None if facts.principals is None else tuple(facts.principals),
                vector=vectors[index],
            )
            for index, chunk in enumerate(chunks)
        ]

    def _vectors(self, scope: Scope, document_id: str, texts: Sequence[str]) -> list[Sequence[float] | None]:
        if self._find_vectors is None or not texts:
            return [None] * len(texts)
        known = self._find_vectors(scope, [document_id], texts)
        found = dict(zip(known.indices, known.vectors, strict=True))
        if len(found) < len(texts):
            raise StoreUnavailable("the index does not have the vectors of this document yet")
        return [found[index] for index in range(len(texts))]  # type: ignore[misc]


def run_name(attempt: int, chunker: str | None) -> str:
    """Return a short name of a document's reading and of the chunker that cut it."""
    return f"{attempt}-{zlib.crc32((chunker or '').encode()):08x}"

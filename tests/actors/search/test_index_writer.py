"""Writes come together, the lease decides who writes, failures are answers."""

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import pytest

from quire.actors.search.index_writer import IndexWriting
from quire.models.cdom.ports import PortUnavailable
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk, KnownVectors
from quire.storage.index.writer import ChunkIndexWriter
from quire.storage.values.errors import StoreUnavailable
from quire.storage.values.rows import DocumentId, Scope
from tests.waiting import PATIENCE_S


def chunks_of(name: str, count: int = 1) -> list[DocumentChunks]:
    chunks = [IndexedChunk(index=n, chunk_id=f"c{n}", text="x") for n in range(count)]
    return [
        DocumentChunks(
            scope=Scope(tenant="acme"), document_id=DocumentId(name), generation=1, chunks=chunks, vectors=None
        )
    ]


class Written(ChunkIndexWriter):
    """Remembers batches; can be held at the first."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.entered, self.go = threading.Event(), threading.Event()
        self.go.set()
        self.broken = self.closed = False

    def write(self, documents: Sequence[DocumentChunks]) -> int:
        self.batches.append([document.document_id for document in documents])
        self.entered.set()
        self.go.wait(PATIENCE_S)
        if self.broken:
            raise StoreUnavailable("away")
        return len(documents)

    def find_vectors(self, scope: Scope, documents: Collection[str], texts: Sequence[str]) -> KnownVectors:
        if self.broken:
            raise StoreUnavailable("away")
        return KnownVectors([0], [])

    def close(self) -> None:
        self.closed = True


class Lease:
    def __init__(self, held: bool = True) -> None:
        self.held = held

    def acquire(self) -> bool:
        return self.held

    def renew(self) -> bool:
        return self.held

    def release(self) -> None:
        self.held = False


@contextmanager
def running(writer: Written, lease: Lease | None = None) -> Iterator[IndexWriting]:
    writing = IndexWriting(lease or Lease(), writer, ())
    writing.start()
    yield writing
    writer.go.set()
    assert writing.drain(PATIENCE_S)
    assert writer.closed


def test_waiting_writes_are_committed_together_urgent_first() -> None:
    writer = Written()
    writer.go.clear()
    with running(writer) as writing:
        threads = []
        for name, urgent in (("first", False), ("slow", False), ("slow", False), ("parse", True)):
            thread = threading.Thread(target=writing.write, args=(chunks_of(name),), kwargs={"urgent": urgent})
            thread.start()
            threads.append(thread)
            writer.entered.wait(PATIENCE_S)
        while len(writing._waiting) < 3:
            pass
        writer.go.set()
        for thread in threads:
            thread.join(PATIENCE_S)
    assert writer.batches == [["first"], ["parse", "slow"]]


def test_without_the_lease_nothing_is_written() -> None:
    writer = Written()
    with running(writer, Lease(held=False)) as writing, pytest.raises(PortUnavailable):
        writing.write(chunks_of("a"))
    assert writer.batches == []


def test_failed_write_raises_for_its_callers_and_the_next_write_succeeds() -> None:
    writer = Written()
    writer.broken = True
    with running(writer) as writing:
        with pytest.raises(PortUnavailable):
            writing.write(chunks_of("a"))
        writer.broken = False
        writing.write(chunks_of("a"))
        assert writing.healthy()


def test_a_document_larger_than_a_batch_is_written_alone() -> None:
    writer = Written()
    with running(writer) as writing:
        writing.write(chunks_of("large", 6_000))
    assert writer.batches == [["large"]]


def test_vectors_are_found_without_the_lease_and_failures_are_reported() -> None:
    writer, scope = Written(), Scope(tenant="acme")
    writing = IndexWriting(Lease(held=False), writer, ())
    assert writing.find_vectors(scope, ["doc_0"], ["x"]).indices == [0]
    writer.broken = True
    with pytest.raises(PortUnavailable):
        writing.find_vectors(scope, ["doc_0"], ["x"])

"""Between reading and publishing: indexed first, tried again while the index is away, dropped with the lease."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from actors.reader.indexing import Indexing, IndexingParts
from actors.reader.inflight import Inflight
from actors.reader.publisher import Result
from models.cdom.chunk import Chunk, ChunkId
from models.cdom.ports import EmbeddingFailed, PortUnavailable
from models.cdom.tree import Tree
from storage.values.rows import Beat, Claim, DocumentId, Failed, Succeeded
from tests.actors.reading_scene import make_claim
from tests.builders import make_tree
from tests.waiting import PATIENCE_S


def two_chunks(tree: Tree) -> list[Chunk]:
    return [
        Chunk(
            id=ChunkId(f"c{n}"), index=n, text="x", tokens=1, section_path=(), pages=(1, 1), block_ids=(), bboxes=(),
            flags=(), language=None,
        )
        for n in range(2)
    ]  # fmt: skip


class Beating:
    def beat(self, beats: list[Beat], /) -> frozenset[DocumentId]:
        return frozenset()

    def refund_starts(self, claims: Sequence[Claim], /) -> int:
        return 0


@dataclass
class Published:
    """A publisher that only remembers."""

    results: list[Result] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None: ...

    def alive(self) -> bool:
        return True

    def put(self, result: Result) -> None:
        self.results.append(result)
        self.done.set()

    def close(self, timeout_s: float) -> bool:
        return True


@dataclass
class Index:
    """Answers with these failures first."""

    failures: list[Exception] = field(default_factory=list)
    seen: list[tuple[str, int, int, bool]] = field(default_factory=list)

    def index_document(
        self,
        owner: tuple[str, str],
        document_id: str,
        attempt: int,
        chunks: Sequence[Chunk],
        *,
        urgent: bool = False,
        replace: bool = False,
    ) -> None:
        assert not replace
        self.seen.append((document_id, attempt, len(chunks), urgent))
        if self.failures:
            raise self.failures.pop(0)


def read(claim: Claim) -> Result:
    row = Succeeded(claim=claim, manifest={}, format="pdf", pages=1)
    return Result(finished=row, artifacts={"tree.json": b"{}"}, tree=make_tree())


def indexing(index: Index | None, inflight: Inflight, published: Published) -> Indexing:
    parts = IndexingParts(
        chunk=two_chunks,
        count=lambda tree: len(two_chunks(tree)),
        chunker="1/254/32/64",
        index=index,
        publisher=published,
        inflight=inflight,
        beats=Beating(),
        room=2,
    )
    return Indexing(parts)


@pytest.mark.parametrize("index", [Index(), None])
def test_document_is_indexed_before_it_is_published(index: Index | None) -> None:
    inflight, published, claim = Inflight(), Published(), make_claim()
    inflight.add(claim)
    stage = indexing(index, inflight, published)
    stage.put(read(claim))
    assert published.done.wait(PATIENCE_S)
    finished = published.results[0].finished
    assert isinstance(finished, Succeeded)
    assert finished.chunks == 2
    assert index is None or index.seen == [("doc_1", 1, 2, False)]
    assert stage.close(PATIENCE_S)


def test_index_write_is_retried_while_the_index_is_unavailable() -> None:
    inflight, published, claim = Inflight(), Published(), make_claim()
    inflight.add(claim)
    index = Index([PortUnavailable("index_writer"), PortUnavailable("embedder")])
    stage = indexing(index, inflight, published)
    stage.put(read(claim))
    assert published.done.wait(PATIENCE_S)
    assert len(index.seen) == 3
    assert stage.close(PATIENCE_S)


def test_document_with_a_lost_lease_is_dropped() -> None:
    inflight, published, claim = Inflight(), Published(), make_claim()
    index = Index()
    stage = indexing(index, inflight, published)
    stage.put(read(claim))
    assert stage.close(PATIENCE_S)
    assert (published.results, index.seen) == ([], [])


def test_a_text_that_cannot_be_embedded_fails_its_document() -> None:
    inflight, published, claim = Inflight(), Published(), make_claim()
    inflight.add(claim)
    stage = indexing(Index([EmbeddingFailed("bad")]), inflight, published)
    stage.put(read(claim))
    assert published.done.wait(PATIENCE_S)
    finished = published.results[0].finished
    assert isinstance(finished, Failed)
    assert (finished.error, finished.detail) == ("internal", "embedding-failed")
    assert stage.close(PATIENCE_S)


def test_result_without_tree_passes_through_indexing() -> None:
    published, claim = Published(), make_claim()
    stage = indexing(Index(), Inflight(), published)
    result = Result(finished=Failed(claim=claim, error="malformed"))
    stage.put(result)
    assert published.results == [result]
    assert stage.close(PATIENCE_S)

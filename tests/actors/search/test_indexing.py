"""Between reading and publishing: indexed first, tried again while the index is away, dropped with the lease."""

import json
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from actors.reader.indexing import DocumentIndexer, EarlierTree, Indexing, IndexingParts
from actors.reader.inflight import Inflight
from actors.reader.publisher import Result
from models.cdom.chunk import Chunk, ChunkId
from models.cdom.ports import EmbeddingFailed, PortUnavailable
from models.cdom.tree import BlockType, Tree
from storage.index.table.entries import DocumentChunks, KnownVectors, Vectors
from storage.values.errors import StoreUnavailable
from storage.values.rows import Beat, Claim, DocumentId, Failed, Scope, Succeeded
from tests.actors.reading_scene import make_claim
from tests.builders import make_block, make_tree
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
    earlier: list[str] = field(default_factory=list)

    def index_document(
        self,
        owner: tuple[str, str],
        document_id: str,
        attempt: int,
        chunks: Sequence[Chunk],
        *,
        urgent: bool = False,
        replace: bool = False,
        earlier: Sequence[str] = (),
    ) -> None:
        assert not replace
        self.seen.append((document_id, attempt, len(chunks), urgent))
        self.earlier = list(earlier)
        if self.failures:
            raise self.failures.pop(0)


def read(claim: Claim) -> Result:
    row = Succeeded(claim=claim, manifest={}, format="pdf", pages=1)
    return Result(finished=row, artifacts={"tree.json": b"{}"}, tree=make_tree())


def indexing(
    index: Index | None,
    inflight: Inflight,
    published: Published,
    earlier: Callable[[Claim], EarlierTree | None] = lambda claim: None,
) -> Indexing:
    parts = IndexingParts(
        chunk=two_chunks,
        count=lambda tree: len(two_chunks(tree)),
        chunker="1/254/32/64",
        index=index,
        publisher=published,
        inflight=inflight,
        beats=Beating(),
        room=2,
        earlier=earlier,
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


def pages(*texts: str) -> Tree:
    return make_tree(*(make_block(BlockType.PARAGRAPH, text, page=n) for n, text in enumerate(texts, 1)))


def test_a_newer_version_is_charged_for_its_changed_pages_and_lists_them() -> None:
    inflight, published, claim = Inflight(), Published(), make_claim()
    inflight.add(claim)
    away = [StoreUnavailable("database")]

    def earlier(_: Claim) -> EarlierTree:
        if away:
            raise away.pop()
        return EarlierTree(DocumentId("doc_0"), pages("first page", "second page", "third page"))

    index = Index()
    stage = indexing(index, inflight, published, earlier)
    row = Succeeded(claim=claim, manifest={}, format="pdf", pages=3)
    stage.put(Result(finished=row, tree=pages("first page", "another page", "third page")))
    assert published.done.wait(PATIENCE_S)
    finished = published.results[0].finished
    assert isinstance(finished, Succeeded)
    assert (finished.pages, finished.metered) == (3, 1)
    changes = json.loads(published.results[0].artifacts["changes.json"])
    assert (changes["since"], changes["pages"]) == ("doc_0", [2])
    assert index.earlier == ["doc_0"]
    assert stage.close(PATIENCE_S)


class Vectorless:
    """An index that has the vector of one text."""

    def __init__(self) -> None:
        self.asked: list[tuple[Scope, list[str]]] = []
        self.written: list[DocumentChunks] = []

    def find_vectors(self, scope: Scope, documents: Collection[str], texts: Sequence[str]) -> KnownVectors:
        self.asked.append((scope, list(documents)))
        return KnownVectors([0], [np.array([0, 1], dtype=np.float32)])

    def write(self, documents: Sequence[DocumentChunks], *, timeout_s: float, urgent: bool = False) -> None:
        self.written += documents


class Counting:
    """An embedder that remembers its texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, timeout_s: float, urgent: bool = False) -> Vectors:
        self.texts += texts
        return np.full((len(texts), 2), 1, dtype=np.float32)


@pytest.mark.parametrize(("earlier", "replace"), [(["doc_0"], False), ([], True), ([], False)])
def test_only_texts_without_a_known_vector_are_embedded(earlier: list[str], replace: bool) -> None:
    index, embedder = Vectorless(), Counting()
    chunks = [chunk for chunk in two_chunks(make_tree())]
    DocumentIndexer(embedder, index).index_document(
        ("acme", "default"), "doc_1", 2, chunks, replace=replace, earlier=earlier
    )
    vectors = index.written[0].vectors
    assert vectors is not None
    if not earlier and not replace:
        assert (index.asked, len(embedder.texts)) == ([], 2)
        return
    assert index.asked == [(Scope(tenant="acme", org="default"), earlier or ["doc_1"])]
    assert len(embedder.texts) == 1
    assert vectors.tolist() == [[0, 1], [1, 1]]

"""Between reading and publishing: indexed first, tried again while the index is away, dropped with the lease."""

import json
import random
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from quire.actors.reader.indexing import PART, WRITTEN, DocumentIndexer, EarlierTree, Indexing, IndexingParts
from quire.actors.reader.inflight import Inflight
from quire.actors.reader.publisher import Result
from quire.models.cdom.chunk import Chunk, ChunkId
from quire.models.cdom.ports import EmbeddingFailed, IndexDocument, PortUnavailable, keep_waiting, no_progress
from quire.models.cdom.tree import BlockType, Tree
from quire.storage.index.table.entries import DocumentChunks, KnownVectors, Vectors
from quire.storage.index.vector_parts import VectorParts
from quire.storage.values.errors import NotFound, StoreUnavailable
from quire.storage.values.rows import Beat, Claim, DocumentId, Failed, Scope, Succeeded
from quire.storage.values.states import Phase
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
        progress: Callable[[int, int], None] = no_progress,
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
    index: IndexDocument | None,
    inflight: Inflight,
    published: Published,
    earlier: Callable[[Claim], EarlierTree | None] = lambda claim: None,
    chunk: Callable[[Tree], list[Chunk]] = two_chunks,
) -> Indexing:
    parts = IndexingParts(
        chunk=chunk,
        count=lambda tree: len(two_chunks(tree)),
        chunker="1/254/32/64",
        index=index,
        publisher=published,
        inflight=inflight,
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

    def find_vectors(
        self,
        scope: Scope,
        documents: Collection[str],
        texts: Sequence[str],
        check: Callable[[], None] = keep_waiting,
    ) -> KnownVectors:
        self.asked.append((scope, list(documents)))
        return KnownVectors([0], [np.array([0, 1], dtype=np.float32)])

    def write(
        self,
        documents: Sequence[DocumentChunks],
        *,
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> None:
        self.written += documents


class Counting:
    """An embedder that remembers its texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.on_call: Callable[[], None] = lambda: None

    def embed(
        self,
        texts: Sequence[str],
        *,
        tenant: str = "",
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> Vectors:
        self.texts += texts
        self.on_call()
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


def many_chunks(count: int) -> list[Chunk]:
    return [replace(two_chunks(make_tree())[0], id=ChunkId(f"c{n}"), index=n, text=f"text {n}") for n in range(count)]


class Files:
    """Derived files in memory."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def put(self, document_id: DocumentId, attempt: int, files: Mapping[str, bytes]) -> dict[str, dict[str, Any]]:
        self.files |= files
        return {}

    def read(self, document_id: DocumentId, attempt: int, name: str) -> bytes:
        if name not in self.files:
            raise NotFound("no such file")
        return self.files[name]

    def delete_attempt(self, document_id: DocumentId, attempt: int) -> None:
        self.files.clear()


class Failing(Counting):
    """An embedder that goes away after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls, self.most = calls, 0

    def embed(self, texts: Sequence[str], **options: Any) -> Vectors:
        if not self.calls:
            raise PortUnavailable("embedder")
        self.calls -= 1
        self.most = max(self.most, len(texts))
        return super().embed(texts, **options)


@pytest.mark.parametrize("seed", range(20))
def test_restart_embeds_no_part_twice(seed: int) -> None:
    drawn = random.Random(seed)
    chunks, files = many_chunks(drawn.randint(65, 3000)), Files()
    embedded: list[str] = []
    written: list[DocumentChunks] = []
    for attempt in range(1, 100):
        embedder, index = Failing(drawn.randint(1, 12)), Written()
        indexer = DocumentIndexer(embedder, index, VectorParts(files, "a model", 2))  # type: ignore[arg-type]
        try:
            indexer.index_document(("acme", "default"), "doc_1", attempt, chunks)
        except PortUnavailable:
            assert index.written == []
            continue
        finally:
            embedded += embedder.texts
            assert embedder.most <= PART
        written = index.written
        break
    assert embedded == [chunk.text for chunk in chunks]
    assert [chunk.index for part in written for chunk in part.chunks] == list(range(len(chunks)))
    for part in written:
        assert part.vectors is not None
        assert len(part.vectors) == len(part.chunks) <= WRITTEN
    assert files.files == {}


class Written(Vectorless):
    """An index that has no vector."""

    def find_vectors(self, *_: Any, **__: Any) -> KnownVectors:
        return KnownVectors((), ())


def test_canceled_document_stops_embedding() -> None:
    inflight, published, claim = Inflight(), Published(), make_claim()
    inflight.add(claim)
    embedder = Counting()
    seen: list[Beat] = []

    def drop() -> None:
        seen.extend(inflight.beats())
        if len(embedder.texts) >= 3 * PART:
            inflight.remove(claim)

    embedder.on_call = drop
    index = DocumentIndexer(embedder, Written())
    stage = indexing(index, inflight, published, chunk=lambda tree: many_chunks(1000))
    stage.put(read(claim))
    assert stage.close(PATIENCE_S)
    assert len(embedder.texts) == 3 * PART
    assert published.results == []
    assert [(beat.phase, beat.chunks_done, beat.chunks_total) for beat in seen] == [
        (Phase.EMBEDDING, done * PART, 1000) for done in range(3)
    ]

"""Indexing between reading and publishing: chunks and embeds a document and writes it into the search index.

Results pass through to the publisher, with the number of their chunks. Each waiting document has a separate thread, so
reading continues and a short document never waits for a long one. Without an index nothing waits, and chunks are
counted at once. Knows no model and no engine.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from actors.reader.inflight import Beats, Inflight, beat_once
from actors.reader.publisher import Publishing, Result
from actors.reader.retry import Backoff
from models.cdom.chunk import Chunk
from models.cdom.errors import ErrorCode
from models.cdom.ports import Embed, EmbeddingFailed, IndexDocument, PortUnavailable
from models.cdom.tree import Tree, load_tree
from storage.index.table.entries import DocumentChunks, IndexedChunk
from storage.objects.artifacts import TREE
from storage.values.errors import StorageError, StoreUnavailable
from storage.values.rows import Claim, DocumentId, Failed, Scope, Succeeded
from storage.values.states import Phase, Priority

log = logging.getLogger(__name__)
EMBED_TIMEOUT_S = 300.0
"""Seconds to embed one document, queueing included; 300 CPU seconds embed 14,000 chunks."""
WRITE_TIMEOUT_S = 60.0  # seconds a write may wait behind others at the index; longer means its holder is gone


class WriteIndex(Protocol):
    """Writer of the index, implemented by `actors.search.index_writer.IndexWriting`."""

    def write(self, documents: Sequence[DocumentChunks], *, timeout_s: float, urgent: bool = False) -> None:
        """Write chunks; searches find them when this returns. Raises `PortUnavailable`."""


class DocumentIndexer:
    """Implements `IndexDocument`: vectors first (none without an embedder), then one write."""

    def __init__(self, embed: Embed | None, index: WriteIndex) -> None:
        self._embed, self._index = embed, index

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
        """Embed and write the chunks of one attempt. Raises `PortUnavailable` and `EmbeddingFailed`."""
        if not chunks and not replace:
            return
        vectors = None
        if self._embed is not None and chunks:
            texts = [chunk.text for chunk in chunks]
            vectors = self._embed.embed(texts, timeout_s=EMBED_TIMEOUT_S, urgent=urgent)
        entry = DocumentChunks(
            scope=Scope(tenant=owner[0], org=owner[1]),
            document_id=DocumentId(document_id),
            generation=attempt,
            chunks=[to_entry(chunk) for chunk in chunks],
            vectors=vectors,
            replace=replace,
        )
        self._index.write([entry], timeout_s=WRITE_TIMEOUT_S, urgent=urgent)


def to_entry(chunk: Chunk) -> IndexedChunk:
    """Return a chunk in the form that the index stores."""
    return IndexedChunk(
        index=chunk.index,
        chunk_id=chunk.id,
        text=chunk.text,
        facts={
            "section_path": chunk.section_path,
            "pages": chunk.pages,
            "block_ids": chunk.block_ids,
            "bboxes": [asdict(box) for box in chunk.bboxes],
        },
        language=chunk.language,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingParts:
    """Parts of `Indexing`.

    `room`: documents indexed at once; the next one waits, and reading with it. Without an `index` chunks are only
    counted, by `count`.
    """

    chunk: Callable[[Tree], list[Chunk]]
    count: Callable[[Tree], int]
    chunker: str
    index: IndexDocument | None
    publisher: Publishing
    inflight: Inflight
    beats: Beats
    room: int


class Indexing:
    """Indexes results and passes them to a publisher, with the interface of a publisher."""

    def __init__(self, parts: IndexingParts) -> None:
        self._parts = parts
        self._threads = ThreadPoolExecutor(parts.room, thread_name_prefix="indexing")
        self._places = threading.BoundedSemaphore(parts.room)
        self._stop = threading.Event()

    def start(self) -> None:
        """Start the publisher."""
        self._parts.publisher.start()

    def alive(self) -> bool:
        """Return whether the publisher is alive."""
        return self._parts.publisher.alive()

    def put(self, result: Result) -> None:
        """Index a result and pass it on; blocks while `room` documents are being indexed."""
        if result.tree is None or isinstance(result.finished, Failed):
            self._parts.publisher.put(result)
            return
        self._parts.inflight.enter(result.claim, Phase.EMBEDDING)
        if self._parts.index is None:  # nothing to wait for
            self._run(result, result.tree, result.finished)
            return
        self._places.acquire()
        self._threads.submit(self._run_apart, result, result.tree, result.finished)

    def close(self, timeout_s: float) -> bool:
        """Index and publish pending results; false if that takes longer than `timeout_s` (leases then expire)."""
        waiter = threading.Thread(target=self._threads.shutdown, name="indexing-end", daemon=True)
        waiter.start()
        waiter.join(timeout_s * 0.8)
        self._stop.set()
        return self._parts.publisher.close(max(1.0, timeout_s * 0.2)) and not waiter.is_alive()

    def _run_apart(self, result: Result, tree: Tree, done: Succeeded) -> None:
        try:
            self._run(result, tree, done)
        finally:
            self._places.release()

    def _run(self, result: Result, tree: Tree, done: Succeeded) -> None:
        try:
            self._index(result, tree, done)
        except Exception as error:  # this document's, never the next one's
            log.exception("indexing document %s", result.claim.document_id)
            self._fail(result.claim, type(error).__name__)

    def _index(self, result: Result, tree: Tree, done: Succeeded) -> None:
        if self._parts.index is None:
            count = self._parts.count(tree)
        else:
            chunks = self._parts.chunk(tree)
            count = len(chunks)
            if not self._written(result.claim, self._parts.index, chunks):
                return
        cut = replace(done, chunks=count, chunker=self._parts.chunker)
        self._parts.publisher.put(replace(result, finished=cut, tree=None))

    def _written(self, claim: Claim, index: IndexDocument, chunks: Sequence[Chunk]) -> bool:
        """Write the chunks, with retries while the index is away; false if the lease was lost or the reader stops."""
        inflight, backoff = self._parts.inflight, Backoff(self._stop.wait)
        beat_once(self._parts.beats, inflight.beats, inflight)  # an expiry from here on costs no start
        owner, urgent = (claim.scope.tenant, claim.scope.org), claim.priority is Priority.PARSE
        while inflight.holds(claim) and not self._stop.is_set():
            try:
                index.index_document(owner, claim.document_id, claim.attempt, chunks, urgent=urgent)
            except EmbeddingFailed as error:
                self._fail(claim, error.code)
                return False
            except (PortUnavailable, StorageError) as error:
                log.warning("indexing waits: %s", error)
                backoff.pause()
                continue
            return True
        return False

    def _fail(self, claim: Claim, detail: str) -> None:
        failed = Failed(claim=claim, error=ErrorCode.INTERNAL.value, detail=detail)
        self._parts.publisher.put(Result(finished=failed))


class TreeArtifacts(Protocol):
    """Store of published trees."""

    def read(self, document_id: DocumentId, attempt: int, name: str, /) -> bytes:
        """Return the bytes of one file; raise NotFound if it is missing."""


class DirectWrite(Protocol):
    """Writer of the index in the process that holds it: `storage.index.writer.ChunkIndexWriter`."""

    def write(self, documents: Sequence[DocumentChunks]) -> int:
        """Write chunks and return their number."""


class Reindexer:
    """Indexes a published attempt again from its stored tree."""

    def __init__(
        self, artifacts: TreeArtifacts, chunk: Callable[[Tree], list[Chunk]], embed: Embed | None, writer: DirectWrite
    ) -> None:
        self._artifacts, self._chunk, self._writer = artifacts, chunk, writer
        self._indexer = DocumentIndexer(embed, self)

    def __call__(self, scope: Scope, document_id: DocumentId, attempt: int) -> int:
        """Return the number of chunks written. Raises `StorageError`."""
        chunks = self._chunk(load_tree(self._artifacts.read(document_id, attempt, TREE)))
        try:
            self._indexer.index_document((scope.tenant, scope.org), document_id, attempt, chunks, replace=True)
        except (PortUnavailable, EmbeddingFailed) as error:
            raise StoreUnavailable(error.code) from error
        return len(chunks)

    def write(self, documents: Sequence[DocumentChunks], *, timeout_s: float, urgent: bool = False) -> None:
        """Do `WriteIndex.write` without a queue: the writer is in this process."""
        self._writer.write(documents)

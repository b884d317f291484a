"""Indexing between reading and publishing: chunks and embeds a document and writes it into the search index.

Results pass through to the publisher, with the number of their chunks. Each waiting document has a separate thread, so
reading continues and a short document never waits for a long one. Without an index nothing waits, and chunks are
counted at once. Knows no model and no engine.
"""

import logging
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from pydantic_core import to_json

from quire.actors.reader.inflight import Inflight
from quire.actors.reader.publisher import Publishing, Result
from quire.actors.reader.retry import Backoff
from quire.models.cdom.chunk import Chunk
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.ports import Embed, EmbeddingFailed, IndexDocument, PortUnavailable, keep_waiting, no_progress
from quire.models.cdom.tree import Tree, load_tree
from quire.models.derive.changes import compare_versions, without_texts
from quire.storage.index.table.entries import DocumentChunks, IndexedChunk, KnownVectors
from quire.storage.index.vector_parts import VectorParts
from quire.storage.objects.artifacts import CHANGES, TREE, Artifacts
from quire.storage.values.errors import LostLease, StorageError, StoreUnavailable
from quire.storage.values.rows import Claim, DocumentId, Failed, Scope, Succeeded
from quire.storage.values.states import Phase, Priority

if TYPE_CHECKING:  # LanceDB: only the process of the index loads it
    from quire.storage.index.writer import ChunkIndexWriter

log = logging.getLogger(__name__)
T = TypeVar("T")
PART = 64
"""Most chunks embedded by one call, and kept together: a second and a half of CPU time."""
WRITTEN = 1_000
"""Most chunks of one write of a new document: other documents' writes come between two of them (0.2 CPU seconds)."""


class WriteIndex(Protocol):
    """Writer of the index, implemented by `quire.actors.search.index_writer.IndexWriting`. `check` is as in `Embed`."""

    def write(
        self,
        documents: Sequence[DocumentChunks],
        *,
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> None:
        """Write chunks; searches find them when this returns. Raises `PortUnavailable`."""

    def find_vectors(
        self,
        scope: Scope,
        documents: Collection[str],
        texts: Sequence[str],
        check: Callable[[], None] = keep_waiting,
    ) -> KnownVectors:
        """Return the vectors that these documents have for any of the texts. Raises `PortUnavailable`."""


class DocumentIndexer:
    """Implements `IndexDocument`: vectors first (none without an embedder), then the writes.

    A text that the same document or an earlier version of it has in the index keeps its vector. Documents of more than
    one part keep their finished parts in `kept`, so that a new start continues after them.
    """

    def __init__(self, embed: Embed | None, index: WriteIndex, kept: VectorParts | None = None) -> None:
        self._embed, self._index, self._kept = embed, index, kept

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
        """Embed and write the chunks of one attempt. Raises `PortUnavailable`, `EmbeddingFailed`, `StorageError`."""
        if not chunks and not replace:
            return
        scope, done = Scope(tenant=owner[0], org=owner[1]), [0]

        def check() -> None:
            progress(done[0], len(chunks))

        vectors = None
        if self._embed is not None and chunks:
            texts = [chunk.text for chunk in chunks]
            sources = [*earlier, document_id] if replace or len(chunks) > PART else earlier
            known = self._index.find_vectors(scope, sources, texts, check) if sources else KnownVectors((), ())
            found = dict(zip(known.indices, known.vectors, strict=True))
            missing = [index for index in range(len(texts)) if index not in found]
            kept = self._kept if len(missing) > PART else None
            for part in (missing[start : start + PART] for start in range(0, len(missing), PART)):
                done[0] = len(found)
                check()
                wanted = [texts[index] for index in part]
                computed = kept.get(document_id, wanted) if kept else None
                if computed is None:
                    computed = self._embed.embed(wanted, tenant=owner[0], urgent=urgent, check=check)
                    if kept:
                        kept.put(document_id, wanted, computed)
                found.update(zip(part, computed, strict=True))
            done[0] = len(found)
            check()
            vectors = np.stack([found[index] for index in range(len(texts))])
        entries = [to_entry(chunk) for chunk in chunks]
        step = max(1, len(entries)) if replace else WRITTEN
        for start in range(0, max(1, len(entries)), step):
            entry = DocumentChunks(
                scope=scope,
                document_id=DocumentId(document_id),
                generation=attempt,
                chunks=entries[start : start + step],
                vectors=None if vectors is None else vectors[start : start + step],
                replace=replace,
            )
            self._index.write([entry], urgent=urgent, check=check)
        if self._kept is not None and len(chunks) > PART:
            self._kept.drop(document_id)


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


@dataclass(frozen=True, slots=True)
class EarlierTree:
    """The tree of the document that a newer version replaces."""

    document_id: DocumentId
    tree: Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingParts:
    """Parts of `Indexing`.

    `room`: documents indexed at once; the next one waits, and reading with it. Without an `index` chunks are only
    counted, by `count`. `earlier` returns the stored version that a document replaces.
    """

    chunk: Callable[[Tree], list[Chunk]]
    count: Callable[[Tree], int]
    chunker: str
    index: IndexDocument | None
    publisher: Publishing
    inflight: Inflight
    room: int
    earlier: Callable[[Claim], EarlierTree | None] = lambda claim: None


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
        earlier = self._patiently(result.claim, lambda: self._parts.earlier(result.claim))
        if self._parts.index is None:
            count = self._parts.count(tree)
        else:
            chunks = self._parts.chunk(tree)
            count = len(chunks)
            if not self._written(result.claim, self._parts.index, chunks, earlier):
                return
        if earlier is not None:
            result, done = _with_changes(result, done, earlier, tree)
        cut = replace(done, chunks=count, chunker=self._parts.chunker)
        self._parts.publisher.put(replace(result, finished=cut, tree=None))

    def _written(
        self, claim: Claim, index: IndexDocument, chunks: Sequence[Chunk], earlier: EarlierTree | None
    ) -> bool:
        """Write the chunks, with retries while the index is away; false if the lease was lost or the reader stops."""
        owner, urgent = (claim.scope.tenant, claim.scope.org), claim.priority is Priority.PARSE
        sources = [earlier.document_id] if earlier else []

        def progress(done: int, total: int) -> None:
            self._parts.inflight.index_progress(claim, done, total)
            if self._stop.is_set() or not self._parts.inflight.holds(claim):
                raise LostLease(claim.document_id)

        def write() -> bool:
            index.index_document(
                owner, claim.document_id, claim.attempt, chunks, urgent=urgent, earlier=sources, progress=progress
            )
            return True

        try:
            return self._patiently(claim, write) is True
        except EmbeddingFailed as error:
            self._fail(claim, error.code)
            return False

    def _patiently(self, claim: Claim, act: Callable[[], T]) -> T | None:
        """Repeat `act` while a port or store is away; None if the lease was lost or the reader stops."""
        backoff = Backoff(self._stop.wait)
        while self._parts.inflight.holds(claim) and not self._stop.is_set():
            try:
                return act()
            except (PortUnavailable, StorageError) as error:
                log.warning("indexing waits: %s", error)
                backoff.pause()
        return None

    def _fail(self, claim: Claim, detail: str) -> None:
        failed = Failed(claim=claim, error=ErrorCode.INTERNAL.value, detail=detail)
        self._parts.publisher.put(Result(finished=failed))


def _with_changes(result: Result, done: Succeeded, earlier: EarlierTree, tree: Tree) -> tuple[Result, Succeeded]:
    """Add the list of changes from the earlier version, and charge only the pages with new content."""
    changes = compare_versions(earlier.document_id, earlier.tree, tree)
    files = result.artifacts | {CHANGES: to_json(without_texts(changes))}
    return replace(result, artifacts=files), replace(done, metered=len(changes.pages))


class Reindexer:
    """Indexes a published attempt again from its stored tree. `progress` is as in `IndexDocument`."""

    def __init__(
        self,
        artifacts: Artifacts,
        chunk: Callable[[Tree], list[Chunk]],
        embed: Embed | None,
        writer: "ChunkIndexWriter",
        *,
        kept: VectorParts | None = None,
        progress: Callable[[int, int], None] = no_progress,
    ) -> None:
        self._artifacts, self._chunk, self._writer, self._progress = artifacts, chunk, writer, progress
        self._indexer = DocumentIndexer(embed, self, kept)

    def __call__(self, scope: Scope, document_id: DocumentId, attempt: int) -> int:
        """Return the number of chunks written. Raises `StorageError`."""
        chunks, owner = (
            self._chunk(load_tree(self._artifacts.read(document_id, attempt, TREE))),
            (scope.tenant, scope.org),
        )
        try:
            self._indexer.index_document(owner, document_id, attempt, chunks, replace=True, progress=self._progress)
        except (PortUnavailable, EmbeddingFailed) as error:
            raise StoreUnavailable(error.code) from error
        return len(chunks)

    def write(
        self,
        documents: Sequence[DocumentChunks],
        *,
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> None:
        """Do `WriteIndex.write` without a queue: the writer is in this process."""
        self._writer.write(documents)

    def find_vectors(
        self,
        scope: Scope,
        documents: Collection[str],
        texts: Sequence[str],
        check: Callable[[], None] = keep_waiting,
    ) -> KnownVectors:
        """Do `WriteIndex.find_vectors`."""
        return self._writer.find_vectors(scope, documents, texts)

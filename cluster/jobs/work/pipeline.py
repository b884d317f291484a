"""One worker of a bulk extraction: reads a block of documents in a sandbox, as the service does, and records them.

While one document is read, the next ones are fetched and the previous ones are recognised and written, so waiting for
a bucket, a disk or a GPU keeps no processor idle. Constructed by values; knows no Ray.
"""

import hashlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import BinaryIO, Generic, TypeVar

from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.actors.reading.recognise_document import recognise_document
from quire.actors.sandbox.limits import SandboxLimits
from quire.cluster.cli.documents.advice import advise
from quire.cluster.jobs.work.folders import FileSource, FolderUnavailable
from quire.cluster.jobs.work.ledger import Record, WorkBlock, WorkItem
from quire.cluster.jobs.work.outputs import JobOutput, Kept
from quire.models.cdom.errors import RETRYABLE, ErrorCode
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import ReadOutcome, RecognisePages
from quire.models.pii.errors import PiiIncomplete

_JOB = "bulk"  # a reader of blocks reads documents of one job only
AHEAD = 8
"""Documents fetched before, and outputs written after, the one that is being read."""
THREADS = 4  # documents fetched or written during a reading, because a bucket is slow to answer
PIECE = 1 << 20  # bytes copied at a time
PAGES_AT_ONCE = 8  # pages of one document at a pool of recognisers

T = TypeVar("T")
Finish = Callable[[ReadOutcome], ReadOutcome]
"""The last step on an outcome (flags, redaction). Raises `PiiIncomplete`."""


class SandboxBroken(RuntimeError):
    """The sandbox fails on this machine; no document is at fault."""


def as_read(outcome: ReadOutcome) -> ReadOutcome:
    """Return the outcome unchanged: a `Finish` without effect."""
    return outcome


class BlockReader(Generic[T]):
    """Reads blocks. Close it, or let its process end.

    `recognised_at_once`: documents that wait for a recogniser while others are read; 1 for one in this process.
    """

    def __init__(
        self,
        source: FileSource,
        output: JobOutput[T],
        options: ReadOptions,
        make_recogniser: Callable[[], RecognisePages],
        *,
        finish: Finish = as_read,
        limits: SandboxLimits | None = None,
        recognised_at_once: int = 1,
    ) -> None:
        self._source, self._output, self._options = source, output, options
        self._make_recogniser, self._finish = make_recogniser, finish
        self._recogniser: RecognisePages | None = None
        self._at_once = recognised_at_once
        self._recognising = ThreadPoolExecutor(recognised_at_once, thread_name_prefix="recognise")
        self._fetching = ThreadPoolExecutor(THREADS, thread_name_prefix="fetch")
        self._writing = ThreadPoolExecutor(THREADS, thread_name_prefix="write")
        self._lock = threading.Lock()
        self._reader = DocumentReader(limits or SandboxLimits())
        self._reader.start()

    def close(self) -> None:
        """End the threads and the sandbox."""
        self._fetching.shutdown()
        self._recognising.shutdown()
        self._writing.shutdown()
        self._reader.close()

    def read_block(self, block: WorkBlock) -> list[Record]:
        """Read and record every document of the block. Raises only errors that end the whole job."""
        futures: list[Future[Kept[T]]] = []
        ahead = max(AHEAD, self._at_once)
        for item, original in self._fetched(block):
            futures.append(self._start(item, original))
            if len(futures) > ahead:
                futures[-ahead].result()
        return self._output.close(block, [future.result() for future in futures])

    def _start(self, item: WorkItem, original: BinaryIO | None) -> "Future[Kept[T]]":
        """Read a document up to its pictures; recognition and writing follow in other threads."""
        read = ReadOutcome(error=ErrorCode.ORIGINAL_MISSING) if original is None else self._read(original)
        if isinstance(read, ReadOutcome):
            record, outcome = self._record(item, original, read)
            return self._writing.submit(self._keep, item, record, outcome, original)
        if self._at_once == 1:
            record, outcome = self._record(item, original, self._recognise(read))
            return self._writing.submit(self._keep, item, record, outcome, original)
        return self._recognising.submit(self._recognise_and_keep, item, original, read)

    def _recognise_and_keep(self, item: WorkItem, original: BinaryIO | None, read: PendingOcr) -> Kept[T]:
        record, outcome = self._record(item, original, self._recognise(read))
        return self._keep(item, record, outcome, original)

    def _recognise(self, read: PendingOcr) -> ReadOutcome:
        with self._lock:
            if self._recogniser is None:
                self._recogniser = self._make_recogniser()
        return recognise_document(read, self._recogniser, pages_at_once=PAGES_AT_ONCE if self._at_once > 1 else 1)

    def _keep(self, item: WorkItem, record: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[T]:
        with closing(original) if original is not None else nullcontext():
            return self._output.keep(item, record, outcome, original)

    def _fetched(self, block: WorkBlock) -> Iterator[tuple[WorkItem, BinaryIO | None]]:
        """Yield items in order with their originals; None for an unreadable one. At most AHEAD are open."""
        waiting: deque[tuple[WorkItem, Future[BinaryIO | None]]] = deque()
        try:
            for item in block.items:
                waiting.append((item, self._fetching.submit(self._open, item)))
                if len(waiting) >= AHEAD:
                    first, original = waiting.popleft()
                    yield first, original.result()
            while waiting:
                first, original = waiting.popleft()
                yield first, original.result()
        finally:
            for _, original in waiting:
                if not original.cancel() and original.exception() is None and (file := original.result()) is not None:
                    file.close()

    def _open(self, item: WorkItem) -> BinaryIO | None:
        try:
            return self._source.open(item.name) if item.name else None
        except FolderUnavailable:
            raise
        except OSError:  # gone or forbidden
            return None

    def _read(self, original: BinaryIO) -> ReadOutcome | PendingOcr:
        """Return the outcome, or the document whose pictures wait for a recogniser. Raises `SandboxBroken`."""
        read = self._reader.read_until_pixels(original, self._options, job=_JOB)
        if isinstance(read, ReadOutcome) and read.error in RETRYABLE:
            read = self._reader.read_until_pixels(original, self._options, job=_JOB)
        if isinstance(read, ReadOutcome) and not read.charged:
            raise SandboxBroken(read.detail)
        return read

    def _record(self, item: WorkItem, original: BinaryIO | None, outcome: ReadOutcome) -> tuple[Record, ReadOutcome]:
        """Return the record, with the error and what to do about it if reading failed, and the finished outcome."""
        record = Record(key=item.key, name=item.name)
        if original is not None:
            record = replace(record, sha256=_digest(original, outcome), bytes=os.fstat(original.fileno()).st_size)
        try:
            outcome = self._finish(outcome)
        except PiiIncomplete as error:
            return _failed(record, error.code), ReadOutcome()
        if outcome.error is not None or outcome.tree is None:
            return _failed(record, str(outcome.error or ErrorCode.INTERNAL), outcome.detail), outcome
        return record, outcome


def _failed(record: Record, code: str, detail: str = "") -> Record:
    return replace(record, error=code, message=advise(code, detail) or detail or None)


def _digest(original: BinaryIO, outcome: ReadOutcome) -> str:
    """Return the SHA-256 (hex) of the original, from the tree if there is one."""
    if outcome.tree is not None:
        return outcome.tree.source.sha256
    digest, offset = hashlib.sha256(), 0
    while piece := os.pread(original.fileno(), PIECE, offset):
        digest.update(piece)
        offset += len(piece)
    return digest.hexdigest()

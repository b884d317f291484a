"""One worker of a bulk extraction: reads a block of documents in a sandbox, as the service does, and records them.

While one document is read, the next ones are fetched and the previous ones are written, so waiting for a bucket or disk
keeps no processor idle. Constructed by values; knows no Ray.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import BinaryIO, Generic, TypeVar

from actors.reading.read_document import DocumentReader
from actors.reading.recognise_document import recognise_document
from actors.recogniser import Recogniser
from actors.sandbox.limits import SandboxLimits
from cluster.jobs.work.folders import Folder, FolderUnavailable
from cluster.jobs.work.ledger import Record, WorkBlock, WorkItem
from cluster.jobs.work.outputs import Kept, Output
from models.cdom.errors import RETRYABLE, ErrorCode
from models.cdom.original import ReadOptions
from models.cdom.ports import ReadOutcome, RecognisePages
from models.neural.ocr import make_recogniser
from models.pii.errors import PiiIncomplete

_JOB = "bulk"  # a reader of blocks reads documents of one job only
AHEAD = 8
"""Documents fetched before, and outputs written after, the one that is being read."""
THREADS = 4  # documents fetched or written during a reading, because a bucket is slow to answer
PIECE = 1 << 20  # bytes copied at a time

T = TypeVar("T")
Finish = Callable[[ReadOutcome], ReadOutcome]
"""The last step on an outcome (flags, redaction). Raises `PiiIncomplete`."""


class SandboxBroken(RuntimeError):
    """The sandbox fails on this machine; no document is at fault."""


def as_read(outcome: ReadOutcome) -> ReadOutcome:
    """Return the outcome unchanged: a `Finish` without effect."""
    return outcome


class BlockReader(Generic[T]):
    """Reads blocks. Close it, or let its process end."""

    def __init__(
        self,
        source: Folder,
        output: Output[T],
        options: ReadOptions,
        make_recogniser: Callable[[], RecognisePages],
        *,
        finish: Finish = as_read,
        limits: SandboxLimits | None = None,
    ) -> None:
        self._source, self._output, self._options = source, output, options
        self._make_recogniser, self._finish = make_recogniser, finish
        self._recogniser: RecognisePages | None = None
        self._fetching = ThreadPoolExecutor(THREADS, thread_name_prefix="fetch")
        self._writing = ThreadPoolExecutor(THREADS, thread_name_prefix="write")
        self._reader = DocumentReader(limits or SandboxLimits())
        self._reader.start()

    def close(self) -> None:
        """End the threads and the sandbox."""
        self._fetching.shutdown()
        self._writing.shutdown()
        self._reader.close()

    def read_block(self, block: WorkBlock) -> list[Record]:
        """Read and record every document of the block. Raises only errors that end the whole job."""
        futures: list[Future[Kept[T]]] = []
        for item, original in self._fetched(block):
            record, outcome = self._read(item, original)
            futures.append(self._writing.submit(self._keep, item, record, outcome, original))
            if len(futures) > AHEAD:
                futures[-AHEAD].result()
        return self._output.close(block, [future.result() for future in futures])

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

    def _read(self, item: WorkItem, original: BinaryIO | None) -> tuple[Record, ReadOutcome]:
        """Return the record of the original, with the error code if reading failed, and the outcome."""
        record = Record(key=item.key, name=item.name)
        if original is None:
            return replace(record, error=ErrorCode.ORIGINAL_MISSING.value), ReadOutcome()
        outcome = self._outcome(original)
        record = replace(record, sha256=_digest(original, outcome), bytes=os.fstat(original.fileno()).st_size)
        try:
            outcome = self._finish(outcome)
        except PiiIncomplete as error:
            return replace(record, error=error.code), ReadOutcome()
        if outcome.error is not None or outcome.tree is None:
            return replace(record, error=str(outcome.error or ErrorCode.INTERNAL)), outcome
        return record, outcome

    def _outcome(self, original: BinaryIO) -> ReadOutcome:
        read = self._reader.read_until_pixels(original, self._options, job=_JOB)
        if isinstance(read, ReadOutcome) and read.error in RETRYABLE:
            read = self._reader.read_until_pixels(original, self._options, job=_JOB)
        if isinstance(read, ReadOutcome):
            if not read.charged:
                raise SandboxBroken(read.detail)
            return read
        if self._recogniser is None:
            self._recogniser = self._make_recogniser()
        return recognise_document(read, self._recogniser)


def _digest(original: BinaryIO, outcome: ReadOutcome) -> str:
    """Return the SHA-256 (hex) of the original, from the tree if there is one."""
    if outcome.tree is not None:
        return outcome.tree.source.sha256
    digest, offset = hashlib.sha256(), 0
    while piece := os.pread(original.fileno(), PIECE, offset):
        digest.update(piece)
        offset += len(piece)
    return digest.hexdigest()


def make_cpu_recogniser(langs: tuple[str, ...]) -> RecognisePages:
    """Return the CPU recogniser, in this process."""
    return Recogniser(lambda: make_recogniser(langs=langs))

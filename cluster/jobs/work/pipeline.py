"""One worker of a bulk extraction: a block of documents in, their records out. In a sandbox, as the service reads.

While one document is read, the next ones are fetched and the ones before are written, so neither a bucket's nor a
disk's waiting time keeps a processor idle. Constructed by values; knows no Ray.
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
THREADS = 4  # documents fetched or written beside the reading, because a bucket is slow to answer
PIECE = 1 << 20  # bytes copied at a time

T = TypeVar("T")
Finish = Callable[[ReadOutcome], ReadOutcome]
"""The last touch to what was read (flags, redaction). Raises `PiiIncomplete`."""


class SandboxBroken(RuntimeError):
    """No document can be read here now; none of them is at fault."""


def as_read(outcome: ReadOutcome) -> ReadOutcome:
    """No last touch."""
    return outcome


class BlockReader(Generic[T]):
    """Close it, or let its process end."""

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
        self._fetching.shutdown()
        self._writing.shutdown()
        self._reader.close()

    def read_block(self, block: WorkBlock) -> list[Record]:
        """Every document of the block ended and recorded. Raises only what makes the whole job end."""
        kept: list[Future[Kept[T]]] = []
        for item, original in self._fetched(block):
            seen, outcome = self._read(item, original)
            kept.append(self._writing.submit(self._keep, item, seen, outcome, original))
            if len(kept) > AHEAD:
                kept[-AHEAD].result()
        return self._output.close(block, [one.result() for one in kept])

    def _keep(self, item: WorkItem, seen: Record, outcome: ReadOutcome, original: BinaryIO | None) -> Kept[T]:
        with closing(original) if original is not None else nullcontext():
            return self._output.keep(item, seen, outcome, original)

    def _fetched(self, block: WorkBlock) -> Iterator[tuple[WorkItem, BinaryIO | None]]:
        """Items in order with their originals; None for one that cannot be had. At most AHEAD are open."""
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
        """What was seen of the original, with the code of what went wrong."""
        seen = Record(key=item.key, name=item.name)
        if original is None:
            return replace(seen, error=ErrorCode.ORIGINAL_MISSING.value), ReadOutcome()
        outcome = self._outcome(original)
        seen = replace(seen, sha256=_digest(original, outcome), bytes=os.fstat(original.fileno()).st_size)
        try:
            outcome = self._finish(outcome)
        except PiiIncomplete as error:
            return replace(seen, error=error.code), ReadOutcome()
        if outcome.error is not None or outcome.tree is None:
            return replace(seen, error=str(outcome.error or ErrorCode.INTERNAL)), outcome
        return seen, outcome

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
    """SHA-256 (hex) of the original; a tree knows it already."""
    if outcome.tree is not None:
        return outcome.tree.source.sha256
    digest, at = hashlib.sha256(), 0
    while piece := os.pread(original.fileno(), PIECE, at):
        digest.update(piece)
        at += len(piece)
    return digest.hexdigest()


def make_cpu_recogniser(langs: tuple[str, ...]) -> RecognisePages:
    """The CPU recogniser, in this process."""
    return Recogniser(lambda: make_recogniser(langs=langs))

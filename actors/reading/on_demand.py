"""Serves one-time requests without storing results: a page's picture, a document read once. Sandboxed, a few at a time.

In: originals (by key or as bytes). Out: pictures and outcomes. Pictures and readings have separate sandboxes, so that
a long reading does not delay a picture. Knows no Ray and no HTTP.
"""

import io
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from quire.actors.reading.child_session import Decisions
from quire.actors.reading.forkserver import ServerGone
from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.actors.reading.recognise_document import recognise_document
from quire.actors.sandbox.failures import DocumentError
from quire.models.cdom.errors import ErrorCode, ExtractError
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PageImage, PageMark, PortUnavailable, ReadOutcome, RecognisePages, RedactionRefused
from quire.models.fair_time import fair_time
from quire.storage.objects.blobs import Blobs
from quire.storage.values.errors import NotFound, StorageError

log = logging.getLogger(__name__)
PORT = "on_demand"
LOOK_S = 1.0  # seconds between two looks at the clock of a waiting call
WARM_AFTER_S = 10.0
"""Seconds until the sandbox for pictures comes up: as many as a start takes, which its CPU second would prolong."""
TOO_SLOW = ReadOutcome(error=ErrorCode.TIMEOUT, detail="reading took too long")


class _Overdue(Exception):
    """The request for this reading has timed out."""


class SlotQueue:
    """One call at work, `waiting` more in line; the next is refused."""

    def __init__(self, waiting: int) -> None:
        self._places, self._turn = threading.BoundedSemaphore(waiting + 1), threading.Lock()

    @contextmanager
    def taken(self, timeout_s: float) -> Iterator[None]:
        """Hold a slot for the block.

        Raises:
            PortUnavailable: The queue is full, or no slot was free within `timeout_s` fair seconds.
        """
        if not self._places.acquire(blocking=False):
            raise PortUnavailable(PORT, "full")
        try:
            until = fair_time() + timeout_s
            while not self._turn.acquire(timeout=min(LOOK_S, timeout_s)):
                if fair_time() > until:
                    raise PortUnavailable(PORT, "too slow")
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()


class OnDemand:
    """`start` once, `close` once; everything else from any thread."""

    def __init__(
        self,
        *,
        drawing: DocumentReader,
        reading: DocumentReader,
        originals: Blobs,
        recogniser: RecognisePages,
        waiting: int = 16,
        warm_after_s: float = WARM_AFTER_S,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._ended = ended
        self._later = threading.Timer(warm_after_s, self._warm)
        self._later.daemon = True
        self._drawing, self._reading = drawing, reading
        self._originals, self._recogniser = originals, recogniser
        self._pictures, self._readings = SlotQueue(waiting), SlotQueue(waiting)

    def start(self) -> None:
        """Schedule the start of the picture sandbox; the reading sandbox starts at the first reading.

        The picture sandbox starts after the service's busiest start-up seconds, or at the first picture.
        """
        self._later.start()

    def _warm(self) -> None:
        try:
            self._drawing.start()
        except ServerGone as error:  # the first picture retries and reports the error
            log.warning("the sandbox for pictures did not start: %s", error)

    def render(
        self,
        blob_key: str,
        page: int,
        dpi: int,
        password: str | None,
        area: Bbox | None,
        timeout_s: float,
        marks: Sequence[PageMark] = (),
    ) -> PageImage | DocumentError:
        """Return the picture, or the error of a document without one (`original-missing` too).

        Raises:
            PortUnavailable: The queue is full or the store does not answer.
        """
        with self._pictures.taken(timeout_s):
            try:
                with self._originals.open(blob_key) as original:
                    return self._drawing.render(original, page, dpi, password, area, marks)
            except NotFound:
                return DocumentError(ErrorCode.ORIGINAL_MISSING)
            except StorageError as error:
                raise PortUnavailable(PORT, error.code) from error
            except ExtractError as error:
                return DocumentError(error.code, error.detail)

    def redact(
        self, blob_key: str, tree: bytes, decisions: Decisions, password: str | None, timeout_s: float
    ) -> bytes | RedactionRefused | DocumentError:
        """Return the redacted file, or the reason for refusing it.

        Raises:
            PortUnavailable: The queue is full or the store does not answer.
        """
        with self._readings.taken(timeout_s):
            try:
                with self._originals.open(blob_key) as original:
                    return self._reading.redact(original, tree, decisions, password)
            except RedactionRefused as refused:
                return refused
            except NotFound:
                return DocumentError(ErrorCode.ORIGINAL_MISSING)
            except StorageError as error:
                raise PortUnavailable(PORT, error.code) from error
            except ExtractError as error:
                return DocumentError(error.code, error.detail)

    def read(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome:
        """Return the tree without pictures, or the error that ended the reading.

        Raises:
            PortUnavailable: The queue is full.
        """
        until = time.monotonic() + timeout_s
        with self._readings.taken(timeout_s):
            try:
                read = self._reading.read_until_pixels(io.BytesIO(original), options, lambda *_: _check(until))
            except _Overdue:
                return TOO_SLOW
        outcome = self._recognise(read, until) if isinstance(read, PendingOcr) else read
        return replace(outcome, assets={}, tree_json=b"")

    def _recognise(self, waiting: PendingOcr, until: float) -> ReadOutcome:
        left = max(1.0, until - time.monotonic())
        outcome = recognise_document(waiting, self._recogniser, page_timeout_s=left, on_page=lambda _: _check(until))
        overdue = outcome.tree is None and time.monotonic() > until
        return TOO_SLOW if overdue else outcome

    def close(self) -> None:
        """Stop both sandboxes."""
        self._later.cancel()
        self._drawing.close()
        self._reading.close()
        self._ended()


def _check(until: float) -> None:
    if time.monotonic() > until:
        raise _Overdue

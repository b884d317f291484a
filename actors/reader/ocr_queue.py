"""Documents of one reader whose pages wait for a recogniser: they keep their leases, but no child and no reading slot.

Claims with a `PendingOcr` become outcomes for the `OutcomeHandler`. One thread per document asks page by page, so that
a short scan never waits for a long one. Knows no engine.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from quire.actors.reader.inflight import Inflight
from quire.actors.reader.outcome_handler import OutcomeHandler
from quire.actors.reader.retry import Backoff
from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.recognise_document import recognise_document
from quire.models.cdom.ports import PeerDied, PixelPage, PortUnavailable, RecognisedPage, RecognisePages
from quire.models.fair_time import fair_time
from quire.storage.values.errors import LostLease, StorageError
from quire.storage.values.rows import Claim, DocumentId
from quire.storage.values.states import Phase

log = logging.getLogger(__name__)
PATIENCE_S = 90.0
"""Fair seconds of retries for one page while the recogniser is away: it returns in 5 to 20 seconds."""
DEATHS = 2  # recognisers that may die over one page before it is the page's fault


class RetryingRecogniser:
    """Implements `RecognisePages` with retries while the recogniser is away, and one retry if it died of the call."""

    def __init__(
        self, port: RecognisePages, stop: threading.Event, holds: Callable[[], bool], patience_s: float
    ) -> None:
        self._port, self._stop, self._holds, self._patience_s = port, stop, holds, patience_s

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Return the recognised pages.

        Raises:
            PortUnavailable: The patience or the lease is over.
            PeerDied: The recogniser died twice over these pages.
        """
        backoff, deaths = Backoff(self._stop.wait), 0
        until = fair_time() + self._patience_s
        while True:
            try:
                return self._port.recognise_pages(pages, langs, timeout_s)
            except PortUnavailable as error:
                deaths += isinstance(error, PeerDied)
                if deaths >= DEATHS or fair_time() > until or not self._holds():
                    raise
            backoff.pause()
            if self._stop.is_set():
                raise PortUnavailable("recogniser", "stopping")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionParts:
    """Parts of `OcrQueue`. `room`: most documents; `pages_at_once`: of one document; `wake` signals new capacity."""

    port: RecognisePages
    outcomes: OutcomeHandler
    inflight: Inflight
    wake: Callable[[], None]
    room: int
    patience_s: float = PATIENCE_S
    pages_at_once: int = 1


class OcrQueue:
    """`put` only when not `full`. All methods may be called from any thread."""

    def __init__(self, parts: RecognitionParts) -> None:
        self._parts = parts
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._open: dict[DocumentId, Claim] = {}

    def __len__(self) -> int:
        return len(self._open)

    @property
    def full(self) -> bool:
        """Whether the queue holds as many documents as it may."""
        return len(self._open) >= self._parts.room

    def put(self, claim: Claim, waiting: PendingOcr) -> None:
        """Recognise the pages of a document on a new thread."""
        self._parts.inflight.enter(claim, Phase.RECOGNISING)
        with self._lock:
            self._open[claim.document_id] = claim
        threading.Thread(target=self._run, args=(claim, waiting), name="recognition", daemon=True).start()

    def close(self) -> None:
        """Release all documents at once, uncharged; pages still being recognised are dropped later."""
        self._stop.set()
        with self._lock:
            claims = list(self._open.values())
        for claim in claims:
            self._try(claim, lambda claim=claim: self._parts.outcomes.release(claim, scan=True))  # type: ignore[misc]

    def _run(self, claim: Claim, waiting: PendingOcr) -> None:
        try:
            self._try(claim, lambda: self._recognise(claim, waiting))
        finally:
            with self._lock:
                if self._open.get(claim.document_id) is claim:
                    del self._open[claim.document_id]
            self._parts.wake()

    def _recognise(self, claim: Claim, waiting: PendingOcr) -> None:
        inflight = self._parts.inflight
        port = RetryingRecogniser(self._parts.port, self._stop, lambda: inflight.holds(claim), self._parts.patience_s)
        outcome = recognise_document(
            waiting,
            port,
            on_page=lambda number: self._check(claim),
            pages_at_once=self._parts.pages_at_once,
        )
        self._parts.outcomes.handle(claim, outcome, wait=True)

    def _check(self, claim: Claim) -> None:
        """Stop the work between two pages after a lost lease, a cancel or a drain, by raising LostLease."""
        if not self._parts.inflight.holds(claim):
            raise LostLease(claim.document_id)

    def _try(self, claim: Claim, act: Callable[[], None]) -> None:
        """Run an act; if the database is away, this document's lease expires and nothing else is lost."""
        try:
            act()
        except StorageError as error:
            log.warning("recognised document %s: %s", claim.document_id, error.code)

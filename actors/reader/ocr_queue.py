"""Documents of one reader whose pages wait for a recogniser: they keep their leases, but no child and no reading slot.

In come claims with an `PendingOcr`; out go outcomes to the settlement. One thread per document asks page by page, so
that a short scan never waits for a long one. Knows no engine.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from actors.reader.inflight import Beats, Inflight, beat_once
from actors.reader.outcome_handler import Settlement
from actors.reader.retry import Backoff
from actors.reading.pending_ocr import PendingOcr
from actors.reading.recognise_document import recognise_document
from models.cdom.ports import PeerDied, PixelPage, PortUnavailable, RecognisedPage, RecognisePages
from storage.values.errors import LostLease, StorageError
from storage.values.rows import Claim, DocumentId
from storage.values.states import Phase

log = logging.getLogger(__name__)
PAGE_TIMEOUT_S = 300.0
"""Queueing included; a page that really takes so long makes its recogniser unhealthy first."""
PATIENCE_S = 90.0
"""How long one page is asked for again while the recogniser is away: it comes back in 5 to 20 seconds."""
DEATHS = 2  # recognisers that may die over one page before it is the page's fault


class RetryingRecogniser:
    """Implements `RecognisePages`: asks again while the recogniser is away, and once more when it died of the call."""

    def __init__(
        self, port: RecognisePages, stop: threading.Event, holds: Callable[[], bool], patience_s: float
    ) -> None:
        self._port, self._stop, self._holds, self._patience_s = port, stop, holds, patience_s

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Raises `PortUnavailable` when patience or the lease is over, `PeerDied` at the second death."""
        backoff, deaths = Backoff(self._stop.wait), 0
        until = time.monotonic() + self._patience_s
        while True:
            try:
                return self._port.recognise_pages(pages, langs, timeout_s)
            except PortUnavailable as error:
                deaths += isinstance(error, PeerDied)
                if deaths >= DEATHS or time.monotonic() > until or not self._holds():
                    raise
            backoff.pause()
            if self._stop.is_set():
                raise PortUnavailable("recogniser", "stopping")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognitionParts:
    """`room`: documents held at once; `pages_at_once`: of one document; `wake` tells the reading loop of room."""

    port: RecognisePages
    settlement: Settlement
    inflight: Inflight
    beats: Beats
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
        return len(self._open) >= self._parts.room

    def put(self, claim: Claim, waiting: PendingOcr) -> None:
        self._parts.inflight.enter(claim, Phase.RECOGNISING)
        with self._lock:
            self._open[claim.document_id] = claim
        threading.Thread(target=self._run, args=(claim, waiting), name="recognition", daemon=True).start()

    def close(self) -> None:
        """Give everything back, uncharged and at once; what is still being recognised is dropped when it comes."""
        self._stop.set()
        with self._lock:
            claims = list(self._open.values())
        for claim in claims:
            self._try(claim, lambda claim=claim: self._parts.settlement.give_back(claim, scan=True))  # type: ignore[misc]

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
        beat_once(self._parts.beats, inflight.beats, inflight)  # a lapse from here on costs no start
        port = RetryingRecogniser(self._parts.port, self._stop, lambda: inflight.holds(claim), self._parts.patience_s)
        outcome = recognise_document(
            waiting,
            port,
            page_timeout_s=PAGE_TIMEOUT_S,
            on_page=lambda number: self._check(claim),
            pages_at_once=self._parts.pages_at_once,
        )
        self._parts.settlement.settle(claim, outcome)

    def _check(self, claim: Claim) -> None:
        """Called between two pages: a lost lease, a cancel or a drain ends the work."""
        if not self._parts.inflight.holds(claim):
            raise LostLease(claim.document_id)

    def _try(self, claim: Claim, act: Callable[[], None]) -> None:
        """A database that is away costs this document its lease, nothing more."""
        try:
            act()
        except StorageError as error:
            log.warning("recognised document %s: %s", claim.document_id, error.code)

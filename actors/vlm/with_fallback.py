"""Reads pages with a vision-language model first and with the CPU recogniser if it fails: one `RecognisePages`.

A page that fell back says so (`vlm-fallback`). Models that read crops get their regions, and models without boxes
their boxes, from the CPU recogniser's lines. After an engine was away, pages go straight to the CPU for a while.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol

from quire.actors.vlm.models.contract import PageRegion
from quire.actors.vlm.models.grounding import ground
from quire.models.cdom.errors import ExtractError
from quire.models.cdom.ports import (
    FindElements,
    PixelPage,
    PortUnavailable,
    RecognisedPage,
    RecognisePages,
    SeenElement,
)
from quire.models.cdom.tree import BlockType

FALLBACK, UNPLACED = "vlm-fallback", "vlm-unplaced"
LINES_AT_ONCE = 4
"""Pages of one reader at the CPU recogniser at once: it accepts 64 callers of all readers."""
PAUSE_S, MOST_PAUSE_S = 60.0, 300.0
"""Seconds of CPU-only reading after an engine was away, doubled while it still is, so that pages do not wait for it."""
FindRegions = Callable[[PixelPage, RecognisedPage, Sequence[SeenElement]], list[PageRegion]]
"""Returns the crops of a page to read, from the CPU recogniser's lines and further pictures."""
VLM_SHARE, MOST_VLM_S = 0.7, 210.0
"""Share of a page's time that the model may use, and the most seconds; the CPU recogniser has the remaining time."""


class Transcribe(Protocol):
    """A model that reads pages."""

    def transcribe(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage:
        """Return the page as blocks. Raises `PortUnavailable`, `MlUnavailable` or `ExtractError`."""


class VlmFirst:
    """Implements `RecognisePages`; thread-safe.

    Models that read crops need `find_regions`; `detector` finds charts and seals for them.
    """

    def __init__(
        self,
        vlm: Transcribe,
        ocr: RecognisePages,
        *,
        find_regions: FindRegions | None = None,
        detector: FindElements | None = None,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._vlm, self._ocr, self._find_regions, self._pause_s = vlm, ocr, find_regions, pause_s
        self._detector = detector
        self._away_until, self._next_pause_s = 0.0, pause_s
        self._side = ThreadPoolExecutor(LINES_AT_ONCE, thread_name_prefix="vlm-lines")
        self._lock = threading.Lock()

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Return the pages, read by the model or the CPU recogniser; raises what the latter raises."""
        return [self._read(page, langs, timeout_s) for page in pages]

    def _read(self, page: PixelPage, langs: tuple[str, ...], timeout_s: float) -> RecognisedPage:
        if time.monotonic() < self._away_until:
            return _fallen_back(self._lines(page, langs, timeout_s))
        started = time.monotonic()
        regions: list[PageRegion] = []
        if self._find_regions is not None:
            pictures = self._find_pictures(page, timeout_s)
            lines = self._side.submit(self._lines, page, langs, timeout_s).result()
            regions = self._find_regions(page, lines, pictures)
        read = self._ask(page, regions, min(timeout_s * VLM_SHARE, MOST_VLM_S))
        left_s = max(0.1, timeout_s - (time.monotonic() - started))
        if read is None or _is_empty(read):
            seen = lines if self._find_regions is not None else self._lines(page, langs, left_s)
            return seen if read is not None and not seen.words else _fallen_back(seen)
        if read.blocks is None or all(block.bbox is not None for block in read.blocks):
            return read
        return self._with_boxes(read, page, langs, left_s)

    def _with_boxes(
        self, read: RecognisedPage, page: PixelPage, langs: tuple[str, ...], timeout_s: float
    ) -> RecognisedPage:
        """Add boxes to text without them from the CPU recogniser's lines (a turned page has other positions)."""
        try:
            recognised = self._side.submit(self._lines, page, langs, timeout_s).result()
        except Exception:  # no CPU recogniser here, or none free: blocks stay without boxes, and the page says so
            return replace(read, warnings=(*read.warnings, UNPLACED))
        if recognised.rotation or read.blocks is None:
            return read
        return replace(read, blocks=tuple(ground(read.blocks, recognised.words)))

    def _lines(self, page: PixelPage, langs: tuple[str, ...], timeout_s: float) -> RecognisedPage:
        return self._ocr.recognise_pages([page], langs, timeout_s)[0]

    def _find_pictures(self, page: PixelPage, timeout_s: float) -> list[SeenElement]:
        """Return the page's charts and seals; none without a detector that knows them."""
        if self._detector is None:
            return []
        try:
            elements = self._detector.find_elements(page, timeout_s).elements
        except (PortUnavailable, ExtractError):  # the page is read without them
            return []
        return [element for element in elements if element.picture is not None]

    def _ask(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage | None:
        """Return the page as the model read it, or None if it failed: a broken engine must not cost a page."""
        try:
            read = self._vlm.transcribe(page, regions, timeout_s)
        except PortUnavailable:
            self._stay_away()
        except Exception:  # a refused page, a slow one, any error of a model's code: the CPU reads this page
            return None
        else:
            self._next_pause_s = self._pause_s
            return read
        return None

    def _stay_away(self) -> None:
        """Extend the pause once for all pages that failed together."""
        with self._lock:
            now = time.monotonic()
            if now >= self._away_until:
                self._away_until = now + self._next_pause_s
                self._next_pause_s = min(2 * self._next_pause_s, MOST_PAUSE_S)


def _is_empty(page: RecognisedPage) -> bool:
    """Return whether the model saw neither text nor a picture; the CPU recogniser then looks for ink."""
    return not page.words and not any(
        block.text or block.table or block.type is BlockType.PICTURE for block in page.blocks or ()
    )


def _fallen_back(page: RecognisedPage) -> RecognisedPage:
    return replace(page, warnings=(*page.warnings, FALLBACK))

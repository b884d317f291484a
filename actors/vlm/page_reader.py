"""Reads one page with a vision-language model: prompts to the engine, answers to blocks. Runs in a vlm_ocr replica.

Takes pixels, and regions for models that read crops, and returns a `RecognisedPage` with blocks. It raises
`PortUnavailable` (engine away, full, too slow) or `PageRefused` (unusable answer), and the caller falls back.
"""

import threading
import time
from collections.abc import Sequence

from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask, BadAnswer, PageRegion, VlmEngine, VlmModel
from quire.actors.vlm.models.repetition import cut_loop
from quire.models.cdom.errors import ErrorCode, ExtractError, MlUnavailable
from quire.models.cdom.ports import PixelPage, PortUnavailable, RecognisedBlock, RecognisedPage

PORT = "vlm_ocr"
NOT_REPRODUCIBLE = "not-reproducible"
"""Warning on every page that a model read: byte-identical trees are not guaranteed for it."""
TRUNCATED = "vlm-truncated"


class PageRefused(ExtractError):
    """The model's answer for this page cannot be used; `detail` is a stable word, never content."""

    code = ErrorCode.ML_UNAVAILABLE


class VlmReader:
    """Reads pages for up to `max_callers` threads; the engine limits how many run at once."""

    def __init__(
        self, model: VlmModel, engine: VlmEngine, *, page_timeout_s: float = 120.0, max_callers: int = 64
    ) -> None:
        self._model, self._engine, self._page_timeout_s = model, engine, page_timeout_s
        self._places = threading.BoundedSemaphore(max_callers)
        self.fault: str | None = None
        """Reason for which the engine could not be asked last; None since its last answer."""

    def transcribe(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage:
        """Return the page as the model reads it. Raises `PortUnavailable`, `PageRefused`, `Malformed` (bad picture)."""
        if not self._places.acquire(blocking=False):
            raise PortUnavailable(PORT, "full")
        try:
            return self._transcribe(page, regions, min(timeout_s, self._page_timeout_s))
        finally:
            self._places.release()

    def healthy(self) -> bool:
        """Return whether the engine works; if not, it must be created again."""
        return self._engine.healthy()

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()

    def _transcribe(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage:
        started = time.monotonic()
        asks = self._model.ask(page, regions)
        try:
            answers = self._engine.generate(asks, timeout_s - (time.monotonic() - started)) if asks else []
        except MlUnavailable as error:
            self.fault = str(error)
            raise PortUnavailable(PORT, "no model") from error
        except PortUnavailable as error:
            self.fault = error.reason
            raise
        self.fault = None
        blocks, cut = self._read(page, regions, asks, [_trim(answer) for answer in answers])
        return RecognisedPage(
            number=page.number,
            words=(),
            blocks=tuple(blocks),
            warnings=(NOT_REPRODUCIBLE, TRUNCATED) if cut else (NOT_REPRODUCIBLE,),
            engine=self._engine.name,
            model=self._model.name,
            version=self._engine.version,
        )

    def _read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> tuple[list[RecognisedBlock], bool]:
        """Return the blocks, and whether text is missing.

        A whole page that loops or times out is refused, because the missing part is unknown. A page that reached the
        token cap keeps its text and is marked as truncated.
        """
        endings = {answer.ending for answer in answers}
        if not self._model.needs_regions and endings & {AnswerEnd.LOOP, AnswerEnd.TIMEOUT}:
            raise PageRefused("loop" if AnswerEnd.LOOP in endings else "timeout")
        try:
            blocks = self._model.read(page, regions, asks, answers)
        except BadAnswer:
            raise PageRefused("bad answer") from None
        if not self._model.needs_regions and AnswerEnd.LENGTH in endings and not blocks:
            raise PageRefused("cut")
        return blocks, bool(endings - {AnswerEnd.STOP})


def _trim(answer: Answer) -> Answer:
    """Cut a loop that the engine could not see, because it answers in one piece."""
    trimmed = cut_loop(answer.text) if answer.ending is not AnswerEnd.LOOP else answer.text
    return answer if len(trimmed) == len(answer.text) else Answer(text=trimmed, ending=AnswerEnd.LOOP)

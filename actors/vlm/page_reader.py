"""One page through a vision-language model: asks to the engine, guarded answers to blocks. Lives in a vlm_ocr replica.

In come pixels and the regions of models that read crops; out goes a `RecognisedPage` with blocks. Says no with
`PortUnavailable` (engine away, full, too slow) or `PageRefused` (the answer cannot be used): the caller falls back.
"""

import threading
import time
from collections.abc import Sequence

from models.cdom.errors import ErrorCode, ExtractError, MlUnavailable
from models.cdom.ports import PixelPage, PortUnavailable, RecognisedBlock, RecognisedPage
from models.neural.vlm.contract import Answer, AnswerEnd, Ask, BadAnswer, PageRegion, VlmEngine, VlmModel
from models.neural.vlm.repetition import cut_loop

PORT = "vlm_ocr"
NOT_REPRODUCIBLE = "not-reproducible"
"""Warning of every page a model read: it is outside the promise of byte-identical trees."""
TRUNCATED = "vlm-truncated"


class PageRefused(ExtractError):
    """The model's answer for this page cannot be used; `detail` is a stable word, never content."""

    code = ErrorCode.ML_UNAVAILABLE


class VlmReader:
    """Any number of calling threads up to `max_callers`; the engine bounds what runs at once."""

    def __init__(
        self, model: VlmModel, engine: VlmEngine, *, page_timeout_s: float = 120.0, max_callers: int = 64
    ) -> None:
        self._model, self._engine, self._page_timeout_s = model, engine, page_timeout_s
        self._places = threading.BoundedSemaphore(max_callers)

    def transcribe(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage:
        """Raises `PortUnavailable`, `PageRefused`, `Malformed` (the picture does not decode)."""
        if not self._places.acquire(blocking=False):
            raise PortUnavailable(PORT, "full")
        try:
            return self._transcribe(page, regions, min(timeout_s, self._page_timeout_s))
        finally:
            self._places.release()

    def healthy(self) -> bool:
        """False when the engine must be made anew."""
        return self._engine.healthy()

    def close(self) -> None:
        self._engine.close()

    def _transcribe(self, page: PixelPage, regions: Sequence[PageRegion], timeout_s: float) -> RecognisedPage:
        begun = time.monotonic()
        asks = self._model.ask(page, regions)
        try:
            answers = self._engine.generate(asks, timeout_s - (time.monotonic() - begun)) if asks else []
        except MlUnavailable as error:
            raise PortUnavailable(PORT, "no model") from error
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
        """Blocks, and whether something is missing. A whole page that loops or runs out of time is refused: what it
        left out nobody knows; one that reached the token cap keeps what was said and says so."""
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
    """A loop that the engine did not see (it answers in one piece) is found here."""
    trimmed = cut_loop(answer.text) if answer.ending is not AnswerEnd.LOOP else answer.text
    return answer if len(trimmed) == len(answer.text) else Answer(text=trimmed, ending=AnswerEnd.LOOP)

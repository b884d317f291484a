"""A document's waiting pages through a recogniser and back into it: what `quire extract` and the readers do alike.

Comes in: an `Unrecognised` document and a `RecognisePages`. Goes out: its outcome. Knows no queue and no engine.
"""

from collections.abc import Callable, Iterator

from actors.failures import describe_failure
from actors.unrecognised import Unrecognised
from models.cdom.errors import ErrorCode, ExtractError, MlUnavailable
from models.cdom.ports import PeerDied, PixelPage, PortUnavailable, ReadOutcome, RecognisedPage, RecognisePages

PAGE_TIMEOUT_S = 120.0


def recognise_document(
    waiting: Unrecognised,
    recogniser: RecognisePages,
    *,
    page_timeout_s: float = PAGE_TIMEOUT_S,
    on_page: Callable[[int], None] = lambda number: None,
) -> ReadOutcome:
    """Page by page, so that one picture is in memory at a time and other documents get their turn between two pages.

    A page whose picture does not decode is a failed page; a machine that cannot recognise ends the document
    `ml-unavailable`; a recogniser that is away or full is nobody's fault and not charged, one that died of a page is.
    Closes the pixels.
    """
    try:
        return waiting.finish(list(_recognise(waiting, recogniser, page_timeout_s, on_page)))
    except MlUnavailable as error:
        return ReadOutcome(error=error.code, detail=error.detail)
    except PortUnavailable as error:
        return ReadOutcome(error=ErrorCode.WORKER_KILLED, detail=str(error), charged=isinstance(error, PeerDied))
    except Exception as error:
        failure = describe_failure(error)
        return ReadOutcome(error=failure.code, detail=failure.detail)
    finally:
        waiting.pixels.close()


def _recognise(
    waiting: Unrecognised, recogniser: RecognisePages, timeout_s: float, on_page: Callable[[int], None]
) -> Iterator[RecognisedPage]:
    for page in waiting.pixels:
        yield from _recognise_page(page, waiting, recogniser, timeout_s)
        on_page(page.number)


def _recognise_page(
    page: PixelPage, waiting: Unrecognised, recogniser: RecognisePages, timeout_s: float
) -> list[RecognisedPage]:
    """One page, or none when its picture is broken."""
    try:
        return recogniser.recognise_pages([page], waiting.options.ocr_langs, timeout_s)
    except MlUnavailable:
        raise
    except ExtractError:
        return []

"""A document's waiting pages through a recogniser and back into it: what `quire extract` and the readers do alike.

Comes in: an `PendingOcr` document and a `RecognisePages`. Goes out: its outcome. Knows no queue and no engine.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.sandbox.failures import describe_failure
from quire.models.cdom.errors import ErrorCode, ExtractError, MlUnavailable
from quire.models.cdom.ports import PeerDied, PixelPage, PortUnavailable, ReadOutcome, RecognisedPage, RecognisePages


def recognise_document(
    waiting: PendingOcr,
    recogniser: RecognisePages,
    *,
    page_timeout_s: float = math.inf,
    on_page: Callable[[int], None] = lambda number: None,
    pages_at_once: int = 1,
) -> ReadOutcome:
    """Recognise the waiting pages one by one: one picture is in memory, and other documents take turns between pages.

    A page whose picture does not decode, or that takes its recogniser too long, is a failed page. A machine that cannot
    recognise ends the document `ml-unavailable`. An unreachable or full recogniser is not charged to the document; one
    that a page crashed is. Closes the pixels.

    Args:
        waiting: The document with its waiting pages.
        recogniser: Reads the pages.
        page_timeout_s: Seconds that the caller waits for a page; a recogniser has its own limit for a page.
        on_page: Called with the number of each finished page.
        pages_at_once: Pages requested at the same time; above 1 one document keeps a pool of replicas busy.
    """
    try:
        return waiting.finish(list(_recognise(waiting, recogniser, page_timeout_s, on_page, pages_at_once)))
    except MlUnavailable as error:
        return waiting.finish(()) if waiting.can_do_without else ReadOutcome(error=error.code, detail=error.detail)
    except PortUnavailable as error:
        return ReadOutcome(error=ErrorCode.WORKER_KILLED, detail=str(error), charged=isinstance(error, PeerDied))
    except Exception as error:
        failure = describe_failure(error)
        return ReadOutcome(error=failure.code, detail=failure.detail)
    finally:
        waiting.pixels.close()


def _recognise(
    waiting: PendingOcr,
    recogniser: RecognisePages,
    timeout_s: float,
    on_page: Callable[[int], None],
    pages_at_once: int,
) -> Iterator[RecognisedPage]:
    """In page order. Pictures are loaded by this thread only; at most so many are in memory."""
    if pages_at_once == 1:
        for page in waiting.pixels:
            yield from _recognise_page(page, waiting, recogniser, timeout_s)
            on_page(page.number)
        return
    window: deque[tuple[int, Future[list[RecognisedPage]]]] = deque()
    threads = ThreadPoolExecutor(pages_at_once, thread_name_prefix="page")
    try:
        for page in waiting.pixels:
            window.append((page.number, threads.submit(_recognise_page, page, waiting, recogniser, timeout_s)))
            if len(window) >= pages_at_once:
                yield from _take(window, on_page)
        while window:
            yield from _take(window, on_page)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)  # results of pages in progress are not used


def _take(
    window: "deque[tuple[int, Future[list[RecognisedPage]]]]", on_page: Callable[[int], None]
) -> list[RecognisedPage]:
    number, future = window.popleft()
    pages = future.result()
    on_page(number)
    return pages


def _recognise_page(
    page: PixelPage, waiting: PendingOcr, recogniser: RecognisePages, timeout_s: float
) -> list[RecognisedPage]:
    """One page, or none when its picture is broken or takes too long."""
    try:
        return recogniser.recognise_pages([page], waiting.options.ocr_langs, timeout_s)
    except MlUnavailable:
        raise
    except ExtractError:
        return []

"""The long-lived recogniser of a node: takes pages of many documents and returns their words, in the order given.

A page may take `page_limit_s` fair seconds from its turn on; the wait before it has no limit but the caller's patience.
Each page waits in one line for one of a few workers, so a long scan never blocks a short one for more than a page.
Built from values: an engine is made, and loads its models, in the worker that first needs it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import (
    DetectedPage,
    FindElements,
    PixelPage,
    PortUnavailable,
    RecognisedPage,
    RecognisePages,
)
from quire.models.fair_time import fair_time

PORT = "recogniser"
LOOK_S = 1.0  # seconds between two checks of a waiting call
STUCK_FACTOR = 2.0
"""Times the limit of a page after which its engine is stuck: it did not stop at the limit."""
Answer = TypeVar("Answer")


class PageRecogniser(RecognisePages, Protocol):
    """An engine that can load its models before the first page. Used by one thread at a time."""

    def warm_up(self) -> None:
        """Load the models now. Raises `MlUnavailable`."""


class PageDetector(FindElements, Protocol):
    """A layout detector that can load its model before the first page."""

    def warm_up(self) -> None:
        """Load the model now. Raises `MlUnavailable`."""


class Recogniser:
    """Implements `RecognisePages`, and with a detector `FindElements`, for any number of calling threads.

    The answer depends on the page alone. Recognition and detection share one queue.
    """

    def __init__(
        self,
        make_engine: Callable[[], PageRecogniser],
        *,
        workers: int = 1,
        max_callers: int = 64,
        page_limit_s: float = 120.0,
        make_detector: Callable[[], PageDetector] | None = None,
    ) -> None:
        self._make_engine, self._make_detector = make_engine, make_detector
        self._workers, self._page_limit_s = workers, page_limit_s
        self._places = threading.BoundedSemaphore(max_callers)
        self._engines = threading.local()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=PORT)
        self._started: dict[int, float] = {}

    def warm_up(self) -> None:
        """Load the models of every worker now. Raises `MlUnavailable`."""
        together = threading.Barrier(self._workers)
        for future in [self._pool.submit(self._warm_engine, together) for _ in range(self._workers)]:
            future.result()

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Return the recognised pages, in the order given. Also raises what the engine raises.

        Raises:
            PortUnavailable: Too many callers wait, or `timeout_s` seconds passed.
            PageTooSlow: A page needs more time than a page may.
        """
        deadline = time.monotonic() + timeout_s
        with self._place():
            return list(self._in_order(iter(pages), langs, deadline))

    def find_elements(self, page: PixelPage, timeout_s: float) -> DetectedPage:
        """Return the elements of a page. Also raises what the detector raises.

        Raises:
            MlUnavailable: The recogniser has no detector.
            PortUnavailable: Too many callers wait, or `timeout_s` seconds passed.
            PageTooSlow: The page needs more time than a page may.
        """
        deadline = time.monotonic() + timeout_s
        with self._place():
            return self._wait(self._pool.submit(self._look, page), deadline)

    def healthy(self) -> bool:
        """Return False while a page takes a worker longer than any page should: then replace this process."""
        return not self._is_stuck()

    def close(self) -> None:
        """Refuse new pages and drop those that wait; a page being read is finished."""
        self._pool.shutdown(wait=not self._is_stuck(), cancel_futures=True)

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise PortUnavailable(PORT, "full")
        try:
            yield
        finally:
            self._places.release()

    def _in_order(
        self, pages: Iterator[PixelPage], langs: tuple[str, ...], deadline: float
    ) -> Iterator[RecognisedPage]:
        """Submit as many pages as there are workers: the next one is submitted when the oldest is done."""
        window: deque[Future[RecognisedPage]] = deque()
        try:
            for page in pages:
                window.append(self._pool.submit(self._recognise, page, langs))
                if len(window) >= self._workers:
                    yield self._wait(window.popleft(), deadline)
            while window:
                yield self._wait(window.popleft(), deadline)
        finally:
            for future in window:
                future.cancel()

    def _recognise(self, page: PixelPage, langs: tuple[str, ...]) -> RecognisedPage:
        with self._at_work():
            return self._engine().recognise_pages([page], langs, self._page_limit_s)[0]

    def _look(self, page: PixelPage) -> DetectedPage:
        with self._at_work():
            return self._detector().find_elements(page, self._page_limit_s)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Watch the worker's health for the block."""
        worker = threading.get_ident()
        self._started[worker] = fair_time()
        try:
            yield
        finally:
            del self._started[worker]

    def _is_stuck(self) -> bool:
        """Return whether an engine did not stop at its own limit."""
        now = fair_time()
        return any(now - started > STUCK_FACTOR * self._page_limit_s for started in list(self._started.values()))

    def _wait(self, future: Future[Answer], deadline: float) -> Answer:
        """Return the answer. Raises `PortUnavailable` after the deadline, or when the engine is stuck."""
        while True:
            try:
                return future.result(max(0.0, min(LOOK_S, deadline - time.monotonic())))
            except TimeoutError as error:
                if time.monotonic() > deadline or self._is_stuck():
                    future.cancel()
                    raise PortUnavailable(PORT, "too slow") from error

    def _warm_engine(self, together: threading.Barrier) -> None:
        together.wait()
        self._engine().warm_up()

    def _engine(self) -> PageRecogniser:
        if not hasattr(self._engines, "own"):
            self._engines.own = self._make_engine()
        engine: PageRecogniser = self._engines.own
        return engine

    def _detector(self) -> PageDetector:
        if self._make_detector is None:
            raise MlUnavailable("no layout detector")
        if not hasattr(self._engines, "detector"):
            self._engines.detector = self._make_detector()
        detector: PageDetector = self._engines.detector
        return detector

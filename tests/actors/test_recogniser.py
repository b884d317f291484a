import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from quire.actors.recogniser import PageRecogniser, Recogniser
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PixelPage, PortUnavailable, RecognisedPage
from quire.models.neural.fakes import ScriptedRecogniser
from tests.waiting import PATIENCE_S


def pages(*numbers: int) -> list[PixelPage]:
    return [PixelPage(number=number, image=b"", width=200, height=100) for number in numbers]


class HeldRecogniser(ScriptedRecogniser):
    """Reads a page only when let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun = threading.Semaphore(0), threading.Semaphore(0)

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        self.begun.release()
        assert self.go.acquire(timeout=PATIENCE_S)
        return super().recognise_pages(pages, langs, timeout_s)


@contextmanager
def opened(engine: PageRecogniser, **values: float) -> Iterator[Recogniser]:
    recogniser = Recogniser(lambda: engine, **values)  # type: ignore[arg-type]
    try:
        yield recogniser
    finally:
        if isinstance(engine, HeldRecogniser):
            engine.go.release(100)
        recogniser.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_pages_come_back_in_the_order_given(workers: int) -> None:
    with opened(ScriptedRecogniser(), workers=workers) as recogniser:
        found = recogniser.recognise_pages(pages(*range(9, 0, -1)), ("en",), 30.0)
    assert [page.number for page in found] == list(range(9, 0, -1))


def test_the_engine_is_made_by_the_first_page_and_kept() -> None:
    made: list[ScriptedRecogniser] = []

    def make() -> ScriptedRecogniser:
        made.append(ScriptedRecogniser())
        return made[-1]

    recogniser = Recogniser(make)
    assert made == []
    recogniser.recognise_pages(pages(1), ("en",), 30.0)
    recogniser.recognise_pages(pages(2), ("en",), 30.0)
    recogniser.close()
    assert [engine.seen for engine in made] == [[1, 2]]


def test_warm_up_loads_every_worker_and_reports_missing_models() -> None:
    made: list[ScriptedRecogniser] = []

    def make() -> ScriptedRecogniser:
        made.append(ScriptedRecogniser(failure=MlUnavailable("no avx2") if len(made) == 1 else None))
        return made[-1]

    recogniser = Recogniser(make, workers=2)
    with pytest.raises(MlUnavailable):
        recogniser.warm_up()
    recogniser.close()
    assert len(made) == 2


def test_a_short_document_is_not_held_up_by_a_long_one() -> None:
    engine = HeldRecogniser()
    with opened(engine) as recogniser:
        long = threading.Thread(target=recogniser.recognise_pages, args=(pages(*range(1, 6)), ("en",), 30.0))
        long.start()
        assert engine.begun.acquire(timeout=PATIENCE_S)
        short = threading.Thread(target=recogniser.recognise_pages, args=(pages(100), ("en",), 30.0))
        short.start()
        while recogniser._pool._work_queue.qsize() < 1:
            pass
        engine.go.release(2)
        short.join(PATIENCE_S)
        assert engine.seen[:3] == [1, 100] or engine.seen[:3] == [1, 100, 2]
        engine.go.release(100)
        long.join(PATIENCE_S)


def test_more_callers_than_places_are_turned_away_at_once() -> None:
    engine = HeldRecogniser()
    with opened(engine, max_callers=1) as recogniser:
        first = threading.Thread(target=recogniser.recognise_pages, args=(pages(1), ("en",), 30.0))
        first.start()
        assert engine.begun.acquire(timeout=PATIENCE_S)
        with pytest.raises(PortUnavailable, match="full"):
            recogniser.recognise_pages(pages(2), ("en",), 30.0)
        engine.go.release()
        first.join(PATIENCE_S)
        engine.go.release()
        assert len(recogniser.recognise_pages(pages(3), ("en",), 30.0)) == 1


def test_caller_past_its_timeout_gets_unavailable_and_frees_its_place() -> None:
    engine = HeldRecogniser()
    with opened(engine, max_callers=1) as recogniser:
        with pytest.raises(PortUnavailable, match="too slow"):
            recogniser.recognise_pages(pages(1), ("en",), 0.05)
        engine.go.release(2)
        assert [page.number for page in recogniser.recognise_pages(pages(2), ("en",), 30.0)] == [2]


def test_a_page_that_never_ends_makes_the_recogniser_unhealthy() -> None:
    engine = HeldRecogniser()
    with opened(engine, page_limit_s=0.0) as recogniser:
        assert recogniser.healthy()
        stuck = threading.Thread(target=recogniser.recognise_pages, args=(pages(1), ("en",), 30.0))
        stuck.start()
        assert engine.begun.acquire(timeout=PATIENCE_S)
        assert not recogniser.healthy()
        engine.go.release()
        stuck.join(PATIENCE_S)
        assert recogniser.healthy()


def test_engine_error_reaches_the_caller() -> None:
    with (
        opened(ScriptedRecogniser(failure=MlUnavailable("no avx2"))) as recogniser,
        pytest.raises(MlUnavailable, match="no avx2"),
    ):
        recogniser.recognise_pages(pages(1, 2), ("en",), 30.0)

"""The reading loop with fakes: what becomes of a document, and what a stop leaves behind."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.ports import ReadOutcome
from quire.storage.values.errors import LostLease, QuotaExceeded
from quire.storage.values.rows import DocumentId, Failed, Finished, Succeeded
from quire.storage.values.states import Phase
from tests.actors.reading_scene import Scene, finished_by, good, make_claim
from tests.waiting import PATIENCE_S, until


def test_a_document_that_was_read_is_published_with_its_tree_and_pictures() -> None:
    with Scene(make_claim(), answer=good(3)).running() as scene:
        assert until(lambda: scene.store.finished)
        assert len(scene.inflight) == 0
    row = scene.store.finished[0]
    assert isinstance(row, Succeeded)
    assert (row.format, row.pages, row.route_counts, row.confidence) == ("pdf", 3, {"fast": 3}, 1.0)
    assert set(row.manifest) == set(scene.store.artifacts["doc_1"]) == {"tree.json", "assets/p1.png"}


def test_a_deterministic_error_ends_the_document_at_once() -> None:
    row = finished_by(make_claim(), answer=ReadOutcome(error=ErrorCode.MALFORMED, detail="the file is broken"))
    assert isinstance(row, Failed)
    assert (row.error, row.detail) == ("malformed", "the file is broken")


def test_an_infrastructure_error_is_retried_with_its_code() -> None:
    with Scene(make_claim(), answer=ReadOutcome(error=ErrorCode.WORKER_KILLED)).running() as scene:
        assert until(lambda: scene.queue.retried)
    assert scene.queue.retried[0][1] == "worker-killed"
    assert scene.store.finished == []


def test_a_reading_that_never_began_is_given_back_for_free() -> None:
    with Scene(make_claim(), answer=ReadOutcome(error=ErrorCode.WORKER_KILLED, charged=False)).running() as scene:
        assert until(lambda: scene.queue.released)
    assert scene.queue.retried == []


def test_a_document_out_of_starts_fails_unread_as_worker_killed() -> None:
    with Scene(make_claim(exhausted=True)).running() as scene:
        assert until(lambda: scene.store.finished)
    assert isinstance(scene.store.finished[0], Failed)
    assert scene.store.finished[0].error == "worker-killed"
    assert scene.parser.reads == 0


def test_a_missing_original_fails_the_document() -> None:
    scene = Scene(make_claim())
    scene.store.missing = True
    with scene.running():
        assert until(lambda: scene.store.finished)
    assert getattr(scene.store.finished[0], "error", None) == "original-missing"


def test_an_exception_out_of_reading_costs_one_document_and_not_the_loop() -> None:
    answers: list[Any] = [ValueError("secret text of the document"), good()]
    with Scene(make_claim("a"), make_claim("b"), answer=lambda _: answers.pop(0)).running() as scene:
        assert until(lambda: scene.store.finished)
        assert scene.reader.healthy()
    assert scene.queue.retried == [(make_claim("a"), "internal")]
    assert scene.store.finished[0].claim.document_id == "b"


def test_more_pages_than_reserved_are_reserved_when_they_are_counted() -> None:
    def read(on_page: Callable[[int, int], None]) -> ReadOutcome:
        on_page(0, 7)
        on_page(7, 7)
        return good(7)

    with Scene(make_claim(), answer=read).running() as scene:
        assert until(lambda: scene.store.finished)
    assert scene.reserved == [("doc_1", 7)]


def test_a_quota_that_does_not_cover_the_counted_pages_ends_the_document() -> None:
    def read(on_page: Callable[[int, int], None]) -> ReadOutcome:
        on_page(0, 7)
        return good(7)

    scene = Scene(make_claim(), answer=read)
    scene.reserve_error = QuotaExceeded()
    with scene.running():
        assert until(lambda: scene.store.finished)
    assert getattr(scene.store.finished[0], "error", None) == "page-quota"


def test_a_lost_lease_stops_the_reading_and_writes_nothing() -> None:
    stopped = threading.Event()

    def read(on_page: Callable[[int, int], None]) -> ReadOutcome:
        try:
            while True:
                on_page(1, 9)
                time.sleep(0.005)
        except LostLease:
            stopped.set()
            raise

    scene = Scene(make_claim(), answer=read)
    scene.queue.lost = frozenset({DocumentId("doc_1")})
    with scene.running():
        assert stopped.wait(PATIENCE_S)
    assert (scene.store.finished, scene.queue.released, scene.queue.retried) == ([], [], [])


def test_heartbeats_carry_phase_and_pages() -> None:
    go = threading.Event()

    def read(on_page: Callable[[int, int], None]) -> ReadOutcome:
        on_page(2, 9)
        go.wait(PATIENCE_S)
        return good()

    with Scene(make_claim(), answer=read).running() as scene:
        assert until(lambda: any(beat.pages_done == 2 for beats in scene.queue.beats for beat in beats))
        beat = next(beat for beats in scene.queue.beats for beat in beats if beat.pages_done == 2)
        assert (beat.phase, beat.pages_total) == (Phase.READING, 9)
        go.set()
        assert until(lambda: scene.store.finished)


def test_publishing_never_idles_reading() -> None:
    scene = Scene(*(make_claim(f"d{number}") for number in range(4)))
    gate, finish = threading.Event(), scene.store.finish

    def slow(finished: Sequence[Finished]) -> list[bool]:
        gate.wait(PATIENCE_S)
        return finish(finished)

    scene.reader._parts.publisher._finish = slow  # type: ignore[attr-defined]
    with scene.running():
        assert until(lambda: scene.parser.reads == 4)
        assert scene.store.finished == []
        gate.set()
        assert until(lambda: len(scene.store.finished) == 4)


def test_a_database_away_while_publishing_is_waited_for() -> None:
    scene = Scene(make_claim())
    scene.store.fail_times = 2
    with scene.running():
        assert until(lambda: scene.store.finished)


def test_a_document_that_cannot_be_published_does_not_hold_up_the_others() -> None:
    scene = Scene(make_claim("bad"), make_claim("good"))
    finish = scene.store.finish

    def picky(finished: Sequence[Finished]) -> list[bool]:
        if any(row.claim.document_id == "bad" for row in finished):
            raise ValueError("a row no table takes")
        return finish(finished)

    scene.reader._parts.publisher._finish = picky  # type: ignore[attr-defined]
    with scene.running():
        assert until(lambda: scene.store.finished and scene.queue.retried)
        assert scene.reader.healthy()
    assert scene.queue.retried == [(make_claim("bad"), "internal")]
    assert [row.claim.document_id for row in scene.store.finished] == ["good"]


def test_heartbeat_reports_no_loss_for_document_just_ended(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene(make_claim())
    finish = scene.store.finish

    def committed_but_not_yet_answered(finished: Sequence[Finished]) -> list[bool]:
        scene.queue.lost = frozenset(row.claim.document_id for row in finished)  # their tasks are gone
        heard = len(scene.queue.beats)
        assert until(lambda: len(scene.queue.beats) > heard + 1)
        return finish(finished)

    scene.reader._parts.publisher._finish = committed_but_not_yet_answered  # type: ignore[attr-defined]
    with scene.running():
        assert until(lambda: scene.store.finished and len(scene.inflight) == 0)
    assert "lease lost" not in caplog.text


def test_refusal_of_the_fence_ends_the_attempt() -> None:
    scene = Scene(make_claim())
    scene.store.refuse = True
    with scene.running():
        assert until(lambda: scene.parser.reads == 1 and len(scene.inflight) == 0)
    assert scene.store.finished == []


def test_a_database_that_comes_back_finds_the_loop_alive() -> None:
    scene = Scene(make_claim())
    scene.queue.down.set()
    with scene.running():
        time.sleep(0.05)
        assert scene.reader.healthy()
        scene.queue.down.clear()
        assert until(lambda: scene.store.finished)


def test_a_drain_finishes_the_document_at_hand_and_claims_no_other() -> None:
    begun, go = threading.Event(), threading.Event()

    def read(_: object) -> ReadOutcome:
        begun.set()
        go.wait(PATIENCE_S)
        return good()

    scene = Scene(make_claim("a"), make_claim("b"), answer=read)
    scene.reader.start()
    assert begun.wait(PATIENCE_S)
    threading.Timer(0.05, go.set).start()
    assert scene.reader.drain(PATIENCE_S)
    assert [row.claim.document_id for row in scene.store.finished] == ["a"]
    assert [claim.document_id for claim in scene.queue.claims] == ["b"]
    assert scene.parser.closed


def test_a_drain_that_runs_out_of_time_gives_the_document_back_uncharged() -> None:
    begun, go = threading.Event(), threading.Event()

    def read(_: object) -> ReadOutcome:
        begun.set()
        go.wait(PATIENCE_S)
        return good()

    scene = Scene(make_claim(), answer=read)
    scene.reader.start()
    assert begun.wait(PATIENCE_S)
    assert not scene.reader.drain(0.05)
    go.set()
    assert [claim.document_id for claim in scene.queue.released] == ["doc_1"]
    assert until(lambda: not scene.reader._thread.is_alive())
    assert scene.store.finished == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_loop_that_ended_is_not_healthy() -> None:
    scene = Scene()
    scene.reader._parts.wake_signal.wait = lambda: (_ for _ in ()).throw(SystemExit)  # type: ignore[method-assign]
    with scene.running():
        assert until(lambda: not scene.reader._thread.is_alive())
        assert not scene.reader.healthy()


def test_a_sandbox_that_never_works_makes_the_reader_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = ReadOutcome(error=ErrorCode.WORKER_KILLED, charged=False)
    scene = Scene(*(make_claim(f"d{number}") for number in range(20)), answer=outcome)
    monkeypatch.setattr(scene.reader._sandbox_faults, "_wait", lambda _: True)
    with scene.running():
        assert until(lambda: not scene.reader.healthy())

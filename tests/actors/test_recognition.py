"""Scans and born-digital documents in one reader: order, overtaking, and the cost of a lost recogniser."""

import threading
from typing import Any

from quire.actors.reading.page_spool import PixelStore
from quire.actors.reading.pending_ocr import PendingOcr
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.ports import PeerDied, PixelPage, PortUnavailable, RecognisedPage
from quire.models.cdom.tree import Route, Source, load_tree
from quire.models.extract.contract import DocumentFacts, PageContent
from quire.models.neural.fakes import ScriptedRecogniser
from quire.storage.values.rows import DocumentId, Failed, Succeeded
from quire.storage.values.states import Phase
from tests.actors.reading_scene import Scene, good, make_claim
from tests.waiting import PATIENCE_S, until


def scan(pages: int = 1) -> PendingOcr:
    """Return the result of reading a scan with this many pages."""
    store = PixelStore()
    for number in range(1, pages + 1):
        store.put(PixelPage(number=number, image=b"png", width=600, height=800))
    return PendingOcr(
        facts=DocumentFacts(format=Format.PDF, page_count=pages, page_numbers=tuple(range(1, pages + 1))),
        contents=tuple(
            PageContent(number=number, width=600, height=800, route=Route.OCR, reason="no-text")
            for number in range(1, pages + 1)
        ),
        pixels=store,
        assets={},
        source=Source(format="pdf", sha256="ab", bytes=3),
        options=ReadOptions(),
    )


def by_name(answers: dict[str, Any]) -> Any:
    """Answers in the order in which documents are read."""
    left = list(answers.values())
    return lambda _: left.pop(0)


class Gate(ScriptedRecogniser):
    """Answers once the gate is open; raises `faults` first, one per call."""

    def __init__(self, *faults: Exception, shut: bool = False) -> None:
        super().__init__()
        self.open, self.asked, self.faults = threading.Event(), threading.Event(), list(faults)
        if not shut:
            self.open.set()

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        self.asked.set()
        assert self.open.wait(PATIENCE_S)
        if self.faults:
            raise self.faults.pop(0)
        return super().recognise_pages(pages, langs, timeout_s)


def test_a_scan_is_recognised_and_published_with_its_route() -> None:
    with Scene(make_claim(), answer=lambda _: scan(2)).running() as scene:
        assert until(lambda: scene.store.finished)
    row = scene.store.finished[0]
    assert isinstance(row, Succeeded)
    assert (row.pages, row.route_counts) == (2, {"ocr": 2})
    tree = load_tree(scene.store.artifacts["doc_1"]["tree.json"])
    assert [(block.text, block.provenance.engine) for block in tree.blocks] == [
        ("Page 1", "scripted"),
        ("Page 2", "scripted"),
    ]
    assert [(page.route, page.reason) for page in tree.pages] == [(Route.OCR, "no-text")] * 2


def test_born_digital_documents_overtake_scans_that_wait() -> None:
    gate = Gate(shut=True)
    answer = by_name({"s1": scan(9), "s2": scan(9), "d1": good(), "d2": good()})
    claims = [make_claim(name) for name in ("s1", "s2", "d1", "d2")]
    with Scene(*claims, answer=answer, recogniser=gate).running() as scene:
        assert until(lambda: len(scene.store.finished) == 2)
        assert {row.claim.document_id for row in scene.store.finished} == {"d1", "d2"}
        gate.open.set()
        assert until(lambda: len(scene.store.finished) == 4)


def test_full_queue_returns_a_scan_uncharged_and_reading_continues() -> None:
    gate = Gate(shut=True)
    answer = by_name({"s1": scan(), "s2": scan(), "d1": good(), "s2 again": scan()})
    claims = [make_claim(name) for name in ("s1", "s2", "d1")]
    with Scene(*claims, answer=answer, recogniser=gate, room=1).running() as scene:
        assert until(lambda: scene.store.finished)
        assert scene.store.finished[0].claim.document_id == "d1"
        assert [claim.document_id for claim in scene.queue.released] == ["s2"]
        gate.open.set()
        assert until(lambda: len(scene.store.finished) == 3)
    assert scene.parser.reads == 4


def test_a_picture_is_sent_back_unread_while_the_line_is_full() -> None:
    gate = Gate(shut=True)
    answer = by_name({"s1": scan(), "s2": scan()})
    scene = Scene(make_claim("s1"), make_claim("s2"), answer=answer, recogniser=gate, room=1)
    scene.store.original = b"\x89PNG\r\n\x1a\n" + bytes(40)
    with scene.running():
        assert until(lambda: scene.queue.released)
        assert scene.parser.reads == 1
        gate.open.set()
        assert until(lambda: len(scene.store.finished) == 2)
    assert scene.parser.reads == 2


def test_while_recognising_the_lease_is_kept_and_says_so() -> None:
    gate = Gate(shut=True)
    with Scene(make_claim(), answer=lambda _: scan(), recogniser=gate).running() as scene:
        assert gate.asked.wait(PATIENCE_S)
        assert until(lambda: any(beat.phase is Phase.RECOGNISING for beats in scene.queue.beats for beat in beats))
        told = len(scene.queue.beats)
        assert until(lambda: len(scene.queue.beats) > told + 2)
        gate.open.set()
        assert until(lambda: scene.store.finished)


def test_a_lease_lost_while_recognising_writes_nothing() -> None:
    gate = Gate(shut=True)
    with Scene(make_claim(), answer=lambda _: scan(3), recogniser=gate).running() as scene:
        assert gate.asked.wait(PATIENCE_S)
        scene.queue.lost = frozenset({DocumentId("doc_1")})
        assert until(lambda: len(scene.inflight) == 0)
        gate.open.set()
        assert until(lambda: len(scene.line) == 0)
        assert len(gate.seen) <= 1
    assert (scene.store.finished, scene.queue.released, scene.queue.retried) == ([], [], [])


def test_a_recogniser_that_comes_back_is_asked_again() -> None:
    gate = Gate(PortUnavailable("recogniser"), PeerDied("recogniser"))
    with Scene(make_claim(), answer=lambda _: scan(), recogniser=gate).running() as scene:
        assert until(lambda: scene.store.finished)
    assert isinstance(scene.store.finished[0], Succeeded)


def test_a_page_that_kills_its_recogniser_twice_costs_a_start() -> None:
    gate = Gate(PeerDied("recogniser"), PeerDied("recogniser"))
    with Scene(make_claim(), answer=lambda _: scan(), recogniser=gate).running() as scene:
        assert until(lambda: scene.queue.retried)
    assert scene.queue.retried == [(make_claim(), "worker-killed")]


def test_a_recogniser_that_stays_away_costs_nothing() -> None:
    away = ScriptedRecogniser(failure=PortUnavailable("recogniser"))
    with Scene(make_claim(), answer=lambda _: scan(), recogniser=away, patience_s=0).running() as scene:
        assert until(lambda: scene.queue.released)
        assert scene.reader.healthy()
    assert scene.queue.retried == []


def test_a_machine_that_cannot_recognise_ends_scans_only() -> None:
    answer = by_name({"s": scan(), "d": good()})
    blind = ScriptedRecogniser(failure=MlUnavailable("this processor lacks avx2"))
    with Scene(make_claim("s"), make_claim("d"), answer=answer, recogniser=blind).running() as scene:
        assert until(lambda: len(scene.store.finished) == 2)
    rows = {row.claim.document_id: row for row in scene.store.finished}
    assert isinstance(rows[DocumentId("d")], Succeeded)
    failed = rows[DocumentId("s")]
    assert isinstance(failed, Failed)
    assert (failed.error, failed.detail) == ("ml-unavailable", "this processor lacks avx2")


def test_drain_releases_documents_waiting_for_recogniser() -> None:
    gate = Gate(shut=True)
    scene = Scene(make_claim(), answer=lambda _: scan(5), recogniser=gate)
    scene.reader.start()
    assert gate.asked.wait(PATIENCE_S)
    scene.reader.drain(PATIENCE_S)
    assert [claim.document_id for claim in scene.queue.released] == ["doc_1"]
    assert scene.queue.scans == {"doc_1"}
    gate.open.set()
    assert until(lambda: len(scene.line) == 0)
    assert (scene.store.finished, scene.queue.retried) == ([], [])

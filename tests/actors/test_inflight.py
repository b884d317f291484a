"""What a reader holds, and what it makes of a heartbeat's answer."""

from dataclasses import replace

from actors.reader.inflight import Inflight, beat_once
from storage.values.rows import DocumentId
from storage.values.states import Phase
from tests.actors.reading_scene import FakeQueue, make_claim

LOST = frozenset({DocumentId("doc_1")})


def test_a_document_that_was_read_when_its_lease_lapsed_is_acquitted_once() -> None:
    queue, inflight, claim = FakeQueue(), Inflight(), make_claim("doc_1")
    inflight.add(claim)
    queue.lost = LOST
    assert beat_once(queue, inflight.beats, inflight)
    assert beat_once(queue, inflight.beats, inflight)
    assert queue.acquitted == [claim]
    assert not inflight.holds(claim)


def test_what_the_database_never_heard_to_be_read_was_not_charged() -> None:
    queue, inflight, claim = FakeQueue(), Inflight(), make_claim("doc_1", grouped=True)
    inflight.add(claim)
    inflight.enter(claim, Phase.READING)
    queue.lost = LOST
    assert beat_once(queue, inflight.beats, inflight)
    assert queue.acquitted == []


def test_what_the_database_heard_to_be_read_was_charged() -> None:
    queue, inflight, claim = FakeQueue(), Inflight(), make_claim("doc_1", grouped=True)
    inflight.add(claim)
    inflight.enter(claim, Phase.READING)
    assert beat_once(queue, inflight.beats, inflight)
    inflight.enter(claim, Phase.PUBLISHING)  # the lapse came before anybody heard of this
    queue.lost = LOST
    assert beat_once(queue, inflight.beats, inflight)
    assert queue.acquitted == [claim]


def test_a_document_that_waited_was_not_charged() -> None:
    queue, inflight, claim = FakeQueue(), Inflight(), make_claim("doc_1")
    inflight.add(claim)
    inflight.enter(claim, Phase.PUBLISHING)
    assert beat_once(queue, inflight.beats, inflight)
    queue.lost = LOST
    assert beat_once(queue, inflight.beats, inflight)
    assert queue.acquitted == []


def test_an_exhausted_claim_was_not_charged() -> None:
    queue, inflight, claim = FakeQueue(), Inflight(), make_claim("doc_1", exhausted=True)
    inflight.add(claim)
    queue.lost = LOST
    assert beat_once(queue, inflight.beats, inflight)
    assert queue.acquitted == []


def test_an_answer_about_an_earlier_attempt_touches_nothing() -> None:
    inflight, claim = Inflight(), make_claim("doc_1")
    inflight.add(claim)
    told = inflight.beats()
    inflight.remove(claim)
    later = replace(make_claim("doc_1"), attempt=2)
    inflight.add(later)
    assert inflight.hear(LOST, told) == []
    assert inflight.holds(later)

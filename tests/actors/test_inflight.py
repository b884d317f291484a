"""Documents a reader holds, and its response to heartbeat replies."""

from dataclasses import dataclass, field, replace

import pytest

from actors.reader.inflight import Inflight, beat_once
from storage.values.rows import Claim, DocumentId
from storage.values.states import Phase
from tests.actors.reading_scene import FakeQueue, make_claim

LOST = frozenset({DocumentId("doc_1")})


@dataclass
class Holding:
    """A reader that holds one claim."""

    claim: Claim
    queue: FakeQueue = field(default_factory=FakeQueue)
    inflight: Inflight = field(default_factory=Inflight)

    def __post_init__(self) -> None:
        self.inflight.add(self.claim)

    def enter(self, phase: Phase) -> None:
        self.inflight.enter(self.claim, phase)

    def apply_reply(self, lost: frozenset[DocumentId] = frozenset()) -> list[Claim]:
        """One heartbeat that is answered so; who was acquitted until now."""
        self.queue.lost = lost
        assert beat_once(self.queue, self.inflight.beats, self.inflight)
        return self.queue.acquitted


def test_document_read_before_its_lease_expired_is_refunded_once() -> None:
    reader = Holding(make_claim("doc_1"))
    assert reader.apply_reply(LOST) == [reader.claim]
    assert reader.apply_reply(LOST) == [reader.claim]
    assert not reader.inflight.holds(reader.claim)


def test_expired_lease_is_not_charged_when_reading_was_never_reported() -> None:
    reader = Holding(make_claim("doc_1", grouped=True))
    reader.enter(Phase.READING)
    assert reader.apply_reply(LOST) == []


def test_expired_lease_is_charged_when_reading_was_reported() -> None:
    reader = Holding(make_claim("doc_1", grouped=True))
    reader.enter(Phase.READING)
    reader.apply_reply()
    reader.enter(Phase.PUBLISHING)  # the lapse came before anybody heard of this
    assert reader.apply_reply(LOST) == [reader.claim]


def test_a_document_that_waited_was_not_charged() -> None:
    reader = Holding(make_claim("doc_1"))
    reader.enter(Phase.PUBLISHING)
    reader.apply_reply()
    assert reader.apply_reply(LOST) == []


def test_an_exhausted_claim_was_not_charged() -> None:
    assert Holding(make_claim("doc_1", exhausted=True)).apply_reply(LOST) == []


def test_an_answer_about_an_earlier_attempt_touches_nothing() -> None:
    reader = Holding(make_claim("doc_1"))
    sent = reader.inflight.beats()
    reader.inflight.remove(reader.claim)
    later = replace(reader.claim, attempt=2)
    reader.inflight.add(later)
    assert reader.inflight.apply_reply(LOST, sent) == []
    assert reader.inflight.holds(later)


def test_a_heartbeat_that_meets_the_end_of_a_document_has_found_no_loss(caplog: pytest.LogCaptureFixture) -> None:
    reader = Holding(make_claim("doc_1"))
    with reader.inflight.ending([reader.claim]):
        assert reader.apply_reply(LOST) == []
        assert reader.inflight.holds(reader.claim)
    assert "lease lost" not in caplog.text
    assert reader.apply_reply(LOST) == [reader.claim]  # the end did not come to pass: now it is one
    assert "lease lost" in caplog.text


def test_lost_lease_uses_phase_acknowledged_while_ending() -> None:
    reader = Holding(make_claim("doc_1"))
    reader.enter(Phase.PUBLISHING)
    with reader.inflight.ending([reader.claim]):
        reader.apply_reply()
    assert reader.apply_reply(LOST) == []  # it lapsed while it waited to be published: no start was charged

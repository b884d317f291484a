"""Documents a reader holds, and its response to heartbeat replies."""

from dataclasses import dataclass, field, replace

import pytest

from quire.actors.reader.inflight import Inflight, beat_once
from quire.storage.values.rows import Claim, DocumentId
from quire.storage.values.states import Phase
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

    def apply_reply(self, lost: frozenset[DocumentId] = frozenset()) -> bool:
        """One heartbeat that is answered so; whether the claim is held then."""
        self.queue.lost = lost
        assert beat_once(self.queue, self.inflight.beats, self.inflight)
        return self.inflight.holds(self.claim)


@pytest.mark.parametrize("phase", list(Phase))
def test_document_with_a_lost_lease_is_dropped(phase: Phase) -> None:
    reader = Holding(make_claim("doc_1", grouped=True))
    reader.enter(phase)
    assert reader.apply_reply()
    assert not reader.apply_reply(LOST)
    assert reader.queue.forgiven == ([] if phase is Phase.CLAIMED else [reader.claim])


def test_an_answer_about_an_earlier_attempt_touches_nothing() -> None:
    reader = Holding(make_claim("doc_1"))
    sent = reader.inflight.beats()
    reader.inflight.remove(reader.claim)
    later = replace(reader.claim, attempt=2)
    reader.inflight.add(later)
    reader.inflight.apply_reply(LOST, sent)
    assert reader.inflight.holds(later)


def test_a_heartbeat_that_meets_the_end_of_a_document_has_found_no_loss(caplog: pytest.LogCaptureFixture) -> None:
    reader = Holding(make_claim("doc_1"))
    with reader.inflight.ending([reader.claim]):
        assert reader.apply_reply(LOST)
    assert "lease lost" not in caplog.text
    assert not reader.apply_reply(LOST)  # the end did not come to pass: now it is one
    assert "lease lost" in caplog.text

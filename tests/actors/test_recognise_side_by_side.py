"""Pages of one document asked for side by side: in order, bounded, and one failure ends it soon."""

import io
import threading
from collections.abc import Iterator

import pytest

from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.actors.reading.recognise_document import recognise_document
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PixelPage, PortUnavailable, RecognisedPage
from quire.models.neural.fakes import ScriptedRecogniser
from tests.models.extract.formats.image.pictures import frames
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits())
    yield reader
    reader.close()


def read(reader: DocumentReader, pages: int) -> PendingOcr:
    waiting = reader.read_until_pixels(io.BytesIO(frames(pages)), ReadOptions())
    assert isinstance(waiting, PendingOcr)
    return waiting


class Gathering:
    """Answers only when so many calls are open at once; remembers the most."""

    def __init__(self, together: int) -> None:
        self._barrier = threading.Barrier(together)
        self._lock = threading.Lock()
        self.open = self.most = 0

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        with self._lock:
            self.open += 1
            self.most = max(self.most, self.open)
        self._barrier.wait(PATIENCE_S)
        with self._lock:
            self.open -= 1
        return ScriptedRecogniser().recognise_pages(pages, langs, timeout_s)


def test_pages_are_asked_for_side_by_side_and_stay_in_order(reader: DocumentReader) -> None:
    told: list[int] = []
    gathering = Gathering(3)
    outcome = recognise_document(read(reader, 6), gathering, on_page=told.append, pages_at_once=3)
    assert outcome.tree is not None
    assert [block.text for block in outcome.tree.blocks] == [f"Page {number}" for number in range(1, 7)]
    assert told == [1, 2, 3, 4, 5, 6]
    assert gathering.most == 3
    alone = recognise_document(read(reader, 6), ScriptedRecogniser())
    assert outcome.tree_json == alone.tree_json


def test_a_recogniser_that_goes_away_ends_the_document_uncharged(reader: DocumentReader) -> None:
    away = ScriptedRecogniser(failure=PortUnavailable("recogniser", "away"))
    outcome = recognise_document(read(reader, 6), away, pages_at_once=3)
    assert (outcome.tree, outcome.charged) == (None, False)

"""Pictures on demand: the start of their sandbox does not delay a start or a request."""

import io
import threading
from typing import BinaryIO

from quire.actors.reading.forkserver import ServerGone
from quire.actors.reading.on_demand import OnDemand
from quire.actors.reading.read_document import DocumentReader
from quire.models.cdom.ports import PageImage, ReadOutcome, RecognisedPage
from quire.storage.objects.blobs import LocalBlobs
from tests.waiting import PATIENCE_S

PICTURE = PageImage(png=b"png", width=1, height=1, page_count=1)


class FakeReader(DocumentReader):
    """A sandbox that notes when it was started."""

    def __init__(self, failures: int = 0) -> None:
        self.started, self.failures, self.closed = threading.Event(), failures, False

    def start(self) -> None:
        self.started.set()
        if self.failures:
            raise ServerGone("no processes left")

    def read_until_pixels(self, *asked: object, **more: object) -> ReadOutcome:
        raise AssertionError("nothing is read here")

    def render(self, *asked: object) -> PageImage:
        return PICTURE

    def redact(self, *asked: object) -> bytes:
        raise AssertionError("nothing is redacted here")

    def close(self) -> None:
        self.closed = True


class FakeOriginals(LocalBlobs):
    def __init__(self) -> None: ...
    def open(self, sha256: str, /) -> BinaryIO:
        return io.BytesIO(b"bytes")


class NoRecogniser:
    def recognise_pages(self, pages: object, langs: object, timeout_s: float) -> list[RecognisedPage]:
        raise AssertionError("nothing is recognised here")


def on_demand(drawing: FakeReader, warm_after_s: float) -> OnDemand:
    return OnDemand(
        drawing=drawing,
        reading=FakeReader(),
        originals=FakeOriginals(),
        recogniser=NoRecogniser(),
        warm_after_s=warm_after_s,
    )


def test_the_sandbox_for_pictures_comes_up_by_itself_after_a_while() -> None:
    drawing = FakeReader()
    made = on_demand(drawing, warm_after_s=0.0)
    made.start()
    assert drawing.started.wait(PATIENCE_S)
    made.close()
    assert drawing.closed


def test_picture_sandbox_starts_late_and_its_start_is_cancelled_by_close() -> None:
    drawing = FakeReader()
    made = on_demand(drawing, warm_after_s=3600.0)
    made.start()
    assert made.render("sha", 1, 72, None, None, 5.0) == PICTURE
    assert not drawing.started.is_set()
    made.close()


def test_failed_picture_sandbox_is_started_again_by_the_first_picture() -> None:
    drawing = FakeReader(failures=1)
    made = on_demand(drawing, warm_after_s=0.0)
    made.start()
    assert drawing.started.wait(PATIENCE_S)
    assert made.render("sha", 1, 72, None, None, 5.0) == PICTURE
    made.close()

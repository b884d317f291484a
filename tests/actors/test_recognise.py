"""Pictures through the sandbox, a recogniser and assembly, to a tree: in one process but for the sandboxed child."""

import io
from collections.abc import Iterator

import pytest

from quire.actors.reading.pending_ocr import PendingOcr
from quire.actors.reading.read_document import DocumentReader
from quire.actors.reading.recognise_document import recognise_document
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ErrorCode, Malformed, MlUnavailable
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import PixelPage, PortUnavailable, ReadOutcome, RecognisedPage
from quire.models.cdom.tree import PageStatus, Route
from quire.models.neural.fakes import ScriptedRecogniser
from quire.models.neural.ocr import make_recogniser
from tests.models.extract.formats.image.pictures import encode, frames, png_stating
from tests.models.neural.ocr.pictures import LETTER, draw_page


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits())
    yield reader
    reader.close()


def read(reader: DocumentReader, data: bytes) -> PendingOcr:
    waiting = reader.read_until_pixels(io.BytesIO(data), ReadOptions())
    assert isinstance(waiting, PendingOcr), waiting
    return waiting


def text_of(outcome: ReadOutcome) -> str:
    assert outcome.tree is not None, outcome
    return " ".join(block.text for block in outcome.tree.blocks)


def test_picture_becomes_tree_of_recognised_text(reader: DocumentReader) -> None:
    data = encode(draw_page(LETTER), "PNG", dpi=(120, 120))
    outcomes = [recognise_document(read(reader, data), make_recogniser("rapidocr", ("en",))) for _ in range(2)]
    assert text_of(outcomes[0]).split() == " ".join(LETTER).split()
    assert outcomes[0].tree is not None
    assert [(page.route, page.status) for page in outcomes[0].tree.pages] == [(Route.OCR, PageStatus.OK)]
    assert outcomes[0].tree.blocks[0].provenance.engine == "rapidocr"
    assert outcomes[0].tree_json == outcomes[1].tree_json


def test_frames_become_pages_in_order_and_progress_is_reported_for_each(reader: DocumentReader) -> None:
    told: list[int] = []
    outcome = recognise_document(read(reader, frames(3)), ScriptedRecogniser(), on_page=told.append)
    assert text_of(outcome) == "Page 1 Page 2 Page 3"
    assert told == [1, 2, 3]


def test_a_machine_that_cannot_recognise_ends_the_document_ml_unavailable(reader: DocumentReader) -> None:
    without_avx2 = make_recogniser("rapidocr", ("en",), frozenset({"sse2"}))
    for recogniser in (without_avx2, ScriptedRecogniser(failure=MlUnavailable("no avx2"))):
        outcome = recognise_document(read(reader, frames(2)), recogniser)
        assert (outcome.error, outcome.tree) == (ErrorCode.ML_UNAVAILABLE, None)


def test_a_recogniser_that_is_gone_is_not_charged(reader: DocumentReader) -> None:
    outcome = recognise_document(read(reader, frames(1)), ScriptedRecogniser(failure=PortUnavailable("recogniser")))
    assert (outcome.error, outcome.charged) == (ErrorCode.WORKER_KILLED, False)


def test_page_with_a_broken_picture_fails_alone(reader: DocumentReader) -> None:
    class OnceBroken(ScriptedRecogniser):
        def recognise_pages(
            self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float
        ) -> list[RecognisedPage]:
            if pages[0].number == 2:
                raise Malformed("the picture of the page does not decode")
            return super().recognise_pages(pages, langs, timeout_s)

    outcome = recognise_document(read(reader, frames(3)), OnceBroken())
    assert outcome.tree is not None
    assert [page.status for page in outcome.tree.pages] == [PageStatus.OK, PageStatus.FAILED, PageStatus.OK]
    assert text_of(outcome) == "Page 1 Page 3"


@pytest.mark.parametrize("form", ["JPEG", "WEBP", "BMP", "GIF", "TIFF"])
def test_every_picture_format_is_decoded_inside_the_sandbox(reader: DocumentReader, form: str) -> None:
    data = encode(draw_page(LETTER).convert("RGB"), form)
    outcome = recognise_document(read(reader, data), ScriptedRecogniser({1: ("Invoice 7",)}))
    assert text_of(outcome) == "Invoice 7"


def test_a_bomb_in_a_picture_ends_as_a_resource_limit(reader: DocumentReader) -> None:
    outcome = reader.read_until_pixels(io.BytesIO(png_stating(20_000, 20_000)), ReadOptions())
    assert isinstance(outcome, ReadOutcome)
    assert outcome.error is ErrorCode.RESOURCE_LIMIT


def test_81_million_pixels_from_ten_kilobytes_fit_the_memory_of_the_child(reader: DocumentReader) -> None:
    outcome = recognise_document(read(reader, png_stating(9_000, 9_000, rows=9_000)), ScriptedRecogniser())
    assert text_of(outcome) == "Page 1"

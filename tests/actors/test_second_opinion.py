"""Doubted pages: a layout detector is asked while the page is read, and what it saw decides."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pymupdf
import pytest

from quire.actors.reading.read_document import DocumentReader
from quire.actors.recogniser import Recogniser
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.ports import DetectedPage, PixelPage, PortUnavailable, ReadOutcome, SeenElement
from quire.models.cdom.tree import BlockType, Tree
from quire.models.neural.fakes import ScriptedRecogniser
from quire.models.neural.layout.detector import LayoutDetector
from tests.models.neural.layout.tiny_onnx import SIDE, write_detector

ASKED = ReadOptions(second_opinion=True)
PROSE = "This is a line of running text that goes on for as long as the column is wide, and on."
TABLE: Bbox = (55.0, 185.0, 470.0, 305.0)
"""Around the rows of `draw`."""


def draw(rows: list[tuple[str, str]], pages: int = 1) -> bytes:
    """Prose, a few wide rows of words without rules, prose."""
    with pymupdf.open() as document:
        for _ in range(pages):
            page = document.new_page()
            for at in range(6):
                page.insert_text((60, 80 + 15 * at), PROSE, fontsize=11)
                page.insert_text((60, 380 + 15 * at), PROSE, fontsize=11)
            for at, row in enumerate(rows):
                for left, text in zip((60, 200), row, strict=True):
                    page.insert_text((left, 200 + 30 * at), text, fontsize=11)
        return bytes(document.tobytes())


ROWS = [
    ("Name of the person", "Ann Miller who lives in the house at the end of the road"),
    ("Street of", "Long Road 5 behind the mill and the school"),
    ("Town", "Springfield, which is a small one"),
    ("Country", "Nowhere that anybody would know of"),
]
DOUBTED = draw(ROWS)
PLAIN = draw([])


def detector_of_table(folder: Path) -> Path:
    """A folder with a real network that sees the table of `DOUBTED` on every page."""
    scale = SIDE / 842
    left = (SIDE - 595 * scale) / 2
    x0, y0, x1, y1 = (scale * edge for edge in TABLE)
    place = ((x0 + x1) / 2 + left, (y0 + y1) / 2, x1 - x0, y1 - y0)
    return write_detector(folder, ("Text", "Table"), [(1, 0.9, place)])


@dataclass(slots=True)
class ScriptedDetector:
    """Implements `FindElements`: a table in each of `boxes`, on every page; `failure` is raised instead."""

    boxes: tuple[Bbox, ...] = ()
    failure: Exception | None = None
    looked: list[PixelPage] = field(default_factory=list)

    def find_elements(self, page: PixelPage, timeout_s: float) -> DetectedPage:
        self.looked.append(page)
        if self.failure is not None:
            raise self.failure
        elements = tuple(SeenElement(type=BlockType.TABLE, bbox=box, confidence=0.9) for box in self.boxes)
        return DetectedPage(elements=elements, model="scripted")


@pytest.fixture
def detector() -> ScriptedDetector:
    return ScriptedDetector((TABLE,))


@pytest.fixture
def reader(detector: ScriptedDetector) -> Iterator[DocumentReader]:
    reader = DocumentReader(SandboxLimits(formats=("pdf",)), detector=detector)
    yield reader
    reader.close()


def read(reader: DocumentReader, data: bytes, options: ReadOptions = ASKED) -> ReadOutcome:
    return reader.read(io.BytesIO(data), options)


def tree_of(outcome: ReadOutcome) -> Tree:
    assert outcome.tree is not None, outcome
    return outcome.tree


def tables(tree: Tree) -> list[tuple[int, int]]:
    return [(block.table.rows, block.table.cols) for block in tree.blocks if block.table is not None]


def test_a_table_that_only_the_detector_is_sure_of_is_read_as_one(
    reader: DocumentReader, detector: ScriptedDetector
) -> None:
    tree = tree_of(read(reader, DOUBTED))
    assert tables(tree) == [(4, 2)]
    assert {block.provenance.model for block in tree.blocks} == {"scripted"}
    (page,) = detector.looked
    assert (page.number, round(page.width), round(page.height)) == (1, 595, 842)
    assert page.image.startswith(b"\x89PNG")


def test_table_is_removed_when_the_detector_sees_no_table(reader: DocumentReader, detector: ScriptedDetector) -> None:
    detector.boxes = ()
    assert tables(tree_of(read(reader, DOUBTED))) == []
    assert len(detector.looked) == 1


def test_undoubted_pages_get_no_second_opinion(reader: DocumentReader, detector: ScriptedDetector) -> None:
    assert tables(tree_of(read(reader, PLAIN))) == []
    assert detector.looked == []


def test_second_opinion_is_off_by_default(reader: DocumentReader, detector: ScriptedDetector) -> None:
    tree = tree_of(read(reader, DOUBTED, ReadOptions()))
    assert (tables(tree), detector.looked) == ([], [])
    assert {block.provenance.model for block in tree.blocks} == {None}


def test_every_doubted_page_of_a_document_is_looked_at_once(reader: DocumentReader, detector: ScriptedDetector) -> None:
    data = draw(ROWS, pages=3)
    outcomes = [read(reader, data) for _ in range(2)]
    assert [page.number for page in detector.looked] == [1, 2, 3, 1, 2, 3]
    assert outcomes[0].tree_json == outcomes[1].tree_json


def test_a_detector_that_is_away_is_nobodys_fault(reader: DocumentReader, detector: ScriptedDetector) -> None:
    detector.failure = PortUnavailable("recogniser")
    outcome = read(reader, DOUBTED)
    assert (outcome.error, outcome.charged) == (ErrorCode.WORKER_KILLED, False)
    detector.failure = None
    assert tables(tree_of(read(reader, DOUBTED))) == [(4, 2)]


def test_a_reader_without_a_detector_says_so() -> None:
    reader = DocumentReader(SandboxLimits(formats=("pdf",)))
    outcome = reader.read(io.BytesIO(DOUBTED), ASKED)
    reader.close()
    assert outcome.error is ErrorCode.ML_UNAVAILABLE


def test_a_real_network_is_asked_in_the_recognisers_line(tmp_path: Path) -> None:
    folder = detector_of_table(tmp_path)
    recogniser = Recogniser(ScriptedRecogniser, make_detector=lambda: LayoutDetector(folder))
    reader = DocumentReader(SandboxLimits(formats=("pdf",)), detector=recogniser)
    tree = tree_of(read(reader, DOUBTED))
    reader.close()
    recogniser.close()
    assert tables(tree) == [(4, 2)]
    assert {block.provenance.model for block in tree.blocks} == {tmp_path.name}


def test_a_recogniser_without_a_detector_is_ml_unavailable() -> None:
    recogniser = Recogniser(ScriptedRecogniser)
    reader = DocumentReader(SandboxLimits(formats=("pdf",)), detector=recogniser)
    outcome = read(reader, DOUBTED)
    reader.close()
    recogniser.close()
    assert outcome.error is ErrorCode.ML_UNAVAILABLE

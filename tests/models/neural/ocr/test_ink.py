"""Share of a scan's ink inside recognised text, by both recognisers, and its place in the tree."""

import shutil

import numpy as np
import pytest

from quire.models.cdom.coverage import ScanCoverage
from quire.models.cdom.ports import RecognisedPage, RecognisePages, Word
from quire.models.extract.contract import PageContent
from quire.models.extract.pipeline.recognised import apply_recognition
from quire.models.neural.ink import measure_ink
from quire.models.neural.ocr.rapid import RapidRecogniser
from quire.models.neural.ocr.tesseract import TesseractRecogniser
from tests.models.neural.ocr.pictures import as_page, draw_page


def box(x0: float, y0: float, x1: float, y1: float) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], dtype=np.float32)


def test_letter_size_components_are_counted_without_rules_and_specks() -> None:
    picture = np.full((200, 300, 3), 255, dtype=np.uint8)
    for row in (50, 120):
        for at in range(10):
            picture[row : row + 14, 20 + 25 * at : 30 + 25 * at] = 0
    picture[100, 10:290] = 0  # a rule
    picture[180:182, 100:102] = 0  # a speck
    assert measure_ink(picture, [box(15, 46, 290, 68)]) == ScanCoverage(components=20, covered=10)
    assert measure_ink(picture, []).covered == 0


def recognisers() -> list[RecognisePages]:
    """Return the installed recognisers: the built-in networks, and Tesseract where available."""
    found: list[RecognisePages] = [RapidRecogniser(("en",))]
    command = shutil.which("tesseract")
    return [*found, TesseractRecogniser(("en",), command)] if command else found


@pytest.mark.parametrize("recogniser", recognisers(), ids=lambda one: type(one).__name__)
def test_a_clear_page_is_covered(recogniser: RecognisePages) -> None:
    page = as_page(draw_page(["The harbour office is open", "from nine to five each day"]))
    found = recogniser.recognise_pages([page], ("en",), 60.0)[0]
    assert found.ink is not None
    assert found.ink.components > 30
    assert found.ink.covered > 0.95 * found.ink.components


def test_coverage_of_a_recognised_page_states_its_ink() -> None:
    word = Word(text="Harbour", bbox=(10.0, 10.0, 60.0, 20.0), confidence=0.9, line=0)
    ink = ScanCoverage(components=9, covered=7)
    page = RecognisedPage(number=1, words=(word,), ink=ink, engine="test", model=None, version="1")
    content = apply_recognition(PageContent(number=1, width=100, height=100), page)
    assert content.coverage is not None
    assert content.coverage.scan == ink

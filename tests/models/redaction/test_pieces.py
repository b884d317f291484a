"""Values in pieces, in another order or in tiles: each way of searching finds values that others miss."""

import random
from io import BytesIO

import numpy as np
import pymupdf
import pypdfium2
import pytest
from PIL import Image

from quire.models.cdom.tree import Route, Tree
from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.letters import letters
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.redaction.pdf import scans
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.redact import redact_original
from tests.lab.bench.redaction import canary_files
from tests.lab.bench.redaction.pdf_file import start
from tests.lab.bench.redaction.pdf_places import CONTENT_PLACES, at
from tests.models.redaction.papers import everything, read, redact

EMAIL = "kpfpfpz10@mail.example.com"
PASSPORT = "533401234"


def _one_page(*drawn: str, place: str = "", value: str = "", seed: int = 0) -> bytes:
    file = start(packed=False)
    file.content += drawn
    if place:
        CONTENT_PLACES[place](file, value, 400, random.Random(seed))
    return file.finish()


def _recognised(data: bytes, route: Route = Route.MIXED) -> Tree:
    """As if the pages had been read in their pixels."""
    from dataclasses import replace

    tree = flag_tree(read(data), RegexDetector())
    return replace(tree, pages=tuple(replace(page, route=route) for page in tree.pages))


def _seen(data: bytes) -> str:
    """The letters that three engines say."""
    other = pypdfium2.PdfDocument(data)
    shown = "".join(page.get_textpage().get_text_range() for page in other)
    other.close()
    return letters(everything(data) + shown)


def _ink(data: bytes, box: tuple[int, int, int, int]) -> Image.Image:
    """Return the ink of the first page in a box of its points."""
    with pymupdf.open(stream=data) as document:
        picture = document[0].get_pixmap(dpi=72)
    return Image.open(BytesIO(picture.tobytes("png"))).convert("L").crop(box)


@pytest.mark.parametrize("number", [501239, 503990, 504819])
def test_files_that_once_leaked_show_nothing(number: int) -> None:
    case = canary_files.make_pdf(number)
    shown = canary_files.search_pdf(redact(case.data))
    assert [(place, way) for n, place in case.needles.items() for way, text in shown.items() if n in text] == []


def test_content_of_a_tile_is_neither_in_the_page_picture_nor_below() -> None:
    """The tile is cut in the middle of its text, so that the page shows its end before its beginning."""
    original = _one_page(at("(The rope was measured twice.)", 700), place="pattern", value="a crane above the quay")
    assert letters("the quay") in _seen(original)
    made = redact_original(original, _recognised(original), {}, read)
    assert letters("the quay") not in _seen(made)
    assert "crane" not in _seen(made)
    assert letters("The rope was measured twice.") in _seen(made)
    assert np.asarray(_ink(original, (72, 370, 372, 392))).min() < 128
    assert np.asarray(_ink(made, (72, 370, 372, 392))).min() > 250


def test_lines_next_to_a_tile_stay_on_a_recognised_page() -> None:
    tiled = _one_page(at("(The rope was measured twice.)", 700), place="pattern", value="a crane above the quay")
    shown = _ink(redact_original(tiled, _recognised(tiled), {}, read), (72, 80, 300, 100))
    assert np.asarray(shown).min() < 128


@pytest.mark.parametrize("route", [Route.MIXED, Route.FAST])
@pytest.mark.parametrize("seed", range(4))
def test_row_that_no_engine_reads_in_order_is_covered(seed: int, route: Route) -> None:
    original = _one_page(place="shuffled", value=EMAIL, seed=seed)
    made = redact_original(original, _recognised(original, route), {}, read)
    assert "kpf" not in _seen(made)
    shown = np.asarray(_ink(made, (74, 384, 240, 392)))
    assert shown.mean() < 60  # boxes of single letters leave hairs between them


@pytest.mark.parametrize("seed", range(4))
def test_a_value_that_one_engine_alone_understands_goes_from_every_page(seed: int) -> None:
    """The number counts as a passport only next to the word, which is drawn in any order on the page before."""
    file = start(packed=False)
    CONTENT_PLACES["shuffled"](file, f"Passport: {PASSPORT}", 400, random.Random(seed))
    file.second.append(at(f"(Take {PASSPORT} along.)", 500))
    original = file.finish()
    assert PASSPORT in _seen(original)
    assert PASSPORT not in _seen(redact(original))


def test_pieces_on_separate_lines_refuse_the_file_without_joining(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant: neither engine's page nor the text below the picture is looked at as a whole."""
    pieces = ("Write to", EMAIL, "kpfpfpz1", "0@ mail", ". example . com")
    original = _one_page(*(at(f"({piece})", 700 - 60 * n) for n, piece in enumerate(pieces)))
    tree = _recognised(original)
    assert letters(EMAIL) not in _seen(redact_original(original, tree, {}, read))
    monkeypatch.setattr(scans, "_masked", lambda lines, finder: (lines, []))
    monkeypatch.setattr(scans, "find_shown", lambda *_: [])
    with pytest.raises(RedactionUnproven, match="reader"):
        redact_original(original, tree, {}, read)

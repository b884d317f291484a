"""The text layer of a scan and the recognised words: each line comes from the better of both."""

import pytest

from quire.models.cdom.coverage import CharacterCount, PageCoverage, ScanCoverage
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import RecognisedPage, Word
from quire.models.cdom.tree import BlockType, Route
from quire.models.extract.contract import PageBlock, PageContent
from quire.models.extract.pipeline.plan import ASKED_FOR, FAST_MODE_OFF, PICTURE_TEXT
from quire.models.extract.pipeline.recognised import apply_recognition, leave_layer
from quire.models.extract.pipeline.scan_layers import choose_words

GOOD = "The harbour master wrote in his book"
BAD = "Tbq hxrbqur mzstxr wrqtz jn hjs bqqk"
CHINESE = "港口负责人在他的书里写道"


def line(text: str, number: int, confidence: float = 0.7) -> list[Word]:
    y = 100.0 + 20 * number
    words = text.split()
    step = 480 / max(1, len(words))
    boxes: list[Bbox] = [(50 + step * place, y, 45 + step * (place + 1), y + 12) for place in range(len(words))]
    return [
        Word(text=word, bbox=box, confidence=confidence, line=number) for word, box in zip(words, boxes, strict=True)
    ]


def texts(words: list[Word]) -> list[str]:
    lines: dict[int, list[str]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word.text)
    return [" ".join(line) for line in lines.values()]


@pytest.mark.parametrize(
    ("read", "confidence", "layer", "wanted"),
    [
        (GOOD, 0.7, BAD, GOOD),
        (BAD, 0.7, GOOD, GOOD),
        (BAD, 0.95, GOOD, BAD),
        ("Wtq", 0.7, GOOD, GOOD),
        (GOOD, 0.7, "The", GOOD),
        ("lEr zNq tXw", 0.6, CHINESE, CHINESE),
    ],
)
def test_line_comes_from_the_layer_only_when_it_is_better(
    read: str, confidence: float, layer: str, wanted: str
) -> None:
    assert texts(choose_words(line(read, 0, confidence), line(layer, 0, 0.8))) == [wanted]


def test_line_of_the_layer_that_was_not_read_is_added() -> None:
    chosen = choose_words(line(GOOD, 0), line(GOOD, 0, 0.8) + line("And locked the door.", 1, 0.8))
    assert texts(chosen) == [GOOD, "And locked the door."]


def wait(layer: str) -> PageContent:
    block = PageBlock(type=BlockType.PARAGRAPH, text=layer, bbox=(50, 100, 530, 112), confidence=0.8)
    count = len(layer.replace(" ", ""))
    coverage = PageCoverage(number=1, characters=CharacterCount(painted=count, placed=count))
    return PageContent(
        number=1, width=600, height=800, route=Route.OCR, reason="hidden-text", blocks=(block,),
        layer=tuple(line(layer, 0, 0.8)), coverage=coverage,
    )  # fmt: skip


def recognise(content: PageContent, text: str, ink: ScanCoverage | None = None) -> PageContent:
    page = RecognisedPage(number=1, words=tuple(line(text, 0)), ink=ink, engine="eyes", model=None, version="1")
    return apply_recognition(content, page)


@pytest.mark.parametrize("text", ["", "Wtq"])
def test_recognition_that_brings_little_leaves_the_layer(text: str) -> None:
    read = recognise(wait(GOOD), text)
    assert [block.text for block in read.blocks] == [GOOD]
    assert (read.route, read.reason, read.layer) == (Route.MIXED, "hidden-text, layer kept", ())
    assert read.coverage is not None
    assert (read.coverage.characters.placed, read.coverage.characters.lost) == (30, 0)


def test_recognition_that_brings_little_leaves_the_text_of_any_page() -> None:
    block = PageBlock(type=BlockType.PARAGRAPH, text=GOOD, bbox=(50, 100, 530, 112))
    content = PageContent(number=1, width=600, height=800, route=Route.OCR, reason=PICTURE_TEXT, blocks=(block,))
    assert [block.text for block in recognise(content, "Wtq").blocks] == [GOOD]


@pytest.mark.parametrize("reason", [ASKED_FOR, FAST_MODE_OFF])
def test_recognition_a_caller_chose_replaces_the_layer(reason: str) -> None:
    block = PageBlock(type=BlockType.PARAGRAPH, text=GOOD, bbox=(50, 100, 530, 112))
    content = PageContent(number=1, width=600, height=800, route=Route.OCR, reason=reason, blocks=(block,))
    assert [block.text for block in recognise(content, "Wtq").blocks] == ["Wtq"]


def test_longer_layer_is_replaced_when_all_ink_was_read() -> None:
    longer = BAD + " zq"
    unread = recognise(wait(longer), GOOD).coverage
    read = recognise(wait(longer), GOOD, ScanCoverage(components=30, covered=29)).coverage
    assert unread is not None
    assert read is not None
    assert (unread.characters.lost, read.characters.lost) == (2, 0)


def test_layer_is_the_text_when_no_recogniser_is_there() -> None:
    left = leave_layer(wait(GOOD))
    assert [block.text for block in left.blocks] == [GOOD]
    assert (left.route, left.layer, left.warnings) == (Route.MIXED, (), ("areas-not-read",))

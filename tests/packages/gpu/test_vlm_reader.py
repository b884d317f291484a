"""Guards and fallback, with an engine that answers from a script."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from quire.actors.vlm.answer_guard import AnswerWatch
from quire.actors.vlm.engine import WriterEngine
from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask, PageRegion
from quire.actors.vlm.models.dots import Dots
from quire.actors.vlm.models.lightonocr import LightOnOcr
from quire.actors.vlm.models.paddleocr_vl import PaddleOcrVl
from quire.actors.vlm.page_reader import NOT_REPRODUCIBLE, TRUNCATED, PageRefused, VlmReader
from quire.actors.vlm.regions import find_regions
from quire.actors.vlm.with_fallback import FALLBACK, VlmFirst
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import DetectedPage, PictureKind, PixelPage, PortUnavailable, RecognisedPage, SeenElement
from quire.models.cdom.tree import BlockType
from quire.models.neural.fakes import ScriptedRecogniser
from tests.packages.gpu.models.pages import make_page, outline
from tests.waiting import PATIENCE_S

PAGE = make_page()


@dataclass
class ScriptedEngine:
    """Implements `VlmEngine`: the same answer to every ask, or a failure."""

    text: str = "# Head\n\nBody text here."
    ending: AnswerEnd = AnswerEnd.STOP
    failure: Exception | None = None
    asked: list[Ask] = field(default_factory=list)
    name: str = "scripted"
    version: str = "1"

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        self.asked.extend(asks)
        if self.failure:
            raise self.failure
        return [Answer(text=self.text, ending=self.ending) for _ in asks]

    def healthy(self) -> bool:
        return True

    def close(self) -> None:
        pass


def read(engine: ScriptedEngine) -> RecognisedPage:
    return VlmReader(LightOnOcr(), engine).transcribe(PAGE, (), 10)


def test_page_read_by_a_model_names_the_model_as_not_reproducible() -> None:
    page = read(ScriptedEngine())
    assert outline(list(page.blocks or ())) == [("heading", "Head"), ("paragraph", "Body text here.")]
    assert (page.engine, page.model, page.version, page.warnings) == (
        "scripted",
        "lightonocr",
        "1",
        (NOT_REPRODUCIBLE,),
    )


def test_truncated_page_keeps_its_text_with_warning() -> None:
    assert read(ScriptedEngine(ending=AnswerEnd.LENGTH)).warnings == (NOT_REPRODUCIBLE, TRUNCATED)


@pytest.mark.parametrize(
    "engine",
    [
        ScriptedEngine(ending=AnswerEnd.LOOP),
        ScriptedEngine(ending=AnswerEnd.TIMEOUT),
        ScriptedEngine(text="Start. " + "again and again " * 300),
    ],
)
def test_a_page_that_loops_or_runs_out_of_time_is_refused(engine: ScriptedEngine) -> None:
    with pytest.raises(PageRefused):
        read(engine)


def test_an_answer_of_the_wrong_form_is_refused() -> None:
    with pytest.raises(PageRefused):
        VlmReader(Dots(), ScriptedEngine("I am sorry")).transcribe(PAGE, (), 10)


def test_more_callers_than_allowed_are_sent_away() -> None:
    reader = VlmReader(LightOnOcr(), ScriptedEngine(), max_callers=1)
    reader._places.acquire()
    with pytest.raises(PortUnavailable, match="full"):
        reader.transcribe(PAGE, (), 10)


LINES = {1: ["Head", "Body text here."]}


def first(
    engine: ScriptedEngine, ocr: ScriptedRecogniser, *, model: Callable[[], LightOnOcr | PaddleOcrVl] = LightOnOcr
) -> VlmFirst:
    made = model()
    return VlmFirst(VlmReader(made, engine), ocr, find_regions=find_regions if made.needs_regions else None, pause_s=60)


def test_text_without_a_place_is_located_by_the_cpu_recogniser() -> None:
    (page,) = first(ScriptedEngine(), ScriptedRecogniser(script=LINES)).recognise_pages([PAGE], ("en",), 10)
    assert page.blocks is not None
    assert all(block.bbox is not None for block in page.blocks)


@pytest.mark.parametrize("engine", [ScriptedEngine(ending=AnswerEnd.LOOP), ScriptedEngine(failure=RuntimeError("bug"))])
def test_a_refused_page_is_read_by_the_cpu_and_says_so(engine: ScriptedEngine) -> None:
    reader = first(engine, ScriptedRecogniser(script=LINES))
    for _ in range(2):
        (page,) = reader.recognise_pages([PAGE], ("en",), 10)
        assert (page.blocks, page.warnings, page.engine) == (None, (FALLBACK,), "scripted")
    assert len(engine.asked) == 2


@pytest.mark.parametrize(("script", "falls_back"), [(LINES, True), ({1: []}, False)], ids=["ink", "blank"])
def test_empty_answer_is_believed_only_for_a_blank_page(script: dict[int, list[str]], falls_back: bool) -> None:
    reader = first(ScriptedEngine(text=""), ScriptedRecogniser(script=script))
    (page,) = reader.recognise_pages([PAGE], ("en",), 10)
    assert (FALLBACK in page.warnings) is falls_back
    assert bool(page.words) is falls_back


def test_an_engine_that_is_away_is_not_asked_again_for_a_while() -> None:
    engine = ScriptedEngine(failure=PortUnavailable("vlm_ocr", "away"))
    reader = first(engine, ScriptedRecogniser(script=LINES))
    pages = [reader.recognise_pages([PAGE], ("en",), 10)[0] for _ in range(3)]
    assert [page.warnings for page in pages] == [(FALLBACK,)] * 3
    assert len(engine.asked) == 1


def test_pause_grows_while_engine_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("quire.actors.vlm.with_fallback.time", SimpleNamespace(monotonic=lambda: now))
    engine = ScriptedEngine(failure=PortUnavailable("vlm_ocr", "away"))
    reader = first(engine, ScriptedRecogniser(script=LINES))
    asked_at = []
    for second in range(0, 1500, 10):
        now, before = float(second), len(engine.asked)
        reader.recognise_pages([PAGE], ("en",), 10)
        asked_at += [second] if len(engine.asked) > before else []
    assert asked_at == [0, 60, 180, 420, 720, 1020, 1320]
    engine.failure = None
    now = 1700.0
    assert reader.recognise_pages([PAGE], ("en",), 10)[0].blocks is not None
    engine.failure = PortUnavailable("vlm_ocr", "away")
    reader.recognise_pages([PAGE], ("en",), 10)
    engine.failure, now = None, 1761.0
    assert reader.recognise_pages([PAGE], ("en",), 10)[0].blocks is not None


def test_model_failure_fails_document_without_cpu_recogniser() -> None:
    no_ocr = ScriptedRecogniser(failure=MlUnavailable("none here"))
    (page,) = first(ScriptedEngine(), no_ocr).recognise_pages([PAGE], ("en",), 10)
    assert page.blocks is not None
    assert page.blocks[0].bbox is None
    assert page.warnings == (NOT_REPRODUCIBLE, "vlm-unplaced")
    with pytest.raises(MlUnavailable):
        first(ScriptedEngine(ending=AnswerEnd.LOOP), no_ocr).recognise_pages([PAGE], ("en",), 10)


def test_a_model_that_reads_crops_gets_the_regions_of_the_layout() -> None:
    engine = ScriptedEngine("read again")
    ocr = ScriptedRecogniser(script=LINES)
    (page,) = first(engine, ocr, model=PaddleOcrVl).recognise_pages([PAGE], ("en",), 10)
    assert engine.asked
    assert page.blocks is not None
    assert {block.text for block in page.blocks} == {"read again"}
    assert all(block.bbox is not None for block in page.blocks)


class SeesSeal:
    """A detector that finds a seal over the second line of the page, and a picture that nobody can read."""

    def __init__(self, failure: Exception | None = None) -> None:
        self._failure = failure

    def find_elements(self, page: PixelPage, timeout_s: float) -> DetectedPage:
        if self._failure is not None:
            raise self._failure
        (lines,) = ScriptedRecogniser(script=LINES).recognise_pages([page], (), 1)
        box = next(word.bbox for word in lines.words if word.text == "Body")
        seal = SeenElement(type=BlockType.PICTURE, bbox=(0, box[1], 600, box[3]), confidence=0.9,
                           picture=PictureKind.SEAL)  # fmt: skip
        return DetectedPage(elements=(seal, replace(seal, picture=None)), model="own")


def read_with(detector: SeesSeal, engine: ScriptedEngine) -> RecognisedPage:
    reader = VlmFirst(
        VlmReader(PaddleOcrVl(), engine), ScriptedRecogniser(script=LINES), find_regions=find_regions, detector=detector
    )
    (page,) = reader.recognise_pages([PAGE], ("en",), 10)
    return page


def test_seal_that_a_detector_found_replaces_the_lines_inside_it() -> None:
    engine = ScriptedEngine("Seal of Harbour")
    page = read_with(SeesSeal(), engine)
    assert [ask.prompt for ask in engine.asked] == ["OCR:", "Seal Recognition:"]
    assert page.blocks is not None
    assert page.blocks[-1].type is BlockType.PARAGRAPH


def test_detector_that_is_away_costs_no_page() -> None:
    engine = ScriptedEngine("read again")
    page = read_with(SeesSeal(PortUnavailable("detector", "too slow")), engine)
    assert {ask.prompt for ask in engine.asked} == {"OCR:"}
    assert FALLBACK not in page.warnings


def test_page_without_regions_sends_no_prompt() -> None:
    engine = ScriptedEngine()
    page = VlmReader(PaddleOcrVl(), engine).transcribe(
        PAGE, (PageRegion(type=BlockType.PICTURE, bbox=(0, 0, 9, 9)),), 10
    )
    assert engine.asked == []
    assert page.blocks is not None
    assert [block.type for block in page.blocks] == [BlockType.PICTURE]


class SlowWriter:
    """Writes word by word until stopped."""

    def __init__(self, unit: str) -> None:
        self._unit = unit

    def write(self, ask: Ask, watch: AnswerWatch) -> Answer:
        text = ""
        while (verdict := watch.verdict(text)) is None:
            text += self._unit
        return Answer(text=text, ending=verdict)


def test_a_local_writer_is_stopped_by_the_clock_and_by_a_loop() -> None:
    ask = LightOnOcr().ask(PAGE, ())[0]
    looping = WriterEngine(lambda: SlowWriter("over and over "), "scripted", version="1")
    assert looping.generate([ask], 30)[0].ending is AnswerEnd.LOOP
    silent = WriterEngine(lambda: SlowWriter(""), "scripted", version="1")
    assert silent.generate([ask], 0.2)[0].ending is AnswerEnd.TIMEOUT


def test_local_model_callers_take_turns_and_time_out() -> None:
    entered, leave = threading.Event(), threading.Event()

    class Blocked:
        def write(self, ask: Ask, watch: AnswerWatch) -> Answer:
            entered.set()
            leave.wait(PATIENCE_S)
            return Answer(text="done")

    engine = WriterEngine(Blocked, "scripted", version="1")
    ask = LightOnOcr().ask(PAGE, ())[0]
    other = threading.Thread(target=engine.generate, args=([ask], 20))
    other.start()
    assert entered.wait(PATIENCE_S)
    with pytest.raises(PortUnavailable, match="too slow"):
        engine.generate([ask], 0.2)
    leave.set()
    other.join()


def test_undecodable_picture_is_refused() -> None:
    broken = PixelPage(number=1, image=b"no picture", width=612, height=792)
    (page,) = first(ScriptedEngine(), ScriptedRecogniser()).recognise_pages([broken], ("en",), 10)
    assert page.warnings == (FALLBACK,)

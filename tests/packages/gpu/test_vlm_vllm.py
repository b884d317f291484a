"""vLLM itself on a tiny random checkpoint, on a GPU or on a CPU: only where it is installed (`make test SUITE=gpu`).

Page in, prompt, answer, guards, page out: the calls into AsyncLLM that no script can stand for. The engine is started
once for the module; the last test kills it.
"""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from quire.actors.vlm.models.contract import AnswerEnd, Ask
from quire.actors.vlm.models.lightonocr import LightOnOcr
from quire.actors.vlm.models.registry import ARCHITECTURES
from quire.actors.vlm.page_reader import PageRefused, VlmReader
from quire.actors.vlm.vllm_engine import VllmEngine
from quire.actors.vlm.with_fallback import VlmFirst
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PortUnavailable, RecognisedPage
from quire.models.neural.fakes import ScriptedRecogniser
from tests.packages.gpu.models.pages import make_page
from tests.packages.gpu.tiny_models import SMALL_ENGINE, save_checkpoint

pytestmark = [
    pytest.mark.skipif(not find_spec("vllm"), reason="the GPU lock is not installed"),
    pytest.mark.filterwarnings("default"),
    pytest.mark.timeout(600),
]
PAGE = make_page(300, 400)
CALLERS = 32


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    os.environ["HF_HUB_OFFLINE"] = "1"
    folder = tmp_path_factory.mktemp("tiny")
    save_checkpoint(folder)
    yield folder
    del os.environ["HF_HUB_OFFLINE"]


@pytest.fixture(scope="module")
def engine(checkpoint: Path) -> Iterator[VllmEngine]:
    started = VllmEngine(str(checkpoint), **SMALL_ENGINE)
    yield started
    started.close()


class Babbling(LightOnOcr):
    """The random model with a temperature at which it does not repeat itself, and a short page."""

    def __init__(self, max_tokens: int = 120) -> None:
        self._max_tokens = max_tokens

    def ask(self, page, regions):  # type: ignore[no-untyped-def]
        (ask,) = super().ask(page, regions)
        return [replace(ask, sampling=replace(ask.sampling, temperature=1.0, top_p=1.0, max_tokens=self._max_tokens))]


def short(max_tokens: int) -> Ask:
    """Greedy: the random model soon says the same thing for ever."""
    (ask,) = LightOnOcr().ask(PAGE, ())
    return replace(ask, sampling=replace(ask.sampling, max_tokens=max_tokens, temperature=0.0))


def test_every_registered_architecture_is_known_to_this_vllm() -> None:
    registry = import_module("vllm").ModelRegistry
    assert set(ARCHITECTURES.values()) <= set(registry.get_supported_archs())


def test_answer_ends_at_the_token_limit_and_repeats_for_the_same_ask(engine: VllmEngine) -> None:
    answers = [engine.generate([short(8)], 60)[0] for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0].ending is AnswerEnd.LENGTH
    assert answers[0].text
    assert engine.version.count(".") >= 2


def test_a_page_becomes_blocks_that_name_the_engine(engine: VllmEngine) -> None:
    page = VlmReader(Babbling(), engine).transcribe(PAGE, (), 60)
    assert (page.engine, page.model) == ("vllm", "lightonocr")
    assert page.blocks
    assert page.warnings[0] == "not-reproducible"


def test_many_callers_are_answered_together(engine: VllmEngine) -> None:
    reader = VlmReader(Babbling(), engine)

    def read(_: int) -> RecognisedPage | PageRefused:
        try:
            return reader.transcribe(PAGE, (), 120)
        except PageRefused as refused:  # what a random model says may be no page
            return refused

    with ThreadPoolExecutor(CALLERS) as threads:
        pages = list(threads.map(read, range(CALLERS)))
    assert sum(isinstance(page, RecognisedPage) for page in pages) > CALLERS // 2


def test_loop_is_stopped_during_generation(engine: VllmEngine) -> None:
    (answer,) = engine.generate([short(3000)], 60)
    assert answer.ending is AnswerEnd.LOOP
    assert len(answer.text) < 2500


def test_deadline_stops_slow_answer_and_engine_continues(engine: VllmEngine) -> None:
    answers = engine.generate([short(3000)] * 4, 0.05)
    assert {answer.ending for answer in answers} == {AnswerEnd.TIMEOUT}
    assert engine.generate([short(4)], 60)[0].ending is AnswerEnd.LENGTH


def test_a_page_the_model_never_ends_is_read_by_the_cpu(engine: VllmEngine) -> None:
    class Greedy(LightOnOcr):
        def ask(self, page, regions):  # type: ignore[no-untyped-def]
            return [short(3000)]

    reader = VlmFirst(VlmReader(Greedy(), engine), ScriptedRecogniser(script={1: ["Hello"]}))
    (page,) = reader.recognise_pages([PAGE], ("en",), 120)
    assert page.warnings == ("vlm-fallback",)
    assert page.words


def test_weights_that_do_not_load_are_a_clear_error(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((checkpoint / "config.json").read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(MlUnavailable, match="does not load"):
        VllmEngine(str(tmp_path), **SMALL_ENGINE)


def test_an_engine_that_was_killed_says_so_and_answers_nothing(engine: VllmEngine) -> None:
    assert engine.healthy()
    for pid in engine_processes():
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(PortUnavailable):
        engine.generate([short(3000)], 60)
    assert not engine.healthy()


def engine_processes() -> list[int]:
    """vLLM's processes below this one."""
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = [int(pid) for child in children for pid in child.read_text().split()]
    return [pid for pid in pids if b"EngineCore" in Path(f"/proc/{pid}/cmdline").read_bytes()]

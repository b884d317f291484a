"""The transformers engine on a tiny random checkpoint: only where torch is installed (`make test SUITE=gpu`).

The engine's decisions are tested everywhere with scripted writers (test_vlm_reader.py). These tests cover the calls
into transformers.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from quire.actors.vlm.engine import WriterEngine
from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask
from quire.actors.vlm.models.dots import MARK, Dots
from quire.actors.vlm.models.lightonocr import LightOnOcr
from quire.actors.vlm.models.registry import identify_directory
from quire.actors.vlm.page_reader import VlmReader
from quire.actors.vlm.transformers_engine import TransformersWriter
from quire.actors.vlm.vllm_engine import Templates
from quire.actors.vlm.with_fallback import VlmFirst
from quire.models.cdom.errors import MlUnavailable
from quire.models.neural.fakes import ScriptedRecogniser
from tests.packages.gpu.models.pages import make_page
from tests.packages.gpu.tiny_models import save_checkpoint

pytestmark = [
    pytest.mark.skipif(not (find_spec("torch") and find_spec("transformers")), reason="the GPU lock is not installed"),
    pytest.mark.filterwarnings("default"),
]
PAGE = make_page(300, 400)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    os.environ["HF_HUB_OFFLINE"] = "1"
    folder = tmp_path_factory.mktemp("tiny")
    save_checkpoint(folder)
    yield folder
    del os.environ["HF_HUB_OFFLINE"]


def make_engine(folder: Path) -> WriterEngine:
    return WriterEngine(lambda: TransformersWriter(str(folder)), "transformers")


def short(max_tokens: int, *, temperature: float = 0.0) -> Ask:
    (ask,) = LightOnOcr().ask(PAGE, ())
    return replace(ask, sampling=replace(ask.sampling, max_tokens=max_tokens, temperature=temperature))


def generate(engine: WriterEngine, ask: Ask, timeout_s: float = 60) -> Answer:
    return engine.generate([ask], timeout_s)[0]


def test_the_checkpoint_is_known_and_answers_up_to_the_token_cap(checkpoint: Path) -> None:
    assert identify_directory(checkpoint) == "lightonocr"
    engine = make_engine(checkpoint)
    answers = [generate(engine, short(8)) for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0].ending is AnswerEnd.LENGTH
    assert generate(engine, short(8, temperature=0.2)).ending in AnswerEnd


def test_stop_texts_and_repetition_penalty_reach_the_model(checkpoint: Path) -> None:
    ask = short(40)
    whole = generate(make_engine(checkpoint), ask)
    stop = whole.text[len(whole.text) // 2 :][:2]
    own = replace(ask.sampling, stop=(stop,), repetition_penalty=1.0, skip_special_tokens=False)
    stopped = generate(make_engine(checkpoint), replace(ask, sampling=own))
    assert stop in stopped.text
    assert len(stopped.text) < len(whole.text)
    assert stopped.ending is AnswerEnd.STOP
    punished = replace(ask.sampling, repetition_penalty=1.5)
    assert generate(make_engine(checkpoint), replace(ask, sampling=punished)).text != whole.text


def test_the_clock_stops_a_model_long_before_the_cap(checkpoint: Path) -> None:
    engine = make_engine(checkpoint)
    generate(engine, short(2))
    assert generate(engine, short(3000), 0.3).ending is AnswerEnd.TIMEOUT


def test_a_page_that_the_random_model_never_ends_is_read_by_the_cpu(checkpoint: Path) -> None:
    engine = make_engine(checkpoint)
    vlm = VlmReader(LightOnOcr(), engine, page_timeout_s=3)
    reader = VlmFirst(vlm, ScriptedRecogniser(script={1: ["Hello"]}))
    (page,) = reader.recognise_pages([PAGE], ("en",), 300)
    assert page.warnings == ("vlm-fallback",)
    assert page.words


def test_weights_that_do_not_load_are_a_clear_error(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((checkpoint / "config.json").read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(MlUnavailable, match="does not load"):
        make_engine(tmp_path).generate([short(2)], 30)


def test_picture_mark_precedes_the_prompt_and_other_models_use_templates(checkpoint: Path, tmp_path: Path) -> None:
    (ask,) = LightOnOcr().ask(PAGE, ())
    rendered = Templates(str(checkpoint)).render(ask)
    assert rendered == "<|im_start|>user\n<|image_pad|>grounding<|im_end|>\n<|im_start|>assistant\n"
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((checkpoint / name).read_bytes())
    (tmp_path / "chat_template.jinja").write_text(
        "{% for m in messages %}<|user|>{{ m.content }}<|endofuser|>{% endfor %}"
    )
    (tmp_path / "config.json").write_text('{"model_type": "dots_ocr", "architectures": ["DotsOCRForCausalLM"]}')
    (ask,) = Dots().ask(PAGE, ())
    prompt = Templates(str(tmp_path)).render(ask)
    assert prompt.startswith(f"<|user|>{MARK}Please output the layout information")
    assert prompt.endswith("<|endofuser|>")

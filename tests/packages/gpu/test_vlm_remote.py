"""The OpenAI-compatible engine against a server on loopback."""

import base64
import io
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask, Sampling
from quire.actors.vlm.models.dots import Dots
from quire.actors.vlm.models.granite_docling import GraniteDocling
from quire.actors.vlm.models.lightonocr import LightOnOcr
from quire.actors.vlm.page_reader import VlmReader
from quire.actors.vlm.remote import RemoteEngine, make_request
from quire.models.cdom.ports import PortUnavailable
from tests.packages.gpu.models.pages import make_page
from tests.packages.gpu.vlm_endpoint import Endpoint, Reply, serve_endpoint

ASK = Ask(picture=Image.new("RGB", (1, 1)), prompt="OCR:", sampling=Sampling(temperature=0.2, top_p=0.9, max_tokens=77))


@contextmanager
def engine(server: Endpoint, *, concurrency: int = 4) -> Iterator[RemoteEngine]:
    made = RemoteEngine(server.url, "fallback", key="s3cret", concurrency=concurrency, first_pause_s=0.01)
    try:
        yield made
    finally:
        made.close()


def test_an_ask_becomes_one_chat_completion_with_the_picture_inside() -> None:
    with serve_endpoint(Reply(pieces=["Hello ", "page"])) as server, engine(server) as remote:
        (answer,) = remote.generate([ASK], 5)
        assert (answer.text, answer.ending) == ("Hello page", AnswerEnd.STOP)
        headers, body = server.seen[0]
        assert headers["Authorization"] == "Bearer s3cret"
        assert (body["model"], body["max_tokens"], body["temperature"], body["stream"]) == (
            "served/model",
            77,
            0.2,
            True,
        )
        picture, text = body["messages"][0]["content"]
        kind, _, encoded = picture["image_url"]["url"].partition(",")
        assert kind == "data:image/png;base64"
        assert Image.open(io.BytesIO(base64.b64decode(encoded))).size == (1, 1)
        assert text == {"type": "text", "text": "OCR:"}
        assert remote.version == "served/model"


def test_a_models_own_mark_stands_before_its_prompt() -> None:
    """vLLM puts a line break between picture and text where the text does not name the picture's place itself."""
    (ask,) = Dots().ask(make_page(), ())
    text = make_request(ask, "dots")["messages"][0]["content"][1]["text"]
    assert text.startswith("<|img|><|imgpad|><|endofimg|>Please output the layout information")


def test_sampling_of_a_model_is_sent_to_the_endpoint() -> None:
    (docling,) = GraniteDocling().ask(make_page(), ())
    body = make_request(docling, "m")
    assert (body["stop"], body["skip_special_tokens"]) == (["</doctag>", "<|end_of_text|>"], False)
    (light,) = LightOnOcr().ask(make_page(), ())
    assert make_request(light, "m")["chat_template_kwargs"] == {"enable_thinking": False}
    own = Sampling(repetition_penalty=1.1, processor_arguments=(("ngram_size", 30),))
    body = make_request(replace(ASK, sampling=own), "m")
    assert (body["repetition_penalty"], body["vllm_xargs"]) == (1.1, {"ngram_size": 30})
    plain = make_request(ASK, "m").keys()
    assert plain == {"model", "messages", "temperature", "top_p", "max_tokens", "stream"}


def test_an_endpoint_that_lists_no_model_is_asked_for_the_registered_one() -> None:
    with serve_endpoint(Reply(pieces=["x"]), models=()) as server, engine(server) as remote:
        remote.generate([ASK], 5)
        assert server.seen[0][1]["model"] == "fallback"


def test_busy_endpoint_is_retried_after_its_stated_time() -> None:
    busy = Reply(status=429, headers={"Retry-After": "1"})
    with serve_endpoint(busy, Reply(pieces=["ok"])) as server, engine(server) as remote:
        begun = time.monotonic()
        assert remote.generate([ASK], 10)[0].text == "ok"
        assert time.monotonic() - begun >= 1
        assert len(server.seen) == 2


def test_errors_of_the_server_are_retried_a_few_times_and_end() -> None:
    with serve_endpoint(Reply(status=500)) as server, engine(server) as remote:
        with pytest.raises(PortUnavailable, match="status 500"):
            remote.generate([ASK], 10)
        assert len(server.seen) == 4


def test_a_refusal_is_not_repeated() -> None:
    with serve_endpoint(Reply(status=401)) as server, engine(server) as remote:
        with pytest.raises(PortUnavailable, match="status 401"):
            remote.generate([ASK], 10)
        assert len(server.seen) == 1


def test_a_redirect_is_not_followed() -> None:
    moved = Reply(status=302, headers={"Location": "http://127.0.0.1:9/"})
    with serve_endpoint(moved) as server, engine(server) as remote, pytest.raises(PortUnavailable, match="302"):
        remote.generate([ASK], 10)


def test_a_retry_that_would_pass_the_deadline_is_not_waited_for() -> None:
    busy = Reply(status=503, headers={"Retry-After": "30"})
    with serve_endpoint(busy) as server, engine(server) as remote:
        begun = time.monotonic()
        with pytest.raises(PortUnavailable, match="status 503"):
            remote.generate([ASK], 1)
        assert time.monotonic() - begun < 5


def test_loop_is_cut_during_generation() -> None:
    endless = Reply(pieces=["the same words "] * 20_000, pause_s=0.0002)
    with serve_endpoint(endless) as server, engine(server) as remote:
        (answer,) = remote.generate([ASK], 30)
        assert answer.ending is AnswerEnd.LOOP
        assert len(answer.text) < 20_000


def test_the_deadline_ends_an_answer_that_only_drips() -> None:
    slow = Reply(pieces=[f"word{number} " for number in range(200)], pause_s=0.05)
    with serve_endpoint(slow) as server, engine(server) as remote:
        (answer,) = remote.generate([ASK], 0.5)
        assert answer.ending is AnswerEnd.TIMEOUT
        assert answer.text


@pytest.mark.parametrize(("finish", "ending"), [("length", AnswerEnd.LENGTH), (None, AnswerEnd.LENGTH)])
def test_a_cut_answer_is_known_as_cut(finish: str | None, ending: AnswerEnd) -> None:
    with serve_endpoint(Reply(pieces=["half"], finish=finish)) as server, engine(server) as remote:
        assert remote.generate([ASK], 5)[0].ending is ending


def test_malformed_stream_is_an_unavailable_engine() -> None:
    broken = Reply(raw=b"data: <html>\n\n")
    with serve_endpoint(broken) as server, engine(server) as remote, pytest.raises(PortUnavailable):
        remote.generate([ASK], 5)


def test_closed_port_is_an_unavailable_engine() -> None:
    with serve_endpoint(Reply()) as server:
        gone = server.url
    remote = RemoteEngine(gone, "m", first_pause_s=0.01)
    with pytest.raises(PortUnavailable):
        remote.generate([ASK], 2)
    remote.close()


def test_no_more_calls_run_at_once_than_allowed_and_the_order_is_kept() -> None:
    replies = [Reply(pieces=["x"], pause_s=0.05)]
    with serve_endpoint(*replies) as server, engine(server, concurrency=3) as remote:
        answers = remote.generate([ASK] * 12, 20)
        assert len(answers) == 12
        assert server.busiest <= 3


def test_silent_endpoint_is_given_up_without_another_try() -> None:
    with serve_endpoint(Reply(pieces=["a", "b"], pause_s=30)) as server:
        remote = RemoteEngine(server.url, "fallback", first_pause_s=0.01, silence_s=0.2)
        with pytest.raises(PortUnavailable, match="no answer"):
            remote.generate([ASK], 60)
        remote.close()
        assert len(server.seen) == 1


def test_answer_in_one_piece_counts() -> None:
    body = {"choices": [{"message": {"content": "whole page"}, "finish_reason": "stop"}]}
    whole = Reply(raw=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with serve_endpoint(whole) as server, engine(server) as remote:
        assert remote.generate([ASK], 5) == [Answer(text="whole page", ending=AnswerEnd.STOP)]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, {"error": {"message": "invalid API key"}}),
        (404, {"message": "no such model"}),
        (400, {"error": "x"}),
    ],
)
def test_refusal_has_the_sentence_of_the_endpoint(status: int, body: dict[str, Any]) -> None:
    refusal = Reply(status=status, raw=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with serve_endpoint(refusal) as server, engine(server) as remote:
        reader = VlmReader(Dots(), remote)
        with pytest.raises(PortUnavailable):
            reader.transcribe(make_page(), (), 5)
        assert reader.fault is not None
        assert reader.fault.startswith(f"status {status}: ")
        assert len(server.seen) == 1

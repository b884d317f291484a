"""A vision-language model behind an OpenAI-compatible endpoint. Streaming lets a loop be cut while it is generated."""

import base64
import json
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx

from quire.actors.chat.endpoint import FIRST_PAUSE_S, ChatEndpoint
from quire.actors.vlm.answer_guard import AnswerWatch
from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask
from quire.actors.vlm.models.pictures import to_png
from quire.models.cdom.ports import PortUnavailable

PORT = "vlm_ocr"
SILENCE_S = 15.0
"""Seconds without a token after which an endpoint counts as stuck, so that the CPU reads the page."""
TRIES = 4  # attempts for one page, the first included
MAX_LINE = 1 << 20  # bytes of one event of the stream
MAX_CHARS = 400_000  # characters of one page's answer: a newspaper page has 40,000


class RemoteEngine:
    """Implements `VlmEngine`; thread-safe. `fallback_model` is used if the endpoint does not list its models."""

    name = "openai"

    def __init__(
        self,
        url: str,
        fallback_model: str,
        *,
        key: str | None = None,
        concurrency: int = 16,
        connect_s: float = 5.0,
        first_pause_s: float = FIRST_PAUSE_S,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._endpoint = ChatEndpoint(
            url, port=PORT, tries=TRIES, key=key, concurrency=concurrency, connect_s=connect_s,
            first_pause_s=first_pause_s, silence_s=silence_s,
        )  # fmt: skip
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix=PORT)
        self._fallback_model = fallback_model
        self._model: str | None = None
        self._lock = threading.Lock()

    @property
    def version(self) -> str:
        """The name under which the endpoint serves the model, the only version it reports."""
        return self._model or self._fallback_model

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        """Return one answer for each prompt. Raises `PortUnavailable` if the endpoint is away, too slow or refuses."""
        deadline = time.monotonic() + timeout_s
        model = self._served_model(deadline)
        futures = [self._threads.submit(self._ask, ask, model, deadline) for ask in asks]
        try:
            return [future.result(max(0.1, deadline + 1 - time.monotonic())) for future in futures]
        except TimeoutError as error:
            raise PortUnavailable(PORT, "too slow") from error
        finally:
            for future in futures:
                future.cancel()

    def healthy(self) -> bool:
        """Return True: an endpoint that is away may come back."""
        return True

    def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._endpoint.close()

    def list_models(self, timeout_s: float) -> list[str]:
        """Return the names the endpoint serves; empty if it does not list them. Raises `PortUnavailable`."""
        listed = self._endpoint.get_json("/models", timeout_s)
        data = listed.get("data") if isinstance(listed, dict) else None
        rows = data if isinstance(data, list) else []
        return [str(row["id"]) for row in rows if isinstance(row, dict) and row.get("id")]

    def _served_model(self, deadline: float) -> str:
        with self._lock:
            if self._model is None:
                served = self.list_models(max(0.1, min(5.0, deadline - time.monotonic())))
                self._model = served[0] if served else self._fallback_model
            return self._model

    def _ask(self, ask: Ask, model: str, deadline: float) -> Answer:
        return self._endpoint.complete(make_request(ask, model), deadline, partial(_read, AnswerWatch(deadline)))


def make_request(ask: Ask, model: str) -> dict[str, Any]:
    """Return the body of one call, with the picture inside it."""
    address = "data:image/png;base64," + base64.b64encode(to_png(ask.picture)).decode()
    content: list[dict[str, Any]] = [{"type": "image_url", "image_url": {"url": address}}]
    if ask.prompt:
        content.append({"type": "text", "text": ask.mark + ask.prompt})
    request = {
        "model": model,
        "messages": [{"role": "user", "content": content}],
        "temperature": ask.sampling.temperature,
        "top_p": ask.sampling.top_p,
        "max_tokens": ask.sampling.max_tokens,
        "stream": True,
    }
    return request | _extras(ask)


def _extras(ask: Ask) -> dict[str, Any]:
    """Return the arguments that only some models need, because servers may refuse those they do not know."""
    sampling = ask.sampling
    extras: dict[str, Any] = {}
    if sampling.stop:
        extras["stop"] = list(sampling.stop)
    if sampling.repetition_penalty != 1.0:
        extras["repetition_penalty"] = sampling.repetition_penalty
    if not sampling.skip_special_tokens:
        extras["skip_special_tokens"] = False
    if sampling.processor_arguments:
        extras["vllm_xargs"] = dict(sampling.processor_arguments)
    if ask.template_arguments:
        extras["chat_template_kwargs"] = dict(ask.template_arguments)
    return extras


def _read(watch: AnswerWatch, response: httpx.Response) -> Answer:
    """Return the answer, streamed or in one piece, as servers without streaming send it. Raises `ValueError`."""
    if "json" not in response.headers.get("content-type", ""):
        return _collect(response.iter_lines(), watch)
    text, finish = _read_event(response.read().decode(), "message")
    return Answer(text=text[:MAX_CHARS], ending=AnswerEnd.STOP if finish in ("stop", None) else AnswerEnd.LENGTH)


def _collect(lines: Iterator[str], watch: AnswerWatch) -> Answer:
    """Return the streamed text up to its end, the deadline or a loop. Raises `ValueError` for any other stream."""
    text, ending = "", AnswerEnd.LENGTH  # a stream that just stops was cut
    for line in lines:
        verdict = watch.verdict(text)
        if verdict is not None or len(text) > MAX_CHARS:
            return Answer(text=text, ending=verdict or AnswerEnd.LENGTH)
        if not line.startswith("data:") or len(line) > MAX_LINE:
            continue
        payload = line[5:].strip()
        if payload == "[DONE]":
            break
        piece, finish = _read_event(payload)
        text += piece
        if finish is not None:
            ending = AnswerEnd.STOP if finish == "stop" else AnswerEnd.LENGTH
    return Answer(text=text, ending=ending)


def _read_event(payload: str, part: str = "delta") -> tuple[str, str | None]:
    event = json.loads(payload)
    choices = event.get("choices") if isinstance(event, dict) else None
    if not isinstance(choices, list):
        raise ValueError("no choices")
    if not choices:
        return "", None  # the last event with the usage figures
    choice = choices[0]
    message = choice.get(part) or {}
    return str(message.get("content") or ""), choice.get("finish_reason")

"""A vision-language model in vLLM's AsyncLLM, which batches the prompts of all callers. Imported lazily.

The constructor starts the engine's processes and `close` ends them. A dead engine is not used again: `healthy` returns
False, and the owner creates a new one.
"""

import asyncio
import os
import threading
import time
import uuid
from collections.abc import Coroutine, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from quire.actors.vlm.answer_guard import AnswerWatch
from quire.actors.vlm.models.contract import Answer, AnswerEnd, Arguments, Ask
from quire.actors.vlm.transformers_engine import describe, make_messages
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PortUnavailable

PORT = "vlm_ocr"
STREAM_EVERY = 16
"""Tokens between two checks of an answer: a check per token costs the front process more than the GPU waits."""
ENGINE_OPTIONS = {
    "limit_mm_per_prompt": {"image": 1},
    "enable_prefix_caching": False,
    "mm_processor_cache_gb": 0,
    "stream_interval": STREAM_EVERY,
}
"""No two pages are alike, so caches of pictures and prefixes only cost; the models' makers say the same."""
CLOSE_S = 30.0  # seconds an engine may take to free the GPU


class VllmEngine:
    """Implements `VlmEngine` with vLLM's loop on a separate thread. `options` override ours for AsyncEngineArgs."""

    name = "vllm"

    def __init__(self, location: str, **options: Any) -> None:
        os.environ["VLLM_NO_USAGE_STATS"] = "1"  # it would report every start to its makers
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="vllm", daemon=True).start()
        try:
            self.version, self._engine, self._templates = self._run(self._load(location, ENGINE_OPTIONS | options))
        except BaseException:
            self._loop.call_soon_threadsafe(self._loop.stop)
            raise

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        """Return one answer for each prompt. Raises `PortUnavailable` if the engine is dead."""
        deadline = time.monotonic() + timeout_s
        return list(self._run(self._write_all(asks, deadline)))

    def healthy(self) -> bool:
        """Return False once the engine's process is gone; it does not come back by itself."""
        return not self._engine.errored

    def close(self) -> None:
        """End the engine's processes."""
        self._run(self._shut_down())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _load(self, location: str, options: dict[str, Any]) -> tuple[str, Any, "Templates"]:
        try:
            vllm, engines = import_module("vllm"), import_module("vllm.v1.engine.async_llm")
            templates = Templates(location)
            templates.check()
            engine = engines.AsyncLLM.from_engine_args(
                vllm.AsyncEngineArgs(model=location, disable_log_stats=True, **options)
            )
            return str(vllm.__version__), engine, templates
        except (ImportError, OSError, ValueError, KeyError, RuntimeError) as error:
            raise MlUnavailable(describe(error)) from error

    async def _shut_down(self) -> None:
        handler = getattr(self._engine, "output_handler", None)
        if handler is not None:  # else it takes the engine's planned end for its death and logs that
            handler.cancel()
        await asyncio.wait_for(asyncio.to_thread(self._engine.shutdown), CLOSE_S)

    async def _write_all(self, asks: Sequence[Ask], deadline: float) -> list[Answer]:
        """Return all answers, or raise the first failure once the others have ended too, so that none keeps running."""
        results = await asyncio.gather(
            *(self._write(ask, AnswerWatch(deadline)) for ask in asks), return_exceptions=True
        )
        answers = []
        for result in results:
            if isinstance(result, BaseException):
                raise result
            answers.append(result)
        return answers

    async def _write(self, ask: Ask, watch: AnswerWatch) -> Answer:
        name, pieces = uuid.uuid4().hex, _Pieces()
        request = {"prompt": self._templates.render(ask), "multi_modal_data": {"image": ask.picture}}
        try:
            async with asyncio.timeout(watch.left_s):
                async for output in self._engine.generate(request, _sampling(ask), name):
                    ending = pieces.take(output, watch)
                    if ending is not None:
                        if not output.finished:
                            await self._engine.abort(name)
                        return Answer(text=pieces.text, ending=ending)
        except TimeoutError:
            await self._engine.abort(name)
            return Answer(text=pieces.text, ending=AnswerEnd.TIMEOUT)
        except Exception as error:  # vLLM's own families (engine dead, prompt too long) have no common root
            raise PortUnavailable(PORT, type(error).__name__) from error
        return Answer(text=pieces.text, ending=AnswerEnd.LENGTH)


class _Pieces:
    """An answer while it is streamed."""

    def __init__(self) -> None:
        self.text = ""

    def take(self, output: Any, watch: AnswerWatch) -> AnswerEnd | None:
        """Append a piece; return the reason if the answer ends with it, else None."""
        piece = output.outputs[0]
        self.text += piece.text
        if output.finished:
            return AnswerEnd.STOP if piece.finish_reason == "stop" else AnswerEnd.LENGTH
        return watch.verdict(self.text)


def _sampling(ask: Ask) -> Any:
    vllm, sampling = import_module("vllm"), ask.sampling
    return vllm.SamplingParams(
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        max_tokens=sampling.max_tokens,
        repetition_penalty=sampling.repetition_penalty,
        stop=list(sampling.stop),
        skip_special_tokens=sampling.skip_special_tokens,
        extra_args=dict(sampling.processor_arguments) or None,
        output_kind=import_module("vllm.sampling_params").RequestOutputKind.DELTA,
    )


class Templates:
    """Prompts by the model's own chat template; code in the model's folder is never run for it."""

    def __init__(self, location: str) -> None:
        transformers = import_module("transformers")
        try:
            self._source = transformers.AutoProcessor.from_pretrained(location)
        except (AttributeError, ImportError, OSError, ValueError, KeyError):  # code of the folder, or one more package
            self._source = transformers.AutoTokenizer.from_pretrained(location)
        self._render = lru_cache(maxsize=32)(self._apply)

    def check(self) -> None:
        """Render a prompt, so that a checkpoint without a chat template is refused at the start. Raises ValueError."""
        self._apply("", "OCR:", ())

    def render(self, ask: Ask) -> str:
        """Return the whole prompt with one placeholder for a picture."""
        return self._render(ask.mark, ask.prompt, ask.template_arguments)

    def _apply(self, mark: str, prompt: str, arguments: Arguments) -> str:
        messages = [{"role": "user", "content": mark + prompt}] if mark else make_messages(prompt, None)
        return str(
            self._source.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **dict(arguments))
        )

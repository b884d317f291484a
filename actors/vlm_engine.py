"""Vision-language models on this machine: vLLM where it is installed, plain transformers otherwise. Imported lazily.

In come asks, out go guarded answers. Weights come from a local folder or the local model cache; what the folder
contains is never executed (`trust_remote_code` stays off).
"""

import asyncio
import io
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from importlib import import_module
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from typing import Any, Protocol

from actors.vlm_guard import Watch
from models.cdom.errors import MlUnavailable
from models.cdom.ports import PortUnavailable
from models.neural.vlm.contract import Answer, Ask, Ending, VlmEngine

PORT = "vlm_ocr"
LOOK_EVERY_TOKENS = 16


def make_engine(location: str) -> VlmEngine:
    """The best engine installed here for a model folder or hub name. Raises `MlUnavailable` when there is none."""
    if find_spec("vllm"):
        return VllmEngine(location)
    if find_spec("torch") and find_spec("transformers"):
        return WriterEngine(lambda: TransformersWriter(location), "transformers")
    raise MlUnavailable("neither vllm nor transformers is installed; see requirements-gpu.lock")


class Writer(Protocol):
    """Writes one answer at a time, asking `watch` now and then."""

    def write(self, ask: Ask, watch: Watch) -> Answer: ...


class WriterEngine:
    """Implements `VlmEngine` over one writer, made at the first ask: callers take turns."""

    def __init__(self, make_writer: Callable[[], Writer], package: str, *, version: str | None = None) -> None:
        self.name, self._make_writer = package, make_writer
        self.version = version or installed_version(package)
        self._turn = threading.Lock()
        self._writer: Writer | None = None

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        """Raises `PortUnavailable` when no turn came in time, `MlUnavailable` when the model does not load."""
        deadline = time.monotonic() + timeout_s
        return [self._write(ask, deadline) for ask in asks]

    def close(self) -> None:
        with self._turn:
            self._writer = None

    def _write(self, ask: Ask, deadline: float) -> Answer:
        if not self._turn.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise PortUnavailable(PORT, "too slow")
        try:
            if self._writer is None:
                self._writer = self._make_writer()
            return self._writer.write(ask, Watch(deadline))
        finally:
            self._turn.release()


def _open_picture(ask: Ask) -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(ask.image)).convert("RGB")


def _make_messages(ask: Ask, picture: Any) -> list[dict[str, Any]]:
    content = [{"type": "image", "image": picture}] + ([{"type": "text", "text": ask.prompt}] if ask.prompt else [])
    return [{"role": "user", "content": content}]


class TransformersWriter:
    """One model in this process, on the GPU where there is one."""

    def __init__(self, location: str) -> None:
        try:
            torch, transformers = import_module("torch"), import_module("transformers")
            self._processor = transformers.AutoProcessor.from_pretrained(location)
            model = transformers.AutoModelForImageTextToText.from_pretrained(location, dtype="auto")
        except (ImportError, OSError, ValueError, KeyError, RuntimeError) as error:
            raise MlUnavailable(f"the model does not load: {type(error).__name__}") from error
        self._torch, self._transformers = torch, transformers
        self._model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()

    def write(self, ask: Ask, watch: Watch) -> Answer:
        inputs = self._processor.apply_chat_template(
            _make_messages(ask, _open_picture(ask)),
            add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
        ).to(self._model.device, dtype=self._model.dtype)  # fmt: skip
        start = inputs["input_ids"].shape[1]
        stop = _StopEarly(self, start, watch)
        sampling = ask.sampling
        chance = {"temperature": sampling.temperature, "top_p": sampling.top_p} if sampling.temperature else {}
        with self._torch.inference_mode():
            output = self._model.generate(
                **inputs, max_new_tokens=sampling.max_tokens, do_sample=bool(chance), **chance,
                stopping_criteria=self._transformers.StoppingCriteriaList([stop]),
            )  # fmt: skip
        tokens = output[0, start:]
        full = len(tokens) >= sampling.max_tokens and int(tokens[-1]) not in self._ends()
        return Answer(text=self.decode(tokens), ending=stop.verdict or (Ending.LENGTH if full else Ending.STOP))

    def decode(self, tokens: Any) -> str:
        """Text of generated tokens."""
        return str(self._processor.decode(tokens, skip_special_tokens=True))

    def full(self, value: bool, ids: Any) -> Any:
        """A stopping criterion's answer: one truth value per sequence."""
        return self._torch.full((ids.shape[0],), value, dtype=self._torch.bool, device=ids.device)

    def _ends(self) -> set[int]:
        ends = self._model.generation_config.eos_token_id
        return set(ends) if isinstance(ends, list) else {ends}


class _StopEarly:
    """A stopping criterion of transformers: asks the watch every few tokens."""

    def __init__(self, writer: TransformersWriter, start: int, watch: Watch) -> None:
        self._writer, self._start, self._watch = writer, start, watch
        self.verdict: Ending | None = None

    def __call__(self, ids: Any, scores: Any, **_: Any) -> Any:
        if (ids.shape[1] - self._start) % LOOK_EVERY_TOKENS == 0:
            self.verdict = self.verdict or self._watch.verdict(self._writer.decode(ids[0, self._start :]))
        return self._writer.full(self.verdict is not None, ids)


class VllmEngine:
    """Implements `VlmEngine` over vLLM's AsyncLLM, which batches the asks of all callers; its loop has its thread."""

    name = "vllm"

    def __init__(self, location: str, **options: Any) -> None:
        self.version = installed_version("vllm")
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="vllm", daemon=True).start()
        self._engine, self._processor = self._run(self._load(location, options))

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        """Raises `PortUnavailable` when the engine is dead."""
        deadline = time.monotonic() + timeout_s
        return list(self._run(self._write_all(asks, deadline)))

    def close(self) -> None:
        self._engine.shutdown()
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _load(self, location: str, options: dict[str, Any]) -> tuple[Any, Any]:
        try:
            vllm, transformers = import_module("vllm"), import_module("transformers")
            arguments = vllm.AsyncEngineArgs(model=location, limit_mm_per_prompt={"image": 1}, **options)
            engine = import_module("vllm.v1.engine.async_llm").AsyncLLM.from_engine_args(arguments)
            return engine, transformers.AutoProcessor.from_pretrained(location)
        except (ImportError, OSError, ValueError, KeyError, RuntimeError) as error:
            raise MlUnavailable(f"the model does not load: {type(error).__name__}") from error

    async def _write_all(self, asks: Sequence[Ask], deadline: float) -> list[Answer]:
        return list(await asyncio.gather(*(self._write(ask, Watch(deadline)) for ask in asks)))

    async def _write(self, ask: Ask, watch: Watch) -> Answer:
        picture = await asyncio.to_thread(_open_picture, ask)
        prompt = self._processor.apply_chat_template(
            _make_messages(ask, picture), add_generation_prompt=True, tokenize=False
        )
        sampling = import_module("vllm").SamplingParams(
            temperature=ask.sampling.temperature, top_p=ask.sampling.top_p, max_tokens=ask.sampling.max_tokens
        )
        name, text = uuid.uuid4().hex, ""
        request = {"prompt": prompt, "multi_modal_data": {"image": picture}}
        try:
            async with asyncio.timeout(watch.left_s):
                async for output in self._engine.generate(request, sampling, name):
                    text = output.outputs[0].text
                    verdict = watch.verdict(text)
                    if verdict is not None:
                        await self._engine.abort(name)
                        return Answer(text=text, ending=verdict)
                    if output.finished:
                        whole = output.outputs[0].finish_reason == "stop"
                        return Answer(text=text, ending=Ending.STOP if whole else Ending.LENGTH)
        except TimeoutError:
            await self._engine.abort(name)
            return Answer(text=text, ending=Ending.TIMEOUT)
        except Exception as error:  # vLLM's own families (engine dead, prompt too long) have no common root
            raise PortUnavailable(PORT, type(error).__name__) from error
        return Answer(text=text, ending=Ending.LENGTH)

"""Selection of the engine for a vision-language model: vLLM if it is installed, plain transformers otherwise.

Weights come from a local folder or the local model cache; what the folder
contains is never executed (`trust_remote_code` stays off). Engines are imported only when one is made.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from typing import Any, Protocol

from quire.actors.vlm.answer_guard import AnswerWatch
from quire.actors.vlm.models.contract import Answer, Ask, VlmEngine
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PortUnavailable

PORT = "vlm_ocr"


def make_engine(location: str, options: Mapping[str, Any]) -> VlmEngine:
    """Return the best installed engine for a model folder or hub name. `options` are for vLLM.

    Raises:
        MlUnavailable: No engine is installed.
    """
    if find_spec("vllm"):
        from quire.actors.vlm.vllm_engine import VllmEngine

        return VllmEngine(location, **options)
    if find_spec("torch") and find_spec("transformers"):
        from quire.actors.vlm.transformers_engine import TransformersWriter

        return WriterEngine(lambda: TransformersWriter(location), "transformers")
    raise MlUnavailable("neither vllm nor transformers is installed; see configs/locks/gpu.lock")


class AnswerWriter(Protocol):
    """Writes one answer at a time and checks `watch` now and then."""

    def write(self, ask: Ask, watch: AnswerWatch) -> Answer:
        """Generate the answer to one prompt, until its end or a verdict of `watch`."""


class WriterEngine:
    """Implements `VlmEngine` over one writer, created at the first prompt: callers take turns."""

    def __init__(self, make_writer: Callable[[], AnswerWriter], package: str, *, version: str | None = None) -> None:
        self.name, self._make_writer = package, make_writer
        self.version = version or installed_version(package)
        self._turn = threading.Lock()
        self._writer: AnswerWriter | None = None

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        """Return one answer for each prompt.

        Raises:
            PortUnavailable: Other callers kept the writer busy for `timeout_s` seconds.
            MlUnavailable: The model does not load.
        """
        deadline = time.monotonic() + timeout_s
        return [self._write(ask, deadline) for ask in asks]

    def healthy(self) -> bool:
        """Return True: the writer lives in this process."""
        return True

    def close(self) -> None:
        """Drop the model."""
        with self._turn:
            self._writer = None

    def _write(self, ask: Ask, deadline: float) -> Answer:
        if not self._turn.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise PortUnavailable(PORT, "too slow")
        try:
            if self._writer is None:
                self._writer = self._make_writer()
            return self._writer.write(ask, AnswerWatch(deadline))
        finally:
            self._turn.release()

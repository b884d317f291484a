"""The contract between vision-language models and engines: asks (picture, prompt, sampling) and answers (text, ending).

A model turns a page into asks and answers into blocks; an engine turns an ask into an answer. Neither knows the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import PictureKind, PixelPage, RecognisedBlock
from quire.models.cdom.tree import BlockType

if TYPE_CHECKING:
    from PIL.Image import Image


class AnswerEnd(StrEnum):
    """Why an answer ended. Only `stop` is the model's own end."""

    STOP = "stop"
    LENGTH = "length"
    LOOP = "loop"
    TIMEOUT = "timeout"


Arguments = tuple[tuple[str, str | int | float | bool], ...]
"""Names with values, in a form that can be hashed and compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Generation of one answer by an engine. `max_tokens` is the cap of one answer.

    `stop`: texts that end it. `skip_special_tokens`: False for models whose structure is special tokens.
    `processor_arguments`: of the logits processors that the engine was started with.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 4096
    repetition_penalty: float = 1.0
    stop: tuple[str, ...] = ()
    skip_special_tokens: bool = True
    processor_arguments: Arguments = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One picture (decoded, RGB) and the prompt for it; an empty prompt sends the picture alone.

    Remote engines encode the picture themselves. An engine in this process would only decode it again, 12 ms per page.
    `mark` is the model's placeholder for the picture, for chat templates that take plain text only. It is put before
    the prompt, because servers would otherwise insert a line break between picture and prompt. `template_arguments` are
    those of the model's chat template, for engines that serve several checkpoints of a model.
    """

    picture: "Image"
    prompt: str
    sampling: Sampling
    mark: str = ""
    template_arguments: Arguments = ()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.picture.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The model's own output, special tokens that carry structure included."""

    text: str
    ending: AnswerEnd = AnswerEnd.STOP


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRegion:
    """A block that a layout detector found, for models that read crops. `bbox` is in points of the page as shown.

    `picture`: kind of a picture that has something to read.
    """

    type: BlockType
    bbox: Bbox
    text: str = ""
    picture: PictureKind | None = None


class BadAnswer(Exception):
    """The output is not what this model is to give; the page goes to the CPU recogniser. Detail without content."""

    code = "vlm-bad-answer"


class VlmModel(Protocol):
    """A registered model. With `needs_regions` it reads crops, which a layout detector must find first.

    `engine_options`: arguments of vLLM's engine that its makers recommend.
    """

    name: str
    needs_regions: bool
    engine_options: ClassVar[Mapping[str, Any]]

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        """Return the asks for a page."""

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Blocks in reading order, boxes in points. Raises `BadAnswer`."""
        ...


class VlmEngine(Protocol):
    """Runs a model. `generate` keeps the order, guards each answer and may be called by many threads."""

    @property
    def name(self) -> str:
        """Return the engine's name."""

    @property
    def version(self) -> str:
        """Return the engine's version."""

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        """Answer the asks, in their order.

        Raises:
            PortUnavailable: The engine is unreachable or has no capacity.
        """
        ...

    def healthy(self) -> bool:
        """Return False when this engine will not answer again and must be replaced."""
        ...

    def close(self) -> None:
        """Release the engine's resources."""

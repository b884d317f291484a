"""The contract between vision-language models and engines: asks (picture, prompt, sampling) and answers (text, ending).

A model turns a page into asks and answers into blocks; an engine turns an ask into an answer. Neither knows the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from models.cdom.geometry import Bbox
from models.cdom.ports import PixelPage, RecognisedBlock
from models.cdom.tree import BlockType

if TYPE_CHECKING:
    from PIL.Image import Image


class AnswerEnd(StrEnum):
    """Why an answer ended. Only `stop` is the model's own end."""

    STOP = "stop"
    LENGTH = "length"
    LOOP = "loop"
    TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """`max_tokens` is the cap of one answer."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One picture (decoded, RGB) and the prompt for it; an empty prompt sends the picture alone.

    Remote engines encode the picture themselves. An engine in this process would only decode it again, 12 ms per page.
    `mark` is the model's placeholder for the picture, for chat templates that take plain text only. It is put before
    the prompt, because servers would otherwise insert a line break between picture and prompt.
    """

    picture: "Image"
    prompt: str
    sampling: Sampling
    mark: str = ""

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
    """A block that a layout detector found, for models that read crops. `bbox` is in points of the page as shown."""

    type: BlockType
    bbox: Bbox
    text: str = ""


class BadAnswer(Exception):
    """The output is not what this model is to give; the page goes to the CPU recogniser. Detail without content."""

    code = "vlm-bad-answer"


class VlmModel(Protocol):
    """A registered model. With `needs_regions` it reads crops, which a layout detector must find first."""

    name: str
    needs_regions: bool

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

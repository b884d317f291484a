"""What a vision-language model is to an engine and back: asks (picture, prompt, sampling) and answers (text, ending).

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
    """One picture (decoded, RGB) and what is asked about it; an empty prompt = the picture alone. Encoding it is left
    to engines elsewhere: one in this process would only decode it again, 12 ms of a page.

    `mark` is the model's own placeholder for the picture, where its chat template takes plain text only: it then stands
    before the prompt, because servers would otherwise put a line break of their own between picture and prompt.
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
    """A block somebody else found on the page: for models that read crops. `bbox` in points of the page as shown."""

    type: BlockType
    bbox: Bbox
    text: str = ""


class BadAnswer(Exception):
    """The output is not what this model is to give; the page goes to the CPU recogniser. Detail without content."""

    code = "vlm-bad-answer"


class VlmModel(Protocol):
    """One registered model. `needs_regions`: it reads crops, and somebody must find them first."""

    name: str
    needs_regions: bool

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]: ...

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Blocks in reading order, boxes in points. Raises `BadAnswer`."""
        ...


class VlmEngine(Protocol):
    """Runs a model. `generate` keeps the order, guards each answer and may be called by many threads."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def generate(self, asks: Sequence[Ask], timeout_s: float) -> list[Answer]:
        """Raises `PortUnavailable` when the engine is away or full."""
        ...

    def healthy(self) -> bool:
        """False when this engine will never answer again and must be made anew."""
        ...

    def close(self) -> None: ...

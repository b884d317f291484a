"""What one door needs of the other, as Protocols: handed to `create_app(Resources)` and to the actors' constructors.

Under Ray they are Serve handles with a timeout; in tests they are in-process objects. Every call can raise
`PortUnavailable`.
"""

from dataclasses import dataclass, field
from typing import Protocol

from models.cdom.errors import ErrorCode
from models.cdom.original import ReadOptions
from models.cdom.tree import Tree


class PortUnavailable(Exception):
    """The other side is gone, full or too slow; the caller answers 503 with Retry-After."""

    code = "port-unavailable"
    retryable = True

    def __init__(self, port: str, reason: str = "unavailable") -> None:
        super().__init__(f"{port}: {reason}")
        self.port, self.reason = port, reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutcome:
    """One document read once: either `tree` (with its `assets` by asset_ref) or `error` with a safe `detail`.

    `charged` is false when the failure was the infrastructure's and no start is to be counted.
    """

    tree: Tree | None = None
    tree_json: bytes = b""
    assets: dict[str, bytes] = field(default_factory=dict)
    error: ErrorCode | None = None
    detail: str = ""
    charged: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A rendered page: PNG bytes; page size in points; number of pages in the original."""

    png: bytes
    width: float
    height: float
    page_count: int
    media_type: str = "image/png"


class ReadOnce(Protocol):
    """Read a document now, keep nothing (compare, evaluate)."""

    async def read_once(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome: ...


class RenderPage(Protocol):
    """One page of an original as PNG at `dpi`, drawn in the sandbox. Raises `ExtractError`."""

    async def render_page(self, blob_key: str, page: int, dpi: int, password: str | None) -> PageImage: ...


class ClusterState(Protocol):
    """What the cluster says of itself: pool name → facts; a warning in deep health, never a failure."""

    async def cluster_state(self) -> dict[str, object]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelPage:
    """A page as pixels for a recogniser: PNG or JPEG bytes, and the page's size in points."""

    number: int
    image: bytes
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A recognised stretch of text: box in points of the page, confidence 0..1, `line` numbers its text line."""

    text: str
    bbox: tuple[float, float, float, float]
    confidence: float
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedPage:
    """What a recogniser read on one page; `rotation` is the clockwise turn (0/90/180/270) that made it upright."""

    number: int
    words: tuple[Word, ...]
    rotation: int = 0
    skew_degrees: float = 0.0
    engine: str
    model: str | None
    version: str


class RecognisePages(Protocol):
    """Pixels to words, in the order given. Raises `PortUnavailable` or `MlUnavailable`."""

    def recognise_pages(
        self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float
    ) -> list[RecognisedPage]: ...


class Embed(Protocol):
    """Texts to unit vectors (float32 lists of the model's width), in the order given."""

    def embed(self, texts: list[str], timeout_s: float) -> list[list[float]]: ...


class Tokenizer(Protocol):
    """Counts as the embedding model does, without its special tokens; `offsets` are character places, end exclusive."""

    def count(self, text: str) -> int: ...

    def offsets(self, text: str) -> list[tuple[int, int]]: ...

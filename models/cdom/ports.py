"""What one door needs of the other, as Protocols: handed to `create_app(Resources)` and to the actors' constructors.

Under Ray they are Serve handles with a timeout; in tests they are in-process objects. Every call can raise
`PortUnavailable`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from models.cdom.chunk import Chunk
from models.cdom.coverage import ScanCoverage
from models.cdom.errors import ErrorCode
from models.cdom.geometry import Bbox, PageBend
from models.cdom.original import Embedded, ReadOptions
from models.cdom.search import SearchHit, SearchRequest
from models.cdom.table import Table
from models.cdom.tree import BlockType, Span, Tree

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


class PortUnavailable(Exception):
    """The other side is gone, full or too slow; the caller answers 503 with Retry-After."""

    code = "port-unavailable"
    retryable = True

    def __init__(self, port: str, reason: str = "unavailable") -> None:
        super().__init__(f"{port}: {reason}")
        self.port, self.reason = port, reason


class PeerDied(PortUnavailable):
    """The other side ended while it worked on this very call."""

    code = "peer-died"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutcome:
    """One document read once: either `tree` (with its `assets` by asset_ref and the
    files that were inside it) or `error` with a safe `detail`.

    `charged` is false when the failure was the infrastructure's and no start is to be counted.
    """

    tree: Tree | None = None
    tree_json: bytes = b""
    assets: dict[str, bytes] = field(default_factory=dict)
    embedded: tuple[Embedded, ...] = ()
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
    boxes: tuple[tuple[Bbox, ...], ...] = ()
    """Where the stretches of each mark that was asked for stand; none for one that was not found as it was read."""


@dataclass(frozen=True, slots=True)
class PageMark:
    """A text that stands in `bbox` (points of the page as shown), and the stretches of it that are looked for."""

    bbox: Bbox
    text: str
    spans: tuple[tuple[int, int], ...]


class ReadOnce(Protocol):
    """Read a document now, keep nothing (compare, evaluate)."""

    async def read_once(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome: ...


class RenderPage(Protocol):
    """A page of an original, or `area` of it (points), as PNG at `dpi`, drawn in the sandbox. Raises `ExtractError`.

    `marks`: texts of the page whose exact places are wanted with it.
    """

    async def render_page(
        self,
        blob_key: str,
        page: int,
        dpi: int,
        password: str | None,
        area: Bbox | None = None,
        marks: Sequence[PageMark] = (),
    ) -> PageImage: ...


class RedactionRefused(Exception):
    """No redacted file is given; `code` is `redaction-unproven`, `not-redactable` or `pii-incomplete`."""

    code = "redaction-unproven"

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail

    def __reduce__(self) -> tuple[type["RedactionRefused"], tuple[str, str]]:
        return type(self), (self.code, self.detail)


class RedactOriginal(Protocol):
    """An original as a redacted file of its kind, made and proven in the sandbox.

    `decisions` is (block id, flag, number of the span) → decision. Raises `RedactionRefused`, `ExtractError`.
    """

    async def redact_original(
        self, blob_key: str, tree: bytes, decisions: Mapping[tuple[str, str, int], str], password: str | None
    ) -> bytes: ...


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
class RecognisedBlock:
    """A block from a recogniser that lays pages out itself; `bbox` in points of the page as shown, null = not said."""

    type: BlockType
    text: str = ""
    bbox: Bbox | None = None
    level: int | None = None
    spans: tuple[Span, ...] = ()
    table: Table | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedPage:
    """What a recogniser read on one page; `rotation` is the clockwise turn (0/90/180/270) that made it upright.

    `rules`: boxes of the straight lines drawn on it, level and upright, in points of the upright, level page.

    `blocks` in reading order from one that lays out pages (then `words` are empty); `warnings` are codes for the tree.
    `bend`: how its lines bent where they did; words and rules then stand where they would on the flat page.
    `ink`: how much of what is dark and of letter size was read; null where nobody looked.
    """

    number: int
    words: tuple[Word, ...]
    rotation: int = 0
    skew_degrees: float = 0.0
    rules: tuple[Bbox, ...] = ()
    blocks: tuple[RecognisedBlock, ...] | None = None
    warnings: tuple[str, ...] = ()
    ink: ScanCoverage | None = None
    bend: PageBend | None = None
    engine: str
    model: str | None
    version: str


class RecognisePages(Protocol):
    """Pixels to words, in the order given. Raises `PortUnavailable` or `MlUnavailable`."""

    def recognise_pages(
        self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float
    ) -> list[RecognisedPage]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenElement:
    """What a layout detector sees on a page: box in points of the page as shown, confidence 0..1."""

    type: BlockType
    bbox: Bbox
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedPage:
    """What a layout detector sees on a page, the surest first, and which model it was."""

    elements: tuple[SeenElement, ...]
    model: str


class FindElements(Protocol):
    """What stands where on the picture of a page. Raises `PortUnavailable` or `MlUnavailable`."""

    def find_elements(self, page: PixelPage, timeout_s: float) -> DetectedPage: ...


class EmbeddingFailed(Exception):
    """The model cannot make a vector of these texts; trying again would not help."""

    code = "embedding-failed"


class Embed(Protocol):
    """Texts to unit vectors, one float32 row a text, in the order given. `urgent` ones are taken first."""

    def embed(self, texts: Sequence[str], *, timeout_s: float, urgent: bool = False) -> "Vectors": ...


class IndexDocument(Protocol):
    """Chunks of one attempt of a document into the search index; nobody sees them before that attempt is published.

    May be called again for the same attempt; `replace`: with other chunks, which take the place of all earlier ones at
    once. Raises `PortUnavailable`.
    """

    def index_document(
        self,
        owner: tuple[str, str],
        document_id: str,
        attempt: int,
        chunks: Sequence[Chunk],
        *,
        urgent: bool = False,
        replace: bool = False,
    ) -> None: ...


class SearchIndex(Protocol):
    """Hits among the published documents of the request's tenant and org; None = that document or job is not theirs.

    Raises `PortUnavailable`.
    """

    async def search(self, request: SearchRequest) -> list[SearchHit] | None: ...

    async def check(self) -> float:
        """Seconds for which the keyword index of the machine that answers has been behind; 0 when it is in step.

        Raises `PortUnavailable` when the index cannot be read.
        """


class Tokenizer(Protocol):
    """Counts as the embedding model does, without its special tokens; `offsets` are character places, end exclusive."""

    def count(self, text: str) -> int: ...

    def offsets(self, text: str) -> list[tuple[int, int]]: ...

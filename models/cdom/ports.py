"""Protocols between the API side and the reading side of the service.

`create_app(Resources)` and the actors' constructors receive them. Under Ray they are Serve handles with a timeout; in
tests they are in-process objects. Every call can raise `PortUnavailable`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from quire.models.cdom.chunk import Chunk
from quire.models.cdom.coverage import ScanCoverage
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.geometry import Bbox, PageBend
from quire.models.cdom.original import Embedded, ReadOptions
from quire.models.cdom.search import SearchHit, SearchRequest
from quire.models.cdom.table import Table
from quire.models.cdom.tree import BlockType, PictureFacts, Span, Tree

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


class WrongAnswer(PortUnavailable):
    """The other side is there, but refuses the request or answers in another form than was asked for."""

    code = "wrong-answer"
    retryable = False


class PeerDied(PortUnavailable):
    """The other side ended while it worked on this very call."""

    code = "peer-died"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutcome:
    """Outcome of one reading: either `tree` or `error` with a safe `detail`.

    `assets` are keyed by asset_ref; `embedded` holds the files inside the document. `kept_pages`: what the next file of
    its name may need of its pages. `charged` is false when the
    infrastructure failed and the start does not count as an attempt.
    """

    tree: Tree | None = None
    tree_json: bytes = b""
    assets: dict[str, bytes] = field(default_factory=dict)
    embedded: tuple[Embedded, ...] = ()
    kept_pages: bytes = b""
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
    """Boxes of each requested mark's ranges; empty for a mark whose text was not found."""


@dataclass(frozen=True, slots=True)
class PageMark:
    """A text in `bbox` (points of the page as shown) and the character ranges of it to locate."""

    bbox: Bbox
    text: str
    spans: tuple[tuple[int, int], ...]


class ReadOnce(Protocol):
    """Read a document now, keep nothing (compare, evaluate)."""

    async def read_once(self, original: bytes, options: ReadOptions, timeout_s: float) -> ReadOutcome:
        """Read `original` within `timeout_s` seconds."""


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
    ) -> PageImage:
        """Render page `page` (1-based) of the stored original."""


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
    ) -> bytes:
        """Return the bytes of the redacted file; `tree` is the stored JSON of the document."""


class ClusterState(Protocol):
    """Reports the state of the cluster for deep health; a problem there is a warning, never a failure."""

    async def cluster_state(self) -> dict[str, object]:
        """Return facts about each pool, by pool name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelPage:
    """A page as pixels for a recogniser: PNG or JPEG bytes, and the page's size in points."""

    number: int
    image: bytes
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A recognised stretch of text: box in points of the page, confidence 0..1, `line` numbers its text line.

    `stroke`: usual thickness of its letters' strokes in points; 0 if not measured.
    """

    text: str
    bbox: tuple[float, float, float, float]
    confidence: float
    line: int
    stroke: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedBlock:
    """A block from a recogniser that lays pages out itself; `bbox` in points of the page as shown, null = not said.

    `picture` is set for charts, whose data is in `table`.
    """

    type: BlockType
    text: str = ""
    bbox: Bbox | None = None
    level: int | None = None
    spans: tuple[Span, ...] = ()
    table: Table | None = None
    picture: PictureFacts | None = None
    confidence: float = 1.0


class BoxMark(StrEnum):
    """Content of a box to tick; the value is the box as a sign."""

    EMPTY = "☐"
    TICKED = "☑"
    CROSSED = "☒"


@dataclass(frozen=True, slots=True, kw_only=True)
class TickBox:
    """A drawn box to tick, in points of the upright, level page."""

    bbox: Bbox
    mark: BoxMark


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedPage:
    """The result of recognition on one page; `rotation` is the clockwise turn (0/90/180/270) that made it upright.

    `rules`: boxes of the straight lines drawn on it, level and upright, in points of the upright, level page. `boxes`:
    its boxes to tick; they are in no word.

    `blocks`: in reading order, from a recogniser that lays out pages; `words` are then empty. `warnings` are codes for
    the tree. `bend`: the curvature of its lines, if any; words and rules then have their places on the flattened page.
    `ink`: how much of the dark components of letter size was read; null if not measured.
    """

    number: int
    words: tuple[Word, ...]
    rotation: int = 0
    skew_degrees: float = 0.0
    rules: tuple[Bbox, ...] = ()
    boxes: tuple[TickBox, ...] = ()
    blocks: tuple[RecognisedBlock, ...] | None = None
    warnings: tuple[str, ...] = ()
    ink: ScanCoverage | None = None
    bend: PageBend | None = None
    engine: str
    model: str | None
    version: str


class RecognisePages(Protocol):
    """Pixels to words, in the order given. Raises `PortUnavailable` or `MlUnavailable`."""

    def recognise_pages(self, pages: list[PixelPage], langs: tuple[str, ...], timeout_s: float) -> list[RecognisedPage]:
        """Recognise the pages; results are in the order of `pages`. The caller waits for `timeout_s` seconds."""


class PictureKind(StrEnum):
    """Kind of a picture whose content can be read."""

    CHART = "chart"
    SEAL = "seal"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenElement:
    """An element that a layout detector found: box in points of the page as shown, confidence 0 to 1."""

    type: BlockType
    bbox: Bbox
    confidence: float
    picture: PictureKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedPage:
    """Elements that a layout detector found on a page, by falling confidence, and the name of its model."""

    elements: tuple[SeenElement, ...]
    model: str


class FindElements(Protocol):
    """Detects layout elements on the picture of a page. Raises `PortUnavailable` or `MlUnavailable`."""

    def find_elements(self, page: PixelPage, timeout_s: float) -> DetectedPage:
        """Return the elements of a page. The caller waits for `timeout_s` seconds."""


class EmbeddingFailed(Exception):
    """The model cannot make a vector of these texts; trying again would not help."""

    code = "embedding-failed"


def keep_waiting() -> None:
    """Let a wait go on: the `check` of a caller that has no reason to give up."""


class Embed(Protocol):
    """Texts to unit vectors, one float32 row a text, in the order given. `urgent` ones are taken first.

    Other calls take turns, by tenant and then by call. A call takes as long as it takes; `check` is called about once a
    second while it waits, and an exception that it raises ends the wait.
    """

    def embed(
        self,
        texts: Sequence[str],
        *,
        tenant: str = "",
        urgent: bool = False,
        check: Callable[[], None] = keep_waiting,
    ) -> "Vectors":
        """Return a float32 array of shape (texts, dimensions) with rows of unit length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """Texts that wait at the embedder, and the fair seconds for which its current batch has not ended."""

    waiting: int
    standing_s: float


class WatchIndexQueue(Protocol):
    """State of the queue of texts. Raises `PortUnavailable`."""

    async def queue_state(self) -> QueueState:
        """Return the state of the embedder."""


def no_progress(done: int, total: int) -> None:
    """Ignore progress."""


class IndexDocument(Protocol):
    """Adds the chunks of one attempt to the search index; they are hidden until that attempt is published.

    May be called again for the same attempt; `replace` swaps all earlier chunks for the given ones in one step.
    Vectors of equal texts are taken from the documents `earlier` instead of being computed. `progress` is called with
    the chunks that have a vector and all chunks, at least once a second; an exception that it raises ends the work.
    Raises `PortUnavailable`.
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
        earlier: Sequence[str] = (),
        progress: Callable[[int, int], None] = no_progress,
    ) -> None:
        """Index the chunks; `owner` is (tenant, org)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlAnswer:
    """Rows of a query as JSON values. `columns` are (name, type); `is_truncated`: there are more rows than returned."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    is_truncated: bool


class SqlRefused(Exception):
    """The statement cannot be answered; the text is safe to show.

    `code`: `sql-invalid` (it is wrong), `sql-refused` (not a single query, or it reaches outside the tables),
    `sql-over-limit` (it needs more time, memory or room than one query may use).
    """

    CODES: ClassVar = ("sql-invalid", "sql-refused", "sql-over-limit")

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class RunSql(Protocol):
    """Answers one read-only query over table cells."""

    def run(self, statement: str, cells: Iterable[bytes], *, max_rows: int) -> SqlAnswer:
        """Return the answer; `cells` are pieces of an Arrow stream. Raises `SqlRefused` and `PortUnavailable`."""


class SearchIndex(Protocol):
    """Hits among the published documents of the request's tenant and org; None = that document or job is not theirs.

    Raises `PortUnavailable`.
    """

    async def search(self, request: SearchRequest) -> list[SearchHit] | None:
        """Return the hits, or None if the requested document or job is not theirs."""

    async def check(self) -> float:
        """Return by how many seconds the answering machine's keyword index is behind; 0 when in step.

        Raises:
            PortUnavailable: The index cannot be read.
        """


class Tokenizer(Protocol):
    """Counts as the embedding model does, without its special tokens; `offsets` are character places, end exclusive."""

    def count(self, text: str) -> int:
        """Return the number of tokens of the text."""

    def offsets(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the character range of each token."""


class AskModel(Protocol):
    """A language model of the operator's choice. Raises `PortUnavailable`, or `WrongAnswer` where it refuses."""

    @property
    def name(self) -> str:
        """Name of the model."""

    def ask(self, system: str, user: str, answer_schema: Mapping[str, object]) -> str:
        """Return the answer's text, which should be JSON of the schema. Blocks."""

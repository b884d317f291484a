"""Data passed from reading a page to assembling a document: plain frozen values, the same for every format.

A reader returns one `PageContent` per page, built without other pages; `assemble` builds the tree from them. This
module uses no parser, and no pixels except the bytes it carries.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Protocol, runtime_checkable

from pydantic import TypeAdapter

from quire.models.cdom.coverage import PageCoverage
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Format
from quire.models.cdom.ports import DetectedPage, PageImage, PixelPage, Word
from quire.models.cdom.table import Many, Table
from quire.models.cdom.tree import BlockType, FlagSpan, Metadata, PageStatus, PageWord, PictureFacts, Route, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLook:
    """Typographic look of a block, by which blocks of different pages are compared. Sizes in points.

    `lines` counts printed lines; `pitch` is the distance of their baselines. `ends_open`: the last line is full and
    ends in the middle of a sentence. `hyphen`: it ends in a dividing hyphen (kept in the text).
    """

    size: float = 0.0
    bold: bool = False
    italic: bool = False
    font: str = ""
    lines: int = 1
    pitch: float = 0.0
    ends_open: bool = False
    hyphen: bool = False


PLAIN_LOOK = TextLook()
TAGS_IGNORED = "tags-ignored"
"""Warning: the author's tags contradict the page, which was read by what it shows."""
SECOND_ENGINE = "second-engine"
"""Warning: the words of the page are those of a second engine, because the first did not read them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlock:
    """A block before the document is assembled.

    `parent` and `continues` are indices of blocks of the same page. `level` is final if the format states it (DOCX
    styles), and None if assembly decides by looks. `path` is the place in the source for formats without printed pages:
    part, element, range of lines or cells. `printed` is the text as printed, if `text` has another form (formulas, form
    fields). `unseen` is the reason why the block is invisible. `tagged`: its type and extent come from the structure
    tree of a tagged PDF. `score`: the expected quality of a table; `edges`: the sides of its columns, as x in
    points, if rules enclose all cells; `is_headed`: its first row is bold or shaded, the next is not.
    `breaks`: positions in `text` of hyphens at line ends, kept there or not. `anchors`: names by which links of the
    file refer to the block.
    """

    type: BlockType
    bbox: Bbox | None = None
    text: str = ""
    level: int | None = None
    spans: Many[Span] = ()
    table: Table | None = None
    picture: PictureFacts | None = None
    asset_ref: str | None = None
    parent: int | None = None
    continues: int | None = None
    confidence: float = 1.0
    flags: Many[str] = ()
    flag_spans: Many[FlagSpan] = ()
    look: TextLook = PLAIN_LOOK
    path: str | None = None
    printed: str = ""
    unseen: str | None = None
    recognised: bool = False
    tagged: bool = False
    score: float = 0.0
    edges: Many[float] = ()
    is_headed: bool = False
    breaks: Many[int] = ()
    anchors: Many[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArea:
    """A part of a page that a recogniser should read: in or around the page's block number `block`.

    `adds`: the result is added next to the block (a picture); otherwise it replaces the block's text, or the text of
    its table's cell number `cell`. `layer`: only this part of the text is replaced; empty for all of it.
    """

    bbox: Bbox
    block: int
    adds: bool = False
    cell: int | None = None
    layer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaReader:
    """Recogniser of the blocks that the page's text layer does not have."""

    engine: str
    model: str | None = None
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """One page as read. `number` is 1-based, sizes are in points after rotation.

    `body_size` is the most frequent type size. `warnings` are stable codes; `error` is set if and only if `status` is
    failed. `engine`, `model` and `version` name the reader (block provenance). `coverage` is None if it was not
    counted; `written` counts the characters of the blocks at their creation, by which assembly is checked. `areas` wait
    for a recogniser (route `mixed`); `recogniser` read the blocks that are `recognised`. `layer`: words of the text
    layer of a scan that waits for a recogniser; its blocks are made of them. `words` are those of the page as shown, if
    they were asked for or recognised. `parts` are framed rows at the ends of the page, in `blocks` as texts: rows of a
    table if a neighbouring page has others in the same frame.
    """

    number: int
    label: str | None = None
    width: float = 0.0
    height: float = 0.0
    rotation: int = 0
    route: Route = Route.FAST
    reason: str = ""
    status: PageStatus = PageStatus.OK
    error: ErrorCode | None = None
    confidence: float = 1.0
    body_size: float = 0.0
    blocks: Many[PageBlock] = ()
    warnings: Many[str] = ()
    engine: str = ""
    model: str | None = None
    version: str = ""
    coverage: PageCoverage | None = None
    written: int | None = None
    areas: Many[ReadArea] = ()
    recogniser: AreaReader | None = None
    layer: Many[Word] = ()
    words: Many[PageWord] = ()
    parts: Many[PageBlock] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """One bookmark: `level` from 1, 1-based `page` (0 without a target)."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFacts:
    """Facts about an open file: `page_count` of the file, `page_numbers` (1-based) to read."""

    format: Format
    page_count: int
    page_numbers: Many[int]
    metadata: Metadata = field(default_factory=Metadata)
    outline: Many[OutlineEntry] = ()
    warnings: Many[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """A page's content; `pixels` if a recogniser must read it; `assets` that were available without extra cost.

    `pictures`: pixels of its `areas` where each is read as a separate page (formats without printed pages).
    `doubted`: its picture for a layout detector, after whose opinion the page is read again (`ReadsAgain`). `fault`:
    place of an internal failure that prevented reading the page; for the log, not for callers.
    """

    content: PageContent
    pixels: PixelPage | None = None
    assets: dict[str, bytes] = field(default_factory=dict)
    fault: str | None = None
    doubted: PixelPage | None = None
    pictures: tuple[PixelPage, ...] = ()


PICTURE_NUMBERS = 10_000_000
"""Picture `k` (from 1) of page `n` waits for a recogniser as page `n + k * PICTURE_NUMBERS`."""


@runtime_checkable
class ReadsAgain(Protocol):
    """A document whose doubted pages can be read again."""

    def read_page_again(self, number: int, seen: DetectedPage) -> PageRead:
        """Page `number` (1-based), knowing what a layout detector saw on it; never `doubted`."""
        ...


@runtime_checkable
class ComparesPages(Protocol):
    """A document whose pages can be compared with those of an earlier file."""

    def find_digests(self) -> dict[int, bytes]:
        """Return a digest of all that each page shows, by page number; pages that cannot be compared are left out."""
        ...

    def move_page(self, content: PageContent, number: int) -> PageContent:
        """Return the content of an equal page as that of page `number` (1-based) of this file."""
        ...


class OpenDocument(Protocol):
    """An open file. Pages may be read in any order, by several processes, each with its own `OpenDocument`."""

    @property
    def facts(self) -> DocumentFacts:
        """Return the facts about the file."""

    def read_page(self, number: int) -> PageRead:
        """Page `number` (1-based). A broken page comes back failed; raises `ResourceLimit` when memory ran out."""
        ...

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        """Return the page, or an area of it (points), as PNG. Raises `ExtractError`."""
        ...

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        """Return PNG bytes by asset_ref for the pictures of a page that `PageRead.assets` does not contain."""
        ...

    def close(self) -> None:
        """Close the file."""


def failed_page(number: int, code: ErrorCode) -> PageContent:
    """Return the content of a page that could not be read: it stays in the tree as failed, with a warning."""
    return PageContent(
        number=number, route=Route.NONE, reason=code.value, status=PageStatus.FAILED, error=code, confidence=0.0
    )


@cache
def page_adapter() -> TypeAdapter[PageContent]:
    """Return the cached JSON adapter of pages."""
    return TypeAdapter(PageContent)


@cache
def facts_adapter() -> TypeAdapter[DocumentFacts]:
    """Return the cached JSON adapter of facts."""
    return TypeAdapter(DocumentFacts)


def dump_page(content: PageContent) -> bytes:
    """Return one page as compact JSON, without fields that have their default."""
    return page_adapter().dump_json(content, exclude_defaults=True)


def load_page(stored: bytes) -> PageContent:
    """Load a page. Raises `pydantic.ValidationError` for other bytes."""
    return page_adapter().validate_json(stored)


def dump_facts(facts: DocumentFacts) -> bytes:
    """Return the facts as JSON."""
    return facts_adapter().dump_json(facts)


def load_facts(stored: bytes) -> DocumentFacts:
    """Load facts. Raises `pydantic.ValidationError` for other bytes."""
    return facts_adapter().validate_json(stored)

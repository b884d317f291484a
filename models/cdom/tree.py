"""The canonical document tree (CDOM 1.0): what every reader makes and everything else is computed from.

Comes in as JSON or as values from a reader's assembly; goes out as canonical JSON bytes (fixed field order, no spaces).
The stored tree holds neither `document_id` nor `source.name`; `serve_tree` adds them to the bytes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Annotated, Literal, NewType

from pydantic import Field, TypeAdapter, ValidationError

from quire.models.cdom.coverage import Coverage
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import DRAWN_FORMATS
from quire.models.cdom.span import Span as Span  # re-exported
from quire.models.cdom.table import Many, Table, is_empty, is_none
from quire.models.cdom.version import SERVICE_VERSION

BlockId = NewType("BlockId", str)


class BlockType(StrEnum):
    """Type of a block, as stored in the tree."""

    TITLE = "title"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    PICTURE = "picture"
    CAPTION = "caption"
    CODE = "code"
    FORMULA = "formula"
    FOOTNOTE = "footnote"
    PAGE_HEADER = "page_header"
    PAGE_FOOTER = "page_footer"
    KEY_VALUE = "key_value"
    CHECKBOX = "checkbox"


FURNITURE = frozenset({BlockType.PAGE_HEADER, BlockType.PAGE_FOOTER})
"""Running headers and footers: in the tree, not in chunks."""


class Route(StrEnum):
    """The way a page was read; `mixed`: its text layer, with parts from a recogniser."""

    FAST = "fast"
    MIXED = "mixed"
    OCR = "ocr"
    VLM = "vlm"
    NONE = "none"


class PageStatus(StrEnum):
    """Whether a page was read."""

    OK = "ok"
    FAILED = "failed"


ATTACHMENT = "attachment "
"""Start of the path of a block that names a file attached to the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagSpan:
    """Range of the block's text (or of table cell `cell`, an index into `table.cells`) that a flag applies to."""

    flag: str
    start: int
    end: int
    cell: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockProvenance:
    """Source of a block: `engine` e.g. `mupdf`, `rapidocr`; `model` names weights, if any.

    `path` is the place in the source where the format has no printed pages: `xl/worksheets/sheet1.xml#A1:C9`,
    `slide2.xml#5`, `lines 3-7`.
    """

    engine: str
    model: str | None = None
    version: str = ""
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartAxis:
    """An axis of a chart with its title. `low` and `high` are the smallest and largest number at it.

    Where a file states values but no range, they are those of the values.
    `unit` is `%` or empty, `scale` `linear` or `log`, `side` `left`, `right`, `bottom` or `top`.
    """

    title: str = ""
    unit: str = ""
    scale: str = "linear"
    low: float
    high: float
    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFacts:
    """Content of a picture: `kind` is `chart` or `icon`. A chart's table has its data, null if they were not read.

    `chart`: `bar`, `line`, `area`, `pie`, `scatter` or `combined`, in other files than PDF also kinds that are not
    measured, such as `radar` or `treemap`; empty if unknown. `precision`: the largest error of a measured value, in
    units of the first axis.
    """

    kind: str
    chart: str = ""
    title: str = ""
    axes: Many[ChartAxis] = ()
    precision: float | None = None


CHART = PictureFacts(kind="chart")
"""A chart of which only the data may be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block. `unseen` is the reason why it is invisible (`coverage.Unseen`), null when painted.

    `picture` states what a picture shows, where that is known.
    """

    id: BlockId
    type: BlockType
    parent: BlockId | None = None
    level: int | None = None
    page: int
    bbox: Bbox | None = None
    order: int
    text: str = ""
    spans: Many[Span] = ()
    table: Table | None = None
    picture: Annotated[PictureFacts | None, Field(exclude_if=is_none)] = None
    asset_ref: str | None = None
    continues: BlockId | None = None
    confidence: float = 1.0
    flags: Many[str] = ()
    flag_spans: Many[FlagSpan] = ()
    unseen: str | None = None
    provenance: BlockProvenance


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWord:
    """A word of a page, printed or recognised, with its box."""

    text: str
    bbox: Bbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`width` and `height` are points after rotation; `reason` says why this route was taken.

    `label` names the page where the format does: a sheet, a slide, a part of a book. `words` are there if the upload
    asked for them with `words=true`, of PDF pages and pictures.
    """

    number: int
    label: str | None = None
    width: float
    height: float
    rotation: int = 0
    route: Route = Route.FAST
    reason: str = ""
    language: str | None = None
    confidence: float = 1.0
    status: PageStatus = PageStatus.OK
    words: Annotated[Many[PageWord], Field(exclude_if=is_empty)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Metadata that the file states about itself; null where it is silent."""

    title: str | None = None
    author: str | None = None
    created: str | None = None
    modified: str | None = None
    language: str | None = None


DAMAGED = "damaged"
"""Warning: the file is cut off or damaged, or with a page: content of this page is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warning:
    """Something a reader of the tree must know; `code` is stable, `page` 1-based where it concerns one page."""

    code: str
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """`format` of the original by content; sha256 (hex) and size of its bytes."""

    format: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeProvenance:
    """Origin of the tree. `reader_version` is 0 for ingested trees and for trees of 0.9.20 and earlier."""

    service_version: str = SERVICE_VERSION
    reader_version: int = 0
    options_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PiiScan:
    """The scan recorded on the tree; `complete` is false when a detector failed."""

    engine: str
    version: str
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A document. Blocks are in reading order: `blocks[i].order == i` and `blocks[i].id == f"b{i}"`."""

    source: Source
    cdom_version: Literal["1.0"] = "1.0"
    metadata: Metadata
    pages: Many[Page]
    blocks: Many[Block]
    warnings: Many[Warning] = ()
    provenance: TreeProvenance
    pii: PiiScan | None = None
    coverage: Coverage | None = None

    def describe_damage(self) -> str | None:
        """Return the sentence about a file of which content is missing, None for any other file."""
        if all(warning.code != DAMAGED for warning in self.warnings):
            return None
        if self.source.format not in DRAWN_FORMATS:
            return "the file is cut off or damaged; text may be missing"
        filled = {block.page for block in self.blocks}
        count = sum(page.status is PageStatus.OK and page.number in filled for page in self.pages)
        return f"the file is cut off or damaged; {count} of {len(self.pages)} pages have content"


PIECE_BYTES = 256 * 1024
"""Bytes of a tree's JSON that are parsed at once: about ten milliseconds that block other threads."""
_BLOCKS, _NEXT_BLOCK, _AFTER_BLOCKS = b'"blocks":[', b'},{"id":"', b'],"warnings":['


@cache
def tree_adapter() -> TypeAdapter[Tree]:
    """Return the cached pydantic adapter of `Tree`."""
    return TypeAdapter(Tree)


@cache
def _blocks_adapter() -> TypeAdapter[list[Block]]:
    return TypeAdapter(list[Block])


def point_links(block: Block, targets: Mapping[str, str]) -> Block:
    """Return the block with the targets of its links inside the document (`#…`); a link to nothing is text."""
    table = block.table
    if table is not None and any(_leads_inside(span) for cell in table.cells if cell.spans for span in cell.spans):
        cells = [replace(cell, spans=_point_spans(cell.spans, targets)) if cell.spans else cell for cell in table.cells]
        block = replace(block, table=replace(table, cells=tuple(cells)))
    if any(map(_leads_inside, block.spans)):
        return replace(block, spans=_point_spans(block.spans, targets))
    return block


def _leads_inside(span: Span) -> bool:
    return span.href is not None and span.href.startswith("#")


def _point_spans(spans: Iterable[Span], targets: Mapping[str, str]) -> tuple[Span, ...]:
    pointed = (replace(span, href=targets.get(span.href or "")) if _leads_inside(span) else span for span in spans)
    return tuple(span for span in pointed if span != Span(start=span.start, end=span.end))


def dump_tree(tree: Tree) -> bytes:
    """Canonical JSON of a tree: the bytes that are stored, hashed and compared."""
    return tree_adapter().dump_json(tree)


class DamagedTree(ValueError):
    """A stored tree is not the one that was written."""

    code = "tree-damaged"


def load_tree(stored: bytes) -> Tree:
    """Parse a tree from stored JSON.

    A long one is read in pieces, because the parser holds the interpreter lock while it works.

    Raises:
        DamagedTree: The bytes are not a tree.
    """
    if len(stored) > PIECE_BYTES and (tree := _load_in_pieces(stored)) is not None:
        return tree
    try:
        return tree_adapter().validate_json(stored)
    except ValidationError as error:
        raise DamagedTree from error


def _load_in_pieces(stored: bytes) -> Tree | None:
    """Return None if `dump_tree` did not write the bytes. Markers never match in strings, where quotes are escaped."""
    start, end = stored.find(_BLOCKS) + len(_BLOCKS), stored.find(_AFTER_BLOCKS)
    if not len(_BLOCKS) <= start < end:
        return None
    try:
        tree = tree_adapter().validate_json(stored[:start] + stored[end:])
        blocks: list[Block] = []
        while start < end:
            next_block = stored.find(_NEXT_BLOCK, min(start + PIECE_BYTES, end), end)
            stop = end if next_block < 0 else next_block + 1
            blocks += _blocks_adapter().validate_json(b"[%b]" % stored[start:stop])
            start = stop + 1
    except ValidationError:
        return None  # read as a whole it says where it is wrong
    return replace(tree, blocks=tuple(blocks))


_STORED_PREFIX = b'{"source":{'


def serve_tree(stored: bytes, *, document_id: str, name: str) -> bytes:
    """Add `document_id` and `source.name` to stored JSON without parsing it.

    Raises:
        ValueError: `dump_tree` did not write the bytes.
    """
    if not stored.startswith(_STORED_PREFIX):
        raise ValueError("not a stored tree")
    head = f'{{"document_id":{json.dumps(document_id)},"source":{{"name":{json.dumps(name)},'
    return b"".join((head.encode(), memoryview(stored)[len(_STORED_PREFIX) :]))

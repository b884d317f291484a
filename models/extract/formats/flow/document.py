"""An open file of a flowing format: pages of blocks in, the reader port out. The file is read on opening."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final, Protocol

from quire.models.cdom.errors import Malformed, ResourceLimit, UnsupportedFormat
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Embedded, Format, OcrMode, ReadOptions
from quire.models.cdom.ports import PageImage
from quire.models.cdom.tree import BlockType, Metadata, Route
from quire.models.extract.contract import DocumentFacts, PageBlock, PageContent, PageRead
from quire.models.extract.formats.common.collector import without_collector
from quire.models.extract.formats.common.page_selection import choose_pages
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, check_count, keep_bullet, number_typed
from quire.models.extract.formats.flow.picture_text import MAX_PICTURES, draw_pictures, fills_page
from quire.models.extract.formats.flow.sheet import LEFT_OUT

MAX_EMBEDDED: Final = 1_000
"""Files inside one file; each becomes a document with its own rows and artifacts."""
MAX_EMBEDDED_BYTES: Final = 200_000_000
"""Bytes of all embedded files: they are in memory until they are stored."""
MAX_PATH_CHARS: Final = 500
"""Characters of the path of a file inside another."""
_LISTED: Final = frozenset({BlockType.HEADING, BlockType.LIST_ITEM, BlockType.CHECKBOX})


class Assets(Protocol):
    """The pictures of a file by name."""

    def size(self, name: str) -> int:
        """Return the size of a picture in bytes."""
        ...

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture; empty for an unreadable one."""
        ...


@dataclass(frozen=True, slots=True)
class HeldAssets:
    """Pictures that are in memory."""

    pictures: Mapping[str, bytes] = field(default_factory=dict)

    def size(self, name: str) -> int:
        """Return the size of a picture in bytes."""
        return len(self.pictures.get(name, b""))

    def read(self, name: str) -> bytes:
        """Return the bytes of a picture; empty for an unknown name."""
        return self.pictures.get(name, b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFile:
    """The result of a reader: `engine` and `version` name the reader, `reason` explains the route of the pages."""

    format: Format
    pages: list[FlowPage]
    engine: str
    version: str = ""
    reason: str
    metadata: Metadata = field(default_factory=Metadata)
    warnings: tuple[str, ...] = ()
    assets: Assets = field(default_factory=HeldAssets)
    embedded: tuple[Embedded, ...] = ()


class FlowDocument:
    """One file that was read. Boxes and page images exist only where the format states positions."""

    def __init__(self, file: FlowFile, options: ReadOptions) -> None:
        self._file, self._options = file, options
        self._pages = file.pages or [FlowPage()]
        _check_embedded(file.embedded)
        check_count(self._pages)
        _check_text(self._pages, options.max_text_chars)
        self._assets = _name_assets(self._pages)
        numbers = choose_pages(len(self._pages), options)
        warnings = list(file.warnings)
        self._stored_names = self._limit_assets(warnings)
        self._facts = DocumentFacts(
            format=file.format,
            page_count=len(self._pages),
            page_numbers=numbers,
            metadata=file.metadata,
            warnings=tuple(dict.fromkeys(warnings)),
        )

    @property
    def facts(self) -> DocumentFacts:
        """Format, page numbers, metadata and warnings of the file."""
        return self._facts

    @property
    def embedded(self) -> tuple[Embedded, ...]:
        """Files inside this one, in order."""
        return self._file.embedded

    def read_page(self, number: int) -> PageRead:
        """Return page `number` (1-based) with the bytes of its pictures.

        Raises:
            Malformed: The page does not exist.
        """
        if not 1 <= number <= len(self._pages):
            raise Malformed(f"no page {number}")
        page = self._pages[number - 1]
        blocks = page.in_order()
        warnings = list(page.warnings)
        assets = self._read_assets(blocks, warnings)
        content = PageContent(
            number=number,
            width=page.width,
            height=page.height,
            label=page.label,
            route=Route.FAST,
            reason=self._file.reason,
            blocks=self._make_blocks(blocks, assets),
            warnings=tuple(dict.fromkeys(warnings)),
            engine=self._file.engine,
            version=self._file.version,
        )
        return self._with_pictures(PageRead(content=content, assets=assets), blocks)

    def _with_pictures(self, read: PageRead, blocks: list[FlowBlock]) -> PageRead:
        """Return the page with those of its pictures for a recogniser that no page before it has."""
        if not any([block.asset for block in blocks]):
            return read
        content = read.content
        earlier = {
            block.asset for number in self._facts.page_numbers if number < content.number
            for block in self._pages[number - 1].in_order() if block.asset
        }  # fmt: skip
        left = [block if block.asset not in earlier else replace(block, asset=None) for block in blocks]
        if not any(block.asset for block in left):
            return read
        areas, pictures, is_more = draw_pictures(
            content, left, self._read_picture, self._options, max(0, MAX_PICTURES - len(earlier))
        )
        is_whole = is_more or any(fills_page(content, area) for area in areas)
        if self._options.ocr is OcrMode.NEVER:
            reason = f"{content.reason}, ocr off" if is_whole else content.reason
            return replace(read, content=replace(content, reason=reason))
        warnings = (*content.warnings, *(("areas-not-read",) if is_more else ()))
        return replace(read, content=replace(content, areas=areas, warnings=warnings), pictures=pictures)

    def _read_picture(self, name: str) -> bytes:
        try:
            return self._file.assets.read(name)
        except Malformed:
            return b""

    @property
    def pictures(self) -> Assets:
        """The pictures of the file by the asset names of its blocks."""
        return self._file.assets

    def written(self) -> list[list[FlowBlock]]:
        """Return the blocks of every page of the file."""
        return [page.in_order() for page in self._pages]

    @property
    def is_uncounted(self) -> bool:
        """Whether sheets leave out rows: to count their text takes as long as to read them."""
        return any(LEFT_OUT in page.warnings for page in self._pages if page.label is not None)

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        """Raise `UnsupportedFormat`, because the format has no page image."""
        raise UnsupportedFormat("this format has no page image")

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        """Return no assets: `read_page` returns all pictures."""
        return {}

    def close(self) -> None:
        """Drop the pages."""
        self._pages = []

    def _limit_assets(self, warnings: list[str]) -> frozenset[str]:
        names: set[str] = set()
        total = 0
        for key, name in self._assets.items():
            total += self._file.assets.size(key)
            if len(names) >= self._options.max_assets or total > self._options.max_asset_bytes:
                warnings.append("assets-left-out")
                break
            names.add(name)
        return frozenset(names)

    def _read_assets(self, blocks: list[FlowBlock], warnings: list[str]) -> dict[str, bytes]:
        assets: dict[str, bytes] = {}
        for block in blocks:
            name = self._assets.get(block.asset or "")
            if name is None or name not in self._stored_names or name in assets or block.asset is None:
                continue
            try:
                picture = self._file.assets.read(block.asset)
            except Malformed:
                picture = b""
            if picture:
                assets[name] = picture
            else:
                warnings.append("picture-unreadable")
        return assets

    def _make_blocks(self, blocks: list[FlowBlock], assets: Mapping[str, bytes]) -> tuple[PageBlock, ...]:
        indexes = {id(block): index for index, block in enumerate(blocks)}
        captions = _pair_captions(blocks)
        number_typed(blocks)
        for block in blocks:
            keep_bullet(block)
        return tuple(
            PageBlock(
                type=block.type,
                bbox=block.bbox,
                text=block.text,
                level=block.level if block.type in _LISTED else None,
                spans=block.spans,
                table=block.table,
                picture=block.picture,
                asset_ref=name if (name := self._assets.get(block.asset or "")) in assets else None,
                parent=captions.get(index, indexes.get(id(block.parent))),
                flags=block.flags,
                path=block.path,
                anchors=block.anchors,
            )
            for index, block in enumerate(blocks)
        )


def open_flow(read: Callable[[], FlowFile], options: ReadOptions) -> FlowDocument:
    """Return the document that `read` makes.

    Raises:
        ResourceLimit: The document is nested too deep or memory ran out.
    """
    try:
        with without_collector():
            return FlowDocument(read(), options)
    except (RecursionError, MemoryError):
        raise ResourceLimit("the document is nested too deep or too large") from None


def _check_embedded(files: tuple[Embedded, ...]) -> None:
    if len(files) > MAX_EMBEDDED or sum(len(file.data) for file in files) > MAX_EMBEDDED_BYTES:
        raise ResourceLimit("too many or too large files inside the file")


def embedded_of(document: object) -> tuple[Embedded, ...]:
    """Return the files inside an open document, if its format has any, with their paths cut to a limit."""
    files: tuple[Embedded, ...] = getattr(document, "embedded", ())
    return tuple(replace(file, path=file.path[:MAX_PATH_CHARS]) for file in files)


def _pair_captions(blocks: list[FlowBlock]) -> dict[int, int]:
    """Return caption index → index of the picture or table directly before it, else directly after it."""
    pairs: dict[int, int] = {}
    for index, block in enumerate(blocks):
        if block.type is not BlockType.CAPTION or block.parent is not None:
            continue
        for neighbour in (index - 1, index + 1):
            if 0 <= neighbour < len(blocks) and blocks[neighbour].type in (BlockType.PICTURE, BlockType.TABLE):
                pairs[index] = neighbour
                break
    return pairs


def _name_assets(pages: list[FlowPage]) -> dict[str, str]:
    """Return pictures in order of use → `image-<n>.<extension>`."""
    keys = dict.fromkeys(block.asset for page in pages for block in page.in_order() if block.asset)
    return {key: f"image-{number}{_extension(key)}" for number, key in enumerate(keys, start=1)}


def _extension(key: str) -> str:
    suffix = PurePosixPath(key).suffix.lower()
    return suffix if suffix[1:].isascii() and suffix[1:].isalnum() and len(suffix) <= 5 else ""


def _check_text(pages: list[FlowPage], limit: int) -> None:
    counts: Counter[str] = Counter()
    for page in pages:
        for block in page.in_order():
            counts["text"] += len(block.text)
            counts["cells"] += sum(len(cell.text) for cell in block.table.cells) if block.table else 0
    if counts.total() > limit:
        raise ResourceLimit(f"more than {limit} characters of text")

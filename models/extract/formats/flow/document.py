"""An open file of a format that flows: pages of blocks in, the reader port out. The file is read when it is opened."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Final, Protocol

from models.cdom.errors import Malformed, ResourceLimit, UnsupportedFormat
from models.cdom.geometry import Bbox
from models.cdom.original import Embedded, Format, ReadOptions
from models.cdom.ports import PageImage
from models.cdom.tree import BlockType, Metadata, Route
from models.extract.contract import DocumentFacts, PageBlock, PageContent, PageRead
from models.extract.formats.common.page_selection import choose_pages
from models.extract.formats.flow.blocks import FlowBlock, FlowPage, check_count, keep_bullet, number_typed

MAX_EMBEDDED: Final = 1_000
"""Files inside one file; each becomes a document with rows and artifacts of its own."""
MAX_EMBEDDED_BYTES: Final = 200_000_000
"""Bytes of all of them: they are held in memory until they are stored."""
MAX_PATH_CHARS: Final = 500
"""Of the place of a file inside another."""
_LISTED: Final = frozenset({BlockType.HEADING, BlockType.LIST_ITEM, BlockType.CHECKBOX})


class Assets(Protocol):
    """The pictures of a file by name; `read` gives empty bytes for one that cannot be read."""

    def size(self, name: str) -> int: ...

    def read(self, name: str) -> bytes: ...


@dataclass(frozen=True, slots=True)
class HeldAssets:
    """Pictures that are in memory already."""

    pictures: Mapping[str, bytes] = field(default_factory=dict)

    def size(self, name: str) -> int:
        return len(self.pictures.get(name, b""))

    def read(self, name: str) -> bytes:
        return self.pictures.get(name, b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowFile:
    """What a reader made of a file. `engine` and `version` name who read it, `reason` why its pages went this way."""

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
    """One file, read. Boxes and page images are there only where the format states places."""

    def __init__(self, file: FlowFile, options: ReadOptions) -> None:
        self._file, self._options = file, options
        self._pages = file.pages or [FlowPage()]
        _check_embedded(file.embedded)
        check_count(self._pages)
        _check_text(self._pages, options.max_text_chars)
        self._assets = _name_assets(self._pages)
        numbers = choose_pages(len(self._pages), options)
        warnings = list(file.warnings)
        self._kept = self._keep_assets(warnings)
        self._facts = DocumentFacts(
            format=file.format,
            page_count=len(self._pages),
            page_numbers=numbers,
            metadata=file.metadata,
            warnings=tuple(dict.fromkeys(warnings)),
        )

    @property
    def facts(self) -> DocumentFacts:
        return self._facts

    @property
    def embedded(self) -> tuple[Embedded, ...]:
        """Files inside this one, in order."""
        return self._file.embedded

    def read_page(self, number: int) -> PageRead:
        """Page `number` (1-based) with the bytes of its pictures. Raises `Malformed` when there is no such page."""
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
        return PageRead(content=content, assets=assets)

    @property
    def pictures(self) -> Assets:
        """The pictures of the file by the names its blocks know them by."""
        return self._file.assets

    def written(self) -> list[list[FlowBlock]]:
        """The blocks of every page of the file."""
        return [page.in_order() for page in self._pages]

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        """There is no page image: raises `UnsupportedFormat`."""
        raise UnsupportedFormat("this format has no page image")

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        """None: `read_page` hands all pictures over."""
        return {}

    def close(self) -> None:
        self._pages = []

    def _keep_assets(self, warnings: list[str]) -> frozenset[str]:
        kept: set[str] = set()
        total = 0
        for key, name in self._assets.items():
            total += self._file.assets.size(key)
            if len(kept) >= self._options.max_assets or total > self._options.max_asset_bytes:
                warnings.append("assets-left-out")
                break
            kept.add(name)
        return frozenset(kept)

    def _read_assets(self, blocks: list[FlowBlock], warnings: list[str]) -> dict[str, bytes]:
        assets: dict[str, bytes] = {}
        for block in blocks:
            name = self._assets.get(block.asset or "")
            if name is None or name not in self._kept or name in assets or block.asset is None:
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
        places = {id(block): at for at, block in enumerate(blocks)}
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
                asset_ref=name if (name := self._assets.get(block.asset or "")) in assets else None,
                parent=captions.get(at, places.get(id(block.parent))),
                flags=block.flags,
                path=block.path,
            )
            for at, block in enumerate(blocks)
        )


def open_flow(read: Callable[[], FlowFile], options: ReadOptions) -> FlowDocument:
    """The document that `read` makes; nesting and memory that pass all bounds end as `ResourceLimit`."""
    try:
        return FlowDocument(read(), options)
    except (RecursionError, MemoryError):
        raise ResourceLimit("the document is nested too deep or too large") from None


def _check_embedded(files: tuple[Embedded, ...]) -> None:
    if len(files) > MAX_EMBEDDED or sum(len(one.data) for one in files) > MAX_EMBEDDED_BYTES:
        raise ResourceLimit("too many or too large files inside the file")


def embedded_of(document: object) -> tuple[Embedded, ...]:
    """The files inside an open document; none in formats that hold none. Their paths are cut to a bound."""
    files: tuple[Embedded, ...] = getattr(document, "embedded", ())
    return tuple(replace(one, path=one.path[:MAX_PATH_CHARS]) for one in files)


def _pair_captions(blocks: list[FlowBlock]) -> dict[int, int]:
    """Captions by place → the picture or table directly before, else directly after."""
    pairs: dict[int, int] = {}
    for at, block in enumerate(blocks):
        if block.type is not BlockType.CAPTION or block.parent is not None:
            continue
        for beside in (at - 1, at + 1):
            if 0 <= beside < len(blocks) and blocks[beside].type in (BlockType.PICTURE, BlockType.TABLE):
                pairs[at] = beside
                break
    return pairs


def _name_assets(pages: list[FlowPage]) -> dict[str, str]:
    """Pictures in order of use → `image-<n>.<extension>`."""
    keys = dict.fromkeys(block.asset for page in pages for block in page.in_order() if block.asset)
    return {key: f"image-{at}{_extension(key)}" for at, key in enumerate(keys, start=1)}


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

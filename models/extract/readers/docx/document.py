"""An open Word file: bytes in, facts and pages out. The whole package is read when it is opened, then only handed over.

Raises `ExtractError` only; needs no file, no network and no import after it was loaded.
"""

from collections import Counter
from pathlib import PurePosixPath
from typing import Final

from lxml import etree

from models.cdom.errors import Malformed, ResourceLimit, UnsupportedFormat
from models.cdom.geometry import Bbox
from models.cdom.original import Format, ReadOptions
from models.cdom.ports import PageImage
from models.cdom.tree import BlockType, Route
from models.extract.readers.contract import DocumentFacts, PageBlock, PageContent, PageRead
from models.extract.readers.docx.package.opc import Package
from models.extract.readers.docx.structure.drafts import DocxDraft, PageDraft
from models.extract.readers.docx.wordfile import WordFile
from models.extract.readers.page_selection import choose_pages

ENGINE: Final = "lxml"
_LISTED: Final = frozenset({BlockType.HEADING, BlockType.LIST_ITEM, BlockType.CHECKBOX})


class DocxDocument:
    """One Word file. Pages are those that the file states; boxes are null."""

    def __init__(self, data: bytes, options: ReadOptions) -> None:
        self._options = options
        try:
            self._package = Package(data)
            word = WordFile(self._package)
            self._pages = word.read()
        except (RecursionError, MemoryError):
            raise ResourceLimit("the document is nested too deep or too large") from None
        self._assets = _name_assets(self._pages)
        count = len(self._pages)
        numbers = choose_pages(count, options)
        warnings = list(word.warnings)
        self._kept = self._keep_assets(warnings)
        _check_text(self._pages, options.max_text_chars)
        self._facts = DocumentFacts(
            format=Format.DOCX,
            page_count=count,
            page_numbers=numbers,
            metadata=word.metadata,
            warnings=tuple(dict.fromkeys(warnings)),
        )

    @property
    def facts(self) -> DocumentFacts:
        return self._facts

    def read_page(self, number: int) -> PageRead:
        """Page `number` (1-based) with the bytes of its pictures. Raises `Malformed` when there is no such page."""
        if not 1 <= number <= len(self._pages):
            raise Malformed(f"no page {number}")
        page = self._pages[number - 1]
        drafts = page.in_order()
        warnings: list[str] = []
        assets = self._read_assets(drafts, warnings)
        content = PageContent(
            number=number,
            width=page.width,
            height=page.height,
            route=Route.FAST,
            reason="word-file",
            blocks=self._make_blocks(drafts, assets),
            warnings=tuple(warnings),
            engine=ENGINE,
            version=etree.__version__,
        )
        return PageRead(content=content, assets=assets)

    def written(self) -> list[list[DocxDraft]]:
        """The blocks of every page of the file."""
        return [page.in_order() for page in self._pages]

    def render_page(self, number: int, dpi: int, area: Bbox | None = None) -> PageImage:
        """A Word file has no page image: raises `UnsupportedFormat`."""
        raise UnsupportedFormat("a word-processing file has no page image")

    def render_assets(self, content: PageContent) -> dict[str, bytes]:
        """None: `read_page` hands all pictures over."""
        return {}

    def close(self) -> None:
        self._pages = []

    def _keep_assets(self, warnings: list[str]) -> frozenset[str]:
        """Names of the pictures that fit the limits on assets, in order of use."""
        kept: set[str] = set()
        total = 0
        for part, name in self._assets.items():
            total += self._package.size(part)
            if len(kept) >= self._options.max_assets or total > self._options.max_asset_bytes:
                warnings.append("assets-left-out")
                break
            kept.add(name)
        return frozenset(kept)

    def _read_assets(self, drafts: list[DocxDraft], warnings: list[str]) -> dict[str, bytes]:
        assets: dict[str, bytes] = {}
        for draft in drafts:
            name = self._assets.get(draft.asset_part or "")
            if name is None or name not in self._kept or name in assets or draft.asset_part is None:
                continue
            try:
                picture = self._package.read(draft.asset_part)
            except Malformed:
                picture = b""
            if picture:
                assets[name] = picture
            else:
                warnings.append("picture-unreadable")
        return assets

    def _make_blocks(self, drafts: list[DocxDraft], assets: dict[str, bytes]) -> tuple[PageBlock, ...]:
        places = {id(draft): at for at, draft in enumerate(drafts)}
        captions = _pair_captions(drafts)
        blocks = []
        for at, draft in enumerate(drafts):
            name = self._assets.get(draft.asset_part or "")
            blocks.append(
                PageBlock(
                    type=draft.type,
                    text=draft.text,
                    level=draft.level if draft.type in _LISTED else None,
                    spans=draft.spans,
                    table=draft.table,
                    asset_ref=name if name in assets else None,
                    parent=captions.get(at, places.get(id(draft.parent))),
                    flags=draft.flags,
                )
            )
        return tuple(blocks)


def open_docx(data: bytes, options: ReadOptions) -> DocxDocument:
    """The Word file in `data`. Raises `ExtractError`: malformed, encrypted, unsupported, a limit passed."""
    return DocxDocument(data, options)


def _pair_captions(drafts: list[DocxDraft]) -> dict[int, int]:
    """Captions by place → the picture or table directly before, else directly after."""
    pairs: dict[int, int] = {}
    for at, draft in enumerate(drafts):
        if draft.type is not BlockType.CAPTION:
            continue
        for beside in (at - 1, at + 1):
            if 0 <= beside < len(drafts) and drafts[beside].type in (BlockType.PICTURE, BlockType.TABLE):
                pairs[at] = beside
                break
    return pairs


def _name_assets(pages: list[PageDraft]) -> dict[str, str]:
    """Picture parts in order of use → `image-<n>.<extension>`."""
    parts = dict.fromkeys(draft.asset_part for page in pages for draft in page.in_order() if draft.asset_part)
    return {part: f"image-{at}{_extension(part)}" for at, part in enumerate(parts, start=1)}


def _extension(part: str) -> str:
    suffix = PurePosixPath(part).suffix.lower()
    return suffix if suffix[1:].isascii() and suffix[1:].isalnum() and len(suffix) <= 5 else ""


def _check_text(pages: list[PageDraft], limit: int) -> None:
    counts: Counter[str] = Counter()
    for page in pages:
        for draft in page.in_order():
            counts["text"] += len(draft.text)
            counts["cells"] += sum(len(cell.text) for cell in draft.table.cells) if draft.table else 0
    if counts.total() > limit:
        raise ResourceLimit(f"more than {limit} characters of text")

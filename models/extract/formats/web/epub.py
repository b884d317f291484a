"""A book: its container, package file and spine in; a page for each part of the spine out, read as a web page."""

import posixpath
from typing import Final
from urllib.parse import unquote

from lxml import etree

from quire.models.cdom.errors import Encrypted, Malformed, TooManyPages
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.common.html.browser import prepare
from quire.models.extract.formats.common.html.page import path_maker
from quire.models.extract.formats.common.html.parse import decode, parse_html
from quire.models.extract.formats.common.html.pictures import PagePictures
from quire.models.extract.formats.common.html.walk import HtmlWalker
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.common.xml import BrokenPart, Element
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, HeldAssets, open_flow

ENGINE: Final = "lxml-html"
MAX_PARTS: Final = 5_000
"""Chapters of a book: each is parsed separately."""
MAX_CHARS: Final = 1000
"""Characters of a title or an author that are stored; longer values are not names."""
MAX_LABEL: Final = 100
"""Characters of a heading that names its chapter."""
_CONTAINER: Final = "META-INF/container.xml"
_PAGES: Final = frozenset(("application/xhtml+xml", "text/html", "application/html+xml", "text/x-oeb1-document"))
_OBFUSCATION: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Obfuscation of fonts, which reading does not need."""


def open_epub(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the book in `data`.

    Raises:
        ExtractError: The book is malformed or encrypted, or exceeds a limit.
    """
    return open_flow(lambda: _Book(Package(data)).read(), options)


class _Book:
    """One book on its way to pages."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._warnings: list[str] = []
        self._folder = ""
        self._current_folder = ""
        self._contents: set[str] = set()
        self._pictures = PagePictures(self._find_picture)

    def read(self) -> FlowFile:
        """Return the flow file of the book."""
        self._check_unencrypted()
        part = self._find_opf()
        root = self._package.xml(part)
        if root is None:
            raise Malformed("the book has no package file")
        self._folder = posixpath.dirname(part)
        spine = self._read_spine(root)
        if len(spine) > MAX_PARTS:
            raise TooManyPages(f"{len(spine)} parts, {MAX_PARTS} allowed")
        pages = [self._read_part(name) for name in spine]
        metadata = _read_metadata(root)
        if pages and repeats_metadata(pages[0].blocks, root):
            mark_as_furniture(pages[0].blocks)
        return FlowFile(
            format=Format.EPUB,
            pages=pages,
            engine=ENGINE,
            version=etree.__version__,
            reason="book",
            metadata=metadata,
            warnings=tuple(dict.fromkeys((*self._warnings, *self._pictures.warnings))),
            assets=HeldAssets(self._pictures.held),
        )

    def _check_unencrypted(self) -> None:
        """Check that nothing but fonts is encrypted.

        Raises:
            Encrypted: Other parts are encrypted.
        """
        try:
            root = self._package.xml("META-INF/encryption.xml")
        except BrokenPart:
            return
        for node in root.iter() if root is not None else ():
            method = isinstance(node.tag, str) and node.tag.endswith("}EncryptionMethod")
            if method and node.get("Algorithm") not in _OBFUSCATION:
                raise Encrypted()

    def _find_opf(self) -> str:
        root = self._package.xml(_CONTAINER)
        for node in root.iter() if root is not None else ():
            if isinstance(node.tag, str) and node.tag.endswith("rootfile") and node.get("full-path"):
                name = node.get("full-path") or ""
                if self._package.has(name):
                    return name
        raise Malformed("the book names no package file")

    def _read_spine(self, root: Element) -> list[str]:
        """Return the parts of the spine in order, each once, without external addresses."""
        items: dict[str, tuple[str, str]] = {}
        order: list[str] = []
        for node in root.iter():
            if not isinstance(node.tag, str):
                continue
            if node.tag.endswith("}item"):
                items[node.get("id", "")] = (node.get("href", ""), node.get("media-type", ""))
                if "nav" in node.get("properties", "").split():
                    self._contents.add(self._resolve(self._folder, node.get("href", "")) or "")
            elif node.tag.endswith("}itemref"):
                order.append(node.get("idref", ""))
        names: list[str] = []
        for key in dict.fromkeys(order):
            href, kind = items.get(key, ("", ""))
            name = self._resolve(self._folder, href)
            if name is None or not self._package.has(name):
                self._warnings.append("part-unreadable")
            elif kind in _PAGES or name.lower().endswith((".html", ".xhtml", ".htm")):
                names.append(name)
        return names

    def _resolve(self, folder: str, href: str) -> str | None:
        """Return the part of the book at an address; None for an address outside it."""
        path = unquote(href.partition("#")[0])
        if not path or "://" in path or path.startswith(("/", "\\")):
            return None
        name = posixpath.normpath(posixpath.join(folder, path))
        return None if name.startswith("..") else name

    def _read_part(self, name: str) -> FlowPage:
        page = FlowPage(label=name)
        self._current_folder = posixpath.dirname(name)
        try:
            root = parse_html(decode(self._package.read(name)))
        except BrokenPart:
            root = None
        if root is None:
            page.warnings.append("part-unreadable")
            return page
        prepare(root)
        page.blocks = HtmlWalker(path_maker(f"{name} "), self._pictures.take).read(root)
        heads = (" ".join(block.text.split()) for block in page.blocks if block.type is BlockType.HEADING)
        page.label = next((head for head in heads if 0 < len(head) <= MAX_LABEL), posixpath.basename(name))
        if name in self._contents:
            mark_as_furniture(page.blocks)
        return page

    def _find_picture(self, source: str) -> bytes | None:
        name = self._resolve(self._current_folder, source)
        if name is None or not self._package.has(name):
            return None
        try:
            return self._package.read(name)
        except BrokenPart:
            return None


def mark_as_furniture(blocks: list[FlowBlock]) -> None:
    """Retype blocks that do not belong to the text."""
    for block in blocks:
        block.type, block.level, block.bullet, block.parent = BlockType.PAGE_HEADER, None, False, None


def repeats_metadata(blocks: list[FlowBlock], root: Element) -> bool:
    """Return whether the title page only repeats the metadata of the package file."""
    stated = {
        " ".join(node.text.split()).casefold()
        for node in root.iter()
        if isinstance(node.tag, str) and "purl.org/dc/elements" in node.tag and node.text
    }
    texts = [" ".join(block.text.split()).casefold() for block in blocks]
    return bool(texts) and all(
        block.asset is None and text in stated for block, text in zip(blocks, texts, strict=True)
    )


def _read_metadata(root: Element) -> Metadata:
    values: dict[str, str] = {}
    for node in root.iter():
        if isinstance(node.tag, str) and "purl.org/dc/elements" in node.tag and node.text:
            values.setdefault(node.tag.rpartition("}")[2], node.text.strip()[:MAX_CHARS])
    return Metadata(
        title=values.get("title"),
        author=values.get("creator"),
        created=values.get("date"),
        language=values.get("language"),
    )

"""OpenDocument packages: content, styles and metadata of a file in, a flow file out."""

from collections.abc import Callable
from functools import partial
from typing import Final

from lxml import etree

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.common.opc import MAX_PARAGRAPHS, MAX_TAGS, MAX_XML_BYTES, Package
from quire.models.extract.formats.common.xml import BrokenPart, Element, parse_xml
from quire.models.extract.formats.flow.blocks import FlowPage
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.sheet import Workbook
from quire.models.extract.formats.flow.sheet_pages import make_pages
from quire.models.extract.formats.opendocument.cells import SheetReader
from quire.models.extract.formats.opendocument.slides import read_slide, slide_size
from quire.models.extract.formats.opendocument.styles import DC, DRAW, MANIFEST, META, TABLE, OdfStyles
from quire.models.extract.formats.opendocument.text import OdfReader, body_of

_PARTS: Final = frozenset({"content.xml", "styles.xml", "meta.xml"})


class FlatPackage:
    """The parts of a single-file document by name; its methods raise `ResourceLimit` and `Malformed`."""

    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_XML_BYTES or data.count(b"<") > MAX_TAGS or data.count(b"<text:p") > MAX_PARAGRAPHS:
            raise ResourceLimit("a part is too large")
        self._data = data
        self._root: Element | None = None

    def has(self, name: str) -> bool:
        """Return whether the file has a part of that name."""
        return name in _PARTS

    def names(self) -> list[str]:
        """Return the names of the parts."""
        return sorted(_PARTS)

    def size(self, name: str) -> int:
        """Return 0: the file has no separate pictures, because they are part of the text."""
        return 0

    def read(self, name: str) -> bytes:
        """Return no bytes: the file has no separate pictures."""
        return b""

    def xml(self, name: str) -> Element | None:
        """Return the root, which is parsed once and must not be changed."""
        if not self.has(name):
            return None
        self._root = parse_xml(self._data) if self._root is None else self._root
        return self._root

    def xml_again(self, name: str) -> Element | None:
        """Return the root for the caller alone, who may change it."""
        return parse_xml(self._data) if self.has(name) else None


def open_package(data: bytes) -> Package | FlatPackage:
    """Open the package, or the single file that replaces it."""
    return Package(data) if data.startswith(b"PK") else FlatPackage(data)


ENGINE: Final = "lxml"
MAX_CHARS: Final = 1000
"""Characters of a title or an author that are stored; longer values are not names."""
ReadPages = Callable[[Element, OdfStyles, Element | None], list[FlowPage]]


def open_odt(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text document in `data`.

    Raises:
        ExtractError: The file is malformed or encrypted, or exceeds a limit.
    """
    return open_flow(lambda: _read(data, Format.ODT, _read_text), options)


def open_ods(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the spreadsheet in `data`.

    Raises:
        ExtractError: The file is malformed or encrypted, or exceeds a limit.
    """
    return open_flow(lambda: _read(data, Format.ODS, partial(_read_sheets, options.max_cells)), options)


def open_odp(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the slides in `data`.

    Raises:
        ExtractError: The file is malformed or encrypted, or exceeds a limit.
    """
    return open_flow(lambda: _read(data, Format.ODP, _read_slides), options)


def _read(data: bytes, format_: Format, read: ReadPages) -> FlowFile:
    package = open_package(data)
    _check_unencrypted(package)
    content = package.xml("content.xml")
    if content is None:
        raise Malformed("the package holds no content")
    shared = _part(package, "styles.xml")
    styles = OdfStyles(find_object=lambda folder: _part(package, f"{folder}/content.xml"))
    styles.add(shared)
    styles.add(content)
    return FlowFile(
        format=format_,
        pages=read(content, styles, shared),
        engine=ENGINE,
        version=etree.__version__,
        reason="open-document",
        metadata=_read_metadata(_part(package, "meta.xml")),
        warnings=("macros",) if package.has("Basic/script-lc.xml") else (),
        assets=package,
    )


def _check_unencrypted(package: Package | FlatPackage) -> None:
    """Check the manifest for encrypted parts.

    Raises:
        Encrypted: The file has encrypted parts.
    """
    manifest = _part(package, "META-INF/manifest.xml")
    if manifest is not None and next(manifest.iter(MANIFEST + "encryption-data"), None) is not None:
        raise Encrypted()


def _part(package: Package | FlatPackage, name: str) -> Element | None:
    try:
        return package.xml(name)
    except BrokenPart:
        return None


def _read_text(content: Element, styles: OdfStyles, shared: Element | None) -> list[FlowPage]:
    body = body_of(content, "text")
    reader = OdfReader(styles, paged=True)
    if body is not None:
        reader.read(body)
    return reader.pages


def _read_sheets(most: int, content: Element, styles: OdfStyles, shared: Element | None) -> list[FlowPage]:
    body = body_of(content, "spreadsheet")
    workbook = Workbook(most)
    for node in body.iterfind(TABLE + "table") if body is not None else ():
        workbook.sheets.append(SheetReader(workbook, styles).read(node))
    return make_pages(workbook)


def _read_slides(content: Element, styles: OdfStyles, shared: Element | None) -> list[FlowPage]:
    body = body_of(content, "presentation")
    if body is None:
        body = body_of(content, "drawing")
    size = slide_size(shared)
    slides = body.iterfind(DRAW + "page") if body is not None else ()
    return [read_slide(node, styles, size, number) for number, node in enumerate(slides, start=1)]


def _read_metadata(meta: Element | None) -> Metadata:
    def text(name: str) -> str | None:
        node = next(meta.iter(name), None) if meta is not None else None
        return (node.text or "").strip()[:MAX_CHARS] or None if node is not None else None

    return Metadata(
        title=text(DC + "title"),
        author=text(META + "initial-creator") or text(DC + "creator"),
        created=text(META + "creation-date"),
        modified=text(DC + "date"),
        language=text(DC + "language"),
    )

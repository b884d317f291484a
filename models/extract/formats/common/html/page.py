"""A web page as a document of one page: its text in order, its title, language and author as metadata."""

from typing import Final

from lxml import etree

from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.common.html.browser import ReadFrame, no_frame, prepare
from quire.models.extract.formats.common.html.elements import mark_furniture
from quire.models.extract.formats.common.html.parse import decode_page, parse_html
from quire.models.extract.formats.common.html.pictures import PagePictures
from quire.models.extract.formats.common.html.walk import HtmlWalker, PathOf
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import FlowPage, fold
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, HeldAssets, open_flow

ENGINE: Final = "lxml-html"
MAX_CHARS: Final = 1000
"""Characters of a title or a description that are stored; longer values are not names."""


def open_html(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the page in `data`.

    Raises:
        ExtractError: A limit is exceeded.
    """

    def read() -> FlowFile:
        decoded = decode_page(data)
        pictures = PagePictures()
        pictures.warnings += decoded.warnings
        return read_html(decoded.text, Format.HTML, pictures)

    return open_flow(read, options)


def read_html(text: str, format_: Format, pictures: PagePictures, frame: ReadFrame = no_frame) -> FlowFile:
    """Return a flow file of one page from a web page's text, with its furniture marked."""
    root = parse_html(text)
    page, walker = FlowPage(), HtmlWalker(path_maker(""), pictures.take, terms_as_items=True)
    if root is not None:
        prepare(root, frame)
        page.blocks = walker.read(root)
        mark_furniture(page.blocks, walker.furniture)
    return _make_file(format_, page, pictures, metadata=read_head(root) if root is not None else Metadata())


def read_markup(
    text: str, format_: Format, *, engine: str, reason: str, metadata: Metadata, warnings: tuple[str, ...] = ()
) -> FlowFile:
    """Return a flow file of one page from HTML that was converted from another markup."""
    root = parse_html(text)
    pictures = PagePictures()
    pictures.warnings += warnings
    page = FlowPage()
    if root is not None:
        page.blocks = HtmlWalker(path_maker(""), pictures.take).read(root)
    return _make_file(format_, page, pictures, engine=engine, reason=reason, metadata=metadata)


def _make_file(
    format_: Format,
    page: FlowPage,
    pictures: PagePictures,
    *,
    engine: str = ENGINE,
    reason: str = "markup",
    metadata: Metadata,
) -> FlowFile:
    return FlowFile(
        format=format_,
        pages=[page],
        engine=engine,
        version=etree.__version__,
        reason=reason,
        metadata=metadata,
        warnings=tuple(dict.fromkeys(pictures.warnings)),
        assets=HeldAssets(pictures.held),
    )


def path_maker(prefix: str) -> PathOf:
    """Return a function that locates an element: by the nearest stated lines or its id, else by the line of its tag."""

    def path_of(element: Element) -> str | None:
        lines = next(
            (node.get("data-lines") for node in (element, *element.iterancestors()) if node.get("data-lines")), None
        )
        if lines:
            return f"{prefix}{lines}"
        own = element.get("id")
        return f"{prefix}#{own}" if own else f"{prefix}line {element.sourceline or 1}"

    return path_of


def read_head(root: Element) -> Metadata:
    """Return the metadata that the head of a page states."""
    named: dict[str, str] = {}
    for node in root.iter("meta"):
        name = (node.get("name") or node.get("property") or "").lower()
        content = fold(node.get("content") or "").strip()
        if name and content:
            named.setdefault(name, content[:MAX_CHARS])
    title = root.find(".//head/title")
    text = fold("".join(title.itertext())).strip() if title is not None else ""
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang")
    return Metadata(
        title=text[:MAX_CHARS] or named.get("og:title"),
        author=named.get("author") or named.get("article:author"),
        created=named.get("article:published_time") or named.get("date"),
        modified=named.get("article:modified_time"),
        language=language,
    )

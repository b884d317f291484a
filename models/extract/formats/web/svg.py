"""An SVG drawing: its texts in the order of the file; nothing is drawn, and no style, script or link is followed."""

from typing import Final

from lxml import etree

from models.cdom.original import Format, ReadOptions
from models.cdom.tree import BlockType, Metadata
from models.extract.formats.common.parse_cache import keep
from models.extract.formats.common.xml import Element, parse_xml
from models.extract.formats.flow.blocks import FlowBlock, FlowPage, StyledRun, clean, fold, join_runs
from models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow

ENGINE: Final = "lxml"
CACHE_KEY: Final = "svg"
_TEXTS: Final = ("{*}text", "{*}foreignObject")
_LINES: Final = frozenset(("p", "div", "li", "br", "tr", "h1", "h2", "h3"))
"""Elements of embedded HTML that begin a line."""


def open_svg(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the drawing in `data`.

    Raises:
        ExtractError: The file is malformed or exceeds a limit.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    root = keep(CACHE_KEY, data, parse_xml(data))
    page = FlowPage(warnings=["external-image"] if next(root.iter("{*}image"), None) is not None else [])
    for number, node in enumerate(root.iter(*_TEXTS), start=1):
        text = join_runs([StyledRun(read_text(node))])[0]
        if text:
            page.blocks.append(FlowBlock(BlockType.PARAGRAPH, text, path=f"text {number}"))
    title = fold(clean(root.findtext("{*}title") or "")).strip()
    return FlowFile(
        format=Format.SVG,
        pages=[page],
        engine=ENGINE,
        version=etree.__version__,
        reason="drawing",
        metadata=Metadata(title=title[:1000] or None),
    )


def read_text(node: Element) -> str:
    """Return the text of a text element; spans that state a new position are lines of their own."""
    parts = [fold(node.text or "")]
    for child in node:
        if not isinstance(child.tag, str):
            parts.append(fold(child.tail or ""))
            continue
        name = etree.QName(child).localname
        is_line = child.get("y") is not None or child.get("dy") not in (None, "0") or name in _LINES
        inner = "" if name in ("title", "desc", "style", "script") else read_text(child)
        parts += ["\n" if is_line and any(part.strip() for part in parts) else "", inner, fold(child.tail or "")]
    return "".join(parts)

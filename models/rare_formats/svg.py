"""An SVG drawing: its texts in the order of the file; nothing is drawn, and no style, script or link is followed."""

import re
from typing import Final

from lxml import etree

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.common.parse_cache import keep
from quire.models.extract.formats.common.xml import Element, parse_xml
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, StyledRun, clean, fold, join_runs
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow

ENGINE: Final = "lxml"
CACHE_KEY: Final = "svg"
_TEXTS: Final = ("{*}text", "{*}foreignObject")
_LINES: Final = frozenset(("p", "div", "li", "br", "tr", "h1", "h2", "h3"))
"""Elements of embedded HTML that begin a line."""
_HIDDEN: Final = re.compile(r"display\s?:\s?none|visibility\s?:\s?hidden", re.IGNORECASE)


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
            flags = (HIDDEN_TEXT,) if is_hidden_text(node) else ()
            page.blocks.append(FlowBlock(BlockType.PARAGRAPH, text, path=f"text {number}", flags=flags))
        for span in (child for child in node.iter("{*}tspan") if _is_not_displayed(child)):
            if text := join_runs([StyledRun(read_text(span))])[0]:
                hidden = FlowBlock(BlockType.PARAGRAPH, text, path=f"text {number}", flags=(HIDDEN_TEXT,))
                page.blocks.append(hidden)
    title = fold(clean(root.findtext("{*}title") or "")).strip()
    return FlowFile(
        format=Format.SVG,
        pages=[page],
        engine=ENGINE,
        version=etree.__version__,
        reason="drawing",
        metadata=Metadata(title=title[:1000] or None),
    )


def is_hidden_text(node: Element) -> bool:
    """Return whether a text element or one around it is not displayed or only defined."""
    return any(
        _is_not_displayed(element) or etree.QName(element).localname == "defs"
        for element in (node, *node.iterancestors())
    )


def _is_not_displayed(element: Element) -> bool:
    return (
        element.get("display") == "none"
        or element.get("visibility") in ("hidden", "collapse")
        or _HIDDEN.search(element.get("style") or "") is not None
    )


def read_text(node: Element) -> str:
    """Return the text of a text element; spans that state a new position are separate lines."""
    parts = [fold(node.text or "")]
    for child in node:
        if not isinstance(child.tag, str):
            parts.append(fold(child.tail or ""))
            continue
        name = etree.QName(child).localname
        is_line = child.get("y") is not None or child.get("dy") not in (None, "0") or name in _LINES
        is_apart = name in ("title", "desc", "style", "script") or _is_not_displayed(child)
        inner = "" if is_apart else read_text(child)
        parts += ["\n" if is_line and any(part.strip() for part in parts) else "", inner, fold(child.tail or "")]
    return "".join(parts)

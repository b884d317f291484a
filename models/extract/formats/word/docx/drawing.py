"""Drawings, VML shapes and embedded objects: an element in, pictures, charts and text boxes out, in document order.

External images are reported, never fetched. Of alternative contents one is read.
"""

from collections.abc import Callable, Iterator
from typing import Final

from lxml import etree

from quire.models.extract.formats.common.opc import Relations
from quire.models.extract.formats.common.xml import DGM, MC, WP, A, C, Element, O, R, V, W, tag_of
from quire.models.extract.formats.sheets.charts import CX
from quire.models.extract.formats.word.docx.pieces import Box, Chart, PicturePiece, Piece

_VISIBLE: Final = frozenset(
    {
        W + "t",
        W + "txbxContent",
        A + "blip",
        V + "imagedata",
        V + "textpath",
        C + "chart",
        CX + "chart",
        DGM + "relIds",
        W + "drawing",
    }
)
_SHAPES: Final = frozenset(V + name for name in ("shape", "rect", "roundrect", "oval"))
"""Elements of VML that may hold text or hide it."""


def choose_alternative(node: Element) -> Element | None:
    """Return the first choice of `mc:AlternateContent` with content that we read, else the fallback."""
    options = [child for child in node if child.tag in (MC + "Choice", MC + "Fallback")]
    for option in options:
        if next(option.iter(*_VISIBLE), None) is not None:
            return option
    return options[0] if options else None


def read_drawing(node: Element, relations: Relations, warn: Callable[[str], None]) -> Iterator[Piece]:
    """Yield the pieces that a `w:drawing`, `w:pict` or `w:object` shows; `warn` takes warning codes."""
    shared: str | None = None
    own: str | None = None
    is_hidden = is_shape_hidden = False
    stack = [node]
    while stack:
        element = stack.pop()
        if element.tag == MC + "AlternateContent":
            chosen = choose_alternative(element)
            stack.extend([chosen] if chosen is not None else [])
            continue
        if element.tag == WP + "docPr":
            shared, own = _alt_text(element), None
            is_hidden, is_shape_hidden = _is_hidden(element), False
        elif (stated := _alt_text(element)) is not None:
            own = stated
        is_shape_hidden = _is_shape_hidden(element, is_shape_hidden)
        if (content := _box_content(element)) is not None:
            yield Box(content, is_hidden or is_shape_hidden)
        if content is element:
            continue
        if element.tag == O + "OLEObject":
            warn("embedded-object")
        elif (piece := _picture_or_chart(element, own or shared or "", relations)) is not None:
            if isinstance(piece, PicturePiece) and piece.external:
                warn("external-image")
            yield piece
        stack.extend(child for child in reversed(element) if isinstance(child.tag, str))


def _box_content(node: Element) -> Element | None:
    """Return the content of a text box, or the text of WordArt as one; None for other elements."""
    if node.tag == W + "txbxContent":
        return node
    words = (node.get("string") or "").strip() if node.tag == V + "textpath" else ""
    return _as_text_box(words) if words else None


def _is_hidden(node: Element) -> bool:
    """Return whether the properties of a drawing, or a VML shape itself, hide it."""
    style = "".join((node.get("style") or "").split())
    return node.get("hidden") in ("1", "true") or "visibility:hidden" in style


def _is_shape_hidden(node: Element, before: bool) -> bool:
    """Return whether the shape that an element describes is hidden; for other elements, what held before."""
    is_shape = node.tag in _SHAPES or tag_of(node).endswith("}cNvPr")
    return _is_hidden(node) if is_shape else before


def _as_text_box(words: str) -> Element:
    """Return the text of WordArt as the content of a text box."""
    content = etree.Element(W + "txbxContent")
    etree.SubElement(etree.SubElement(etree.SubElement(content, W + "p"), W + "r"), W + "t").text = words
    return content


def _picture_or_chart(node: Element, alt: str, relations: Relations) -> PicturePiece | Chart | None:
    match node.tag:
        case t if t == A + "blip":
            return _picture(node.get(R + "embed"), node.get(R + "link"), alt, relations)
        case t if t == V + "imagedata":
            title = node.get(O + "title") or node.get("title") or ""
            return _picture(node.get(R + "id"), node.get(R + "href"), alt or title, relations)
        case t if t in (C + "chart", CX + "chart"):
            return _chart(node.get(R + "id"), alt, relations)
        case t if t == DGM + "relIds":
            return _chart(node.get(R + "dm"), alt, relations)
        case _:
            return None


def _picture(embed: str | None, link: str | None, alt: str, relations: Relations) -> PicturePiece | None:
    for rel_id in (embed, link):
        relation = relations.get(rel_id) if rel_id else None
        if relation is not None:
            return PicturePiece(None if relation.external else relation.target, alt, relation.external)
    return PicturePiece(None, alt) if embed or link else None


def _chart(rel_id: str | None, alt: str, relations: Relations) -> Chart | None:
    relation = relations.get(rel_id) if rel_id else None
    return Chart(relation.target, alt) if relation is not None and not relation.external else None


def _alt_text(node: Element) -> str | None:
    """Return the alternative text of an element; None for elements that cannot have one."""
    if node.tag == WP + "docPr" or tag_of(node).endswith("}cNvPr"):
        return (node.get("descr") or "").strip()
    return (node.get("alt") or "").strip() if tag_of(node).startswith(V) and node.get("alt") else None

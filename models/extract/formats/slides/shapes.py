"""The shapes of one slide, in their stated order: a shape tree in, blocks with boxes out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from models.cdom.errors import ResourceLimit
from models.cdom.geometry import Bbox
from models.cdom.tree import BlockType
from models.extract.formats.common.charts import read_chart_table, read_chart_text
from models.extract.formats.common.opc import Relations
from models.extract.formats.common.xml import DGM, MC, A, C, Element, R
from models.extract.formats.flow.blocks import FlowBlock
from models.extract.formats.slides.frames import Scale
from models.extract.formats.slides.inherit import SlideInheritance, is_title, placeholder_of
from models.extract.formats.slides.names import P
from models.extract.formats.slides.smartart import read_smartart
from models.extract.formats.slides.tables import read_table
from models.extract.formats.slides.text import read_body

MAX_NESTING: Final = 50
"""Groups within groups: each level is a call."""
MAX_SHAPES: Final = 20_000
"""Shapes of one slide, those of its groups included; a slide with more is a drawing, and order compares them."""
_FURNITURE: Final = frozenset({"ftr", "dt", "sldNum"})


@dataclass(slots=True)
class SlideParts:
    """What a slide is read with: what lies inherited it, where its relationships lead, and how a part is read."""

    inherited: SlideInheritance
    relations: Relations
    read: Callable[[str], Element | None]
    warn: Callable[[str], None]
    shapes: int = 0

    def target(self, rel_id: str | None) -> str | None:
        relation = self.relations.get(rel_id or "")
        if relation is not None and relation.external:
            self.warn("external-image")
            return None
        return relation.target if relation is not None else None


def read_shapes(tree: Element, parts: SlideParts, scale: Scale | None = None, depth: int = 0) -> Iterator[FlowBlock]:
    """Blocks of all shapes under a shape tree or group. Raises `ResourceLimit` when it nests or counts too much."""
    if depth > MAX_NESTING:
        raise ResourceLimit("shapes are grouped too deep")
    scale = scale or Scale()
    for node in tree:
        parts.shapes += 1
        if parts.shapes > MAX_SHAPES:
            raise ResourceLimit("a slide has too many shapes")
        match node.tag:
            case t if t == P + "sp":
                yield from _read_shape(node, parts, scale)
            case t if t == P + "pic":
                yield from _read_picture(node, parts, scale)
            case t if t == P + "graphicFrame":
                yield from _read_graphic(node, parts, scale)
            case t if t == P + "grpSp":
                inner = scale.into(node.find(f"{P}grpSpPr/{A}xfrm"))
                yield from read_shapes(node, parts, inner, depth + 1)
            case t if t == MC + "AlternateContent":
                chosen = _choose(node)
                if chosen is not None:
                    yield from read_shapes(chosen, parts, scale, depth + 1)


def _choose(node: Element) -> Element | None:
    """The fallback when it holds words, for choices are for newer programs; else the first choice."""
    options = [one for one in node if one.tag in (MC + "Choice", MC + "Fallback")]
    shown = (A + "t", C + "chart", DGM + "relIds")
    texts = [one for one in options if next(one.iter(*shown), None) is not None]
    return next(iter(texts or options), None)


def _read_shape(node: Element, parts: SlideParts, scale: Scale) -> Iterator[FlowBlock]:
    placeholder = placeholder_of(node)
    box = scale.box(parts.inherited.frame(node, placeholder))
    body = node.find(P + "txBody")
    blocks = read_body(node, body, parts.inherited, placeholder, parts.relations) if body is not None else []
    if is_title(placeholder):
        yield from _as_heading(blocks, box)
        return
    for block in blocks:
        if placeholder is not None and placeholder.type in _FURNITURE:
            block.type, block.level, block.bullet = BlockType.PAGE_FOOTER, None, False
        block.bbox = box
        yield block
    blip = node.find(f"{P}spPr/{A}blipFill/{A}blip")
    if blip is not None and (target := parts.target(blip.get(R + "embed"))) is not None:
        yield FlowBlock(BlockType.PICTURE, _alt(node), asset=target, bbox=box)


def _as_heading(blocks: list[FlowBlock], box: Bbox | None) -> Iterator[FlowBlock]:
    """The paragraphs of a title as one heading."""
    if not blocks:
        return
    text, spans = "", []
    for block in blocks:
        shift = len(text) + bool(text)
        text = f"{text}\n{block.text}" if text else block.text
        spans += [replace(span, start=span.start + shift, end=span.end + shift) for span in block.spans]
    yield FlowBlock(BlockType.HEADING, text, tuple(spans), 1, bbox=box)


def _read_picture(node: Element, parts: SlideParts, scale: Scale) -> Iterator[FlowBlock]:
    blip = node.find(f"{P}blipFill/{A}blip")
    target = parts.target(blip.get(R + "embed") or blip.get(R + "link")) if blip is not None else None
    box = scale.box(parts.inherited.frame(node, placeholder_of(node)))
    yield FlowBlock(BlockType.PICTURE, _alt(node), asset=target, bbox=box)


def _read_graphic(node: Element, parts: SlideParts, scale: Scale) -> Iterator[FlowBlock]:
    box = scale.box(node.find(P + "xfrm"))
    for table in node.iterfind(f"{A}graphic/{A}graphicData/{A}tbl"):
        if (read := read_table(table, parts.inherited, parts.relations)) is not None:
            yield FlowBlock(BlockType.TABLE, table=read, bbox=box)
    for chart in node.iter(C + "chart"):
        yield from _read_chart(parts.target(chart.get(R + "id")), _alt(node), box, parts)
    for diagram in node.iter(DGM + "relIds"):
        target = parts.target(diagram.get(R + "dm"))
        root = parts.read(target) if target is not None else None
        for block in read_smartart(root) if root is not None else ():
            block.bbox = box
            yield block
    if next(node.iter(P + "oleObj"), None) is not None:
        parts.warn("embedded-object")
        for blip in node.iter(A + "blip"):
            yield FlowBlock(BlockType.PICTURE, _alt(node), asset=parts.target(blip.get(R + "embed")), bbox=box)
            break


def _read_chart(target: str | None, alt: str, box: Bbox | None, parts: SlideParts) -> Iterator[FlowBlock]:
    root = parts.read(target) if target is not None else None
    picture = FlowBlock(BlockType.PICTURE, (read_chart_text(root) if root is not None else "") or alt, bbox=box)
    yield picture
    if root is not None and (table := read_chart_table(root)) is not None:
        yield FlowBlock(BlockType.TABLE, table=table, parent=picture, bbox=box)


def _alt(node: Element) -> str:
    return next(((one.get("descr") or "").strip() for one in node.iter(P + "cNvPr")), "")

"""The shapes of one slide, in their stated order: a shape tree in, blocks with boxes out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.opc import Relations
from quire.models.extract.formats.common.xml import DGM, MC, A, C, Element, R, number
from quire.models.extract.formats.flow.blocks import Flat, FlowBlock, flatten
from quire.models.extract.formats.flow.charts import part_caption
from quire.models.extract.formats.flow.slide_order import keep_together
from quire.models.extract.formats.sheets.charts import CX, FindCells, read_chart
from quire.models.extract.formats.slides.inherit import EMU_PER_POINT, P, SlideInheritance, is_title, placeholder_of
from quire.models.extract.formats.slides.text import as_heading, read_body

MAX_DEPTH: Final = 20
"""Nesting depth of nodes in a diagram: deeper ones are illegible on a slide."""
_SHOWN: Final = frozenset({"node", "asst", None})


def read_smartart(root: Element) -> list[FlowBlock]:
    """Return an item for each node with text, as a child of its parent node."""
    texts = {}
    for point in root.iterfind(f"{DGM}ptLst/{DGM}pt"):
        if point.get("type") in _SHOWN:
            lines = ("".join(text.text or "" for text in line.iter(A + "t")) for line in point.iterfind(f"{DGM}t/{A}p"))
            texts[point.get("modelId", "")] = "\n".join(line.strip() for line in lines if line.strip())
    below: dict[str, list[tuple[int, str]]] = {}
    inner: set[str] = set()
    for link in root.iterfind(f"{DGM}cxnLst/{DGM}cxn"):
        source, target = link.get("srcId", ""), link.get("destId", "")
        if link.get("type") in (None, "parOf") and target in texts:
            below.setdefault(source, []).append((number(link.get("srcOrd")), target))
            if source in texts:
                inner.add(target)
    tops = [target for source, targets in below.items() if source not in texts for _, target in sorted(targets)]
    tops += [node for node in texts if node not in inner and node not in tops]
    blocks: list[FlowBlock] = []
    seen: set[str] = set()
    for top in tops:
        _add(top, texts, below, blocks, None, seen, 1)
    return blocks


def _add(
    node: str,
    texts: dict[str, str],
    below: dict[str, list[tuple[int, str]]],
    blocks: list[FlowBlock],
    parent: FlowBlock | None,
    seen: set[str],
    depth: int,
) -> None:
    if node in seen or depth > MAX_DEPTH:
        return
    seen.add(node)
    if texts[node]:
        parent = FlowBlock(BlockType.LIST_ITEM, texts[node], level=depth, parent=parent, bullet=True)
        blocks.append(parent)
        depth += 1
    for _, child in sorted(below.get(node, [])):
        _add(child, texts, below, blocks, parent, seen, depth)


MAX_COLUMNS: Final = 1000
"""Columns of a table; PowerPoint allows 75, so more occur only in attacks."""


def read_table(node: Element, inherited: SlideInheritance, relations: Relations) -> Table | None:
    """Return the table, or None when it has no cells.

    Raises:
        ResourceLimit: The table has too many columns.
    """
    rows = node.findall(A + "tr")
    cols = max((len(row.findall(A + "tc")) for row in rows), default=0)
    if not cols:
        return None
    if cols > MAX_COLUMNS:
        raise ResourceLimit("a table has too many columns")
    properties = node.find(A + "tblPr")
    has_header = properties is not None and properties.get("firstRow") in ("1", "true") and len(rows) > 1
    cells = []
    for row, line in enumerate(rows):
        for col, cell in enumerate(line.iterfind(A + "tc")):
            if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
                continue
            flat = _flat_cell(cell, inherited, relations)
            cells.append(
                Cell(
                    row=row,
                    col=col,
                    row_span=min(max(1, number(cell.get("rowSpan"), 1)), len(rows) - row),
                    col_span=min(max(1, number(cell.get("gridSpan"), 1)), cols - col),
                    header=has_header and row == 0,
                    text=flat.text,
                    spans=flat.spans,
                )
            )
    return Table(rows=len(rows), cols=cols, cells=tuple(cells))


def _flat_cell(cell: Element, inherited: SlideInheritance, relations: Relations) -> Flat:
    body = cell.find(A + "txBody")
    return flatten(read_body(cell, body, inherited, None, relations) if body is not None else [])


_DEGREES: Final = 60_000
"""Units per degree of rotation."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Conversion of coordinates inside a group to those of the slide (EMU)."""

    x: float = 0.0
    y: float = 0.0
    across: float = 1.0
    down: float = 1.0

    def into(self, group: Element | None) -> "Scale":
        """Return the scale inside a group with that `a:xfrm`."""
        frame = _numbers(group)
        inner = _child_numbers(group)
        if frame is None or inner is None:
            return self
        across = self.across * (frame[2] / inner[2] if inner[2] else 1.0)
        down = self.down * (frame[3] / inner[3] if inner[3] else 1.0)
        x = self.x + frame[0] * self.across - inner[0] * across
        y = self.y + frame[1] * self.down - inner[1] * down
        return Scale(x, y, across, down)

    def box(self, xfrm: Element | None) -> Bbox | None:
        """Return the box of a shape with that transform, in points; of a rotated shape the enclosing box."""
        frame = _numbers(xfrm)
        if frame is None or xfrm is None:
            return None
        x, y = self.x + frame[0] * self.across, self.y + frame[1] * self.down
        width, height = frame[2] * self.across, frame[3] * self.down
        if turn := number(xfrm.get("rot")) % (360 * _DEGREES):
            angle = turn / _DEGREES * pi / 180
            wide = abs(width * cos(angle)) + abs(height * sin(angle))
            high = abs(width * sin(angle)) + abs(height * cos(angle))
            x, y, width, height = x + (width - wide) / 2, y + (height - high) / 2, wide, high
        return round_bbox(side / EMU_PER_POINT for side in (x, y, x + width, y + height))


def _numbers(xfrm: Element | None) -> tuple[int, int, int, int] | None:
    return _pair(xfrm, "off", "ext")


def _child_numbers(xfrm: Element | None) -> tuple[int, int, int, int] | None:
    return _pair(xfrm, "chOff", "chExt")


def _pair(xfrm: Element | None, offset: str, extent: str) -> tuple[int, int, int, int] | None:
    start = xfrm.find(A + offset) if xfrm is not None else None
    size = xfrm.find(A + extent) if xfrm is not None else None
    if start is None or size is None:
        return None
    width, height = max(0, number(size.get("cx"))), max(0, number(size.get("cy")))
    return number(start.get("x")), number(start.get("y")), width, height


MAX_NESTING: Final = 50
"""Nesting depth of groups: each level is a call."""
MAX_SHAPES: Final = 20_000
"""Shapes of one slide, with those of its groups; a slide with more is a drawing, and ordering compares them."""
_FURNITURE: Final = frozenset({"ftr", "dt", "sldNum"})


@dataclass(slots=True)
class SlideParts:
    """Context of a slide: its inheritance, its relationships, and functions that read a part or a chart's cells."""

    inherited: SlideInheritance
    relations: Relations
    read: Callable[[str], Element | None]
    warn: Callable[[str], None]
    find: Callable[[str], FindCells]
    shapes: int = 0

    def target(self, rel_id: str | None) -> str | None:
        """Return the part that a relationship leads to; None for external and unknown ones."""
        relation = self.relations.get(rel_id or "")
        if relation is not None and relation.external:
            self.warn("external-image")
            return None
        return relation.target if relation is not None else None


def read_shapes(
    tree: Iterable[Element], parts: SlideParts, scale: Scale | None = None, depth: int = 0
) -> Iterator[FlowBlock]:
    """Yield the blocks of all shapes under a shape tree or group.

    Raises:
        ResourceLimit: The shapes are nested too deep or too many.
    """
    if depth > MAX_NESTING:
        raise ResourceLimit("shapes are grouped too deep")
    scale = scale or Scale()
    for node in tree:
        parts.shapes += 1
        if parts.shapes > MAX_SHAPES:
            raise ResourceLimit("a slide has too many shapes")
        is_hidden = _is_hidden(node)
        for block in _read_node(node, parts, scale, depth):
            if is_hidden and HIDDEN_TEXT not in block.flags:
                block.flags = (*block.flags, HIDDEN_TEXT)
            yield block


def _read_node(node: Element, parts: SlideParts, scale: Scale, depth: int) -> Iterator[FlowBlock]:
    """Yield the blocks of one shape, picture, frame or group."""
    match node.tag:
        case t if t == P + "sp":
            yield from _read_shape(node, parts, scale)
        case t if t == P + "pic":
            yield from _read_picture(node, parts, scale)
        case t if t == P + "graphicFrame":
            yield from _read_graphic(node, parts, scale)
        case t if t == P + "grpSp":
            inner = scale.into(node.find(f"{P}grpSpPr/{A}xfrm"))
            yield from keep_together(list(read_shapes(node, parts, inner, depth + 1)))
        case t if t == MC + "AlternateContent":
            chosen = _choose_alternative(node)
            if chosen is not None:
                yield from read_shapes(chosen, parts, scale, depth + 1)


def _is_hidden(node: Element) -> bool:
    """Return whether a shape was hidden in the selection pane."""
    return any(properties.get("hidden") in ("1", "true") for properties in node.iterfind(f"*/{P}cNvPr"))


def _choose_alternative(node: Element) -> Element | None:
    """Return the fallback if it has text, because choices are for newer programs; else the first choice."""
    options = [child for child in node if child.tag in (MC + "Choice", MC + "Fallback")]
    shown = (A + "t", C + "chart", CX + "chart", DGM + "relIds")
    texts = [option for option in options if next(option.iter(*shown), None) is not None]
    return next(iter(texts or options), None)


def _read_shape(node: Element, parts: SlideParts, scale: Scale) -> Iterator[FlowBlock]:
    placeholder = placeholder_of(node)
    box = scale.box(parts.inherited.frame(node, placeholder))
    body = node.find(P + "txBody")
    blocks = read_body(node, body, parts.inherited, placeholder, parts.relations) if body is not None else []
    if is_title(placeholder):
        yield from as_heading(blocks, box)
        return
    for block in blocks:
        if placeholder is not None and placeholder.type in _FURNITURE:
            block.type, block.level, block.bullet = BlockType.PAGE_FOOTER, None, False
        block.bbox = box
        yield block
    blip = node.find(f"{P}spPr/{A}blipFill/{A}blip")
    if blip is not None and (target := parts.target(blip.get(R + "embed"))) is not None:
        yield FlowBlock(BlockType.PICTURE, _alt(node), asset=target, bbox=box)


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
    for chart in node.iter(C + "chart", CX + "chart"):
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


def _read_chart(target: str | None, alt: str, box: Bbox | None, parts: SlideParts) -> list[FlowBlock]:
    root = parts.read(target) if target is not None else None
    block = FlowBlock(BlockType.PICTURE, alt)
    if target is not None and root is not None:
        block = read_chart(root, parts.find(target), alt)
    block.bbox = box
    return part_caption(block)


def _alt(node: Element) -> str:
    return next(((properties.get("descr") or "").strip() for properties in node.iter(P + "cNvPr")), "")

"""Slides of OpenDocument: a draw page in, a page of blocks with the boxes of their frames out."""

import re
from typing import Final

from quire.models.cdom.flags import HIDDEN_TEXT, SPEAKER_NOTES
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, flatten
from quire.models.extract.formats.flow.slide_order import is_slide_title, keep_together, order_blocks
from quire.models.extract.formats.opendocument.styles import DRAW, FO, PRESENTATION, STYLE, SVG, OdfStyles, points
from quire.models.extract.formats.opendocument.text import OdfReader, is_hidden_shape

_FURNITURE: Final = frozenset(("footer", "header", "date-time", "page-number"))
_SIZE: Final = (720.0, 540.0)
"""Points of a slide that states no size."""
_AUTOMATIC: Final = re.compile(
    r"(?:page|slide|folie|seite|diapo|diapositive|diapositiva|diapositivo|dia|bild|slajd|slayt|snímek|snímka|slaid"
    r"|слайд|διαφάνεια|スライド|幻灯片|投影片|슬라이드)\s?\d{1,6}",
    re.IGNORECASE,
)
"""Names that programs give to slides automatically, in their users' languages."""


def slide_size(styles: Element | None) -> tuple[float, float]:
    """Return width and height in points of the first page layout that states them."""
    for node in styles.iter(STYLE + "page-layout-properties") if styles is not None else ():
        width, height = points(node.get(FO + "page-width")), points(node.get(FO + "page-height"))
        if width and height and width > height / 3:
            return width, height
    return _SIZE


def read_slide(node: Element, styles: OdfStyles, size: tuple[float, float], number: int) -> FlowPage:
    """Return one slide with its notes."""
    page = FlowPage(round(size[0], 3), round(size[1], 3))
    page.blocks = order_blocks(_read_frames(node, styles))
    title = next((block.text for block in page.blocks if is_slide_title(block)), None)
    page.label = " ".join(title.split()) if title else node.get(DRAW + "name")
    if not title and page.label and page.blocks and not _AUTOMATIC.fullmatch(page.label.strip()):
        page.blocks.insert(0, FlowBlock(BlockType.HEADING, page.label, level=1))
    notes = node.find(PRESENTATION + "notes")
    for box in notes.iter(DRAW + "text-box") if notes is not None else ():
        if text := flatten(OdfReader(styles, depth=1).read(box)).text:
            page.notes.append(FlowBlock(BlockType.FOOTNOTE, text, flags=(SPEAKER_NOTES,)))
    for index, block in enumerate(page.in_order(), start=1):
        block.path = f"slide {number}#{index}"
    if any(_is_hidden(style) for style in styles.chain(node.get(DRAW + "style-name"))):
        page.warnings.append("hidden-slide")
        for block in page.in_order():
            block.flags = (*block.flags, HIDDEN_TEXT)
    return page


def _is_hidden(style: Element) -> bool:
    properties = style.find(STYLE + "drawing-page-properties")
    return properties is not None and properties.get(PRESENTATION + "visibility") == "hidden"


def _read_frames(parent: Element, styles: OdfStyles) -> list[FlowBlock]:
    """Return the blocks of the shapes in a page or group; those of a group stay together."""
    blocks: list[FlowBlock] = []
    for frame in parent:
        if frame.tag == DRAW + "g":
            grouped = keep_together(_read_frames(frame, styles))
            for block in grouped if is_hidden_shape(frame) else ():
                block.flags = (*block.flags, *((HIDDEN_TEXT,) if HIDDEN_TEXT not in block.flags else ()))
            blocks += grouped
        elif isinstance(frame.tag, str) and frame.tag.startswith(DRAW):
            blocks += _read_frame(frame, styles)
    return blocks


def _read_frame(frame: Element, styles: OdfStyles) -> list[FlowBlock]:
    kind = frame.get(PRESENTATION + "class")
    blocks = OdfReader(styles, depth=1).read([frame])
    if kind == "title" and (text := "\n".join(block.text for block in blocks if block.text)):
        blocks = [FlowBlock(BlockType.HEADING, text, level=1, flags=(HIDDEN_TEXT,) if is_hidden_shape(frame) else ())]
    for block in blocks:
        block.bbox = block.bbox or _box(frame)
        if kind in _FURNITURE:
            block.type, block.level, block.bullet, block.parent = BlockType.PAGE_FOOTER, None, False, None
    return blocks


def _box(frame: Element) -> Bbox | None:
    sides = [points(frame.get(SVG + name)) for name in ("x", "y", "width", "height")]
    x, y, width, height = sides
    if x is None or y is None or width is None or height is None:
        return None
    return round_bbox((x, y, x + width, y + height))

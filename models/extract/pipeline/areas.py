"""Parts of a page with a text layer for a recogniser to read: pictures with text, and garbled text. Pure.

The second half replaces or flags a part of a block's text, and adjusts styles and flags of the other text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from quire.models.cdom.flags import GARBLED_TEXT, HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox, clamp_bbox, round_bbox
from quire.models.cdom.table import Table
from quire.models.cdom.tree import FlagSpan
from quire.models.extract.contract import PageBlock, ReadArea
from quire.models.extract.layout.lines.marks import Line, Piece, split_evenly

_MARGIN = 2.0  # points around garbled text that the recogniser also gets: letters reach beyond their line's box
_MOST_PAIRS = 4_000_000
"""Pairs of a block and a line, compared in a few seconds; with more, a garbled page's blocks are read as they are."""


def holds(box: Bbox | None, x: float, y: float) -> bool:
    """Return whether the point is in the box."""
    return box is not None and box[0] <= x <= box[2] and box[1] <= y <= box[3]


def picture_areas(blocks: Sequence[PageBlock], indexes: Sequence[int]) -> tuple[ReadArea, ...]:
    """Return the areas of those pictures; text read there follows them."""
    boxes = [(index, blocks[index].bbox) for index in indexes]
    return tuple(ReadArea(bbox=box, block=index, adds=True) for index, box in boxes if box is not None)


def garbled_areas(
    blocks: Sequence[PageBlock],
    lines: Sequence[Line],
    garbled: Sequence[Line],
    size: tuple[float, float],
    words_of: Callable[[Line], list[Piece]] = split_evenly,
) -> tuple[ReadArea, ...]:
    """Return the areas of the garbled lines: a whole block, its garbled lines, or the cells of a table.

    Args:
        blocks: Blocks of the page.
        lines: All lines of the page.
        garbled: Lines with a garbled font, in the same order.
        size: Width and height of the page in points.
        words_of: Returns the words of a line.
    """
    if len(blocks) * len(lines) > _MOST_PAIRS:
        boxes = [(index, block.bbox) for index, block in enumerate(blocks) if HIDDEN_TEXT not in block.flags]
        return tuple(ReadArea(bbox=box, block=index) for index, box in boxes if box is not None)
    numbers = {id(line) for line in garbled}
    areas: list[ReadArea] = []
    for index, block in enumerate(blocks):
        if block.bbox is None or HIDDEN_TEXT in block.flags:
            continue
        inside = [line for line in lines if holds(block.bbox, *_middle_of(line))]
        garbled_inside = [line for line in inside if id(line) in numbers]
        if not garbled_inside:
            continue
        if block.table is not None:
            areas += _cell_areas(index, block.table, garbled_inside, words_of)
        elif len(garbled_inside) == len(inside) or block.printed:
            areas.append(ReadArea(bbox=block.bbox, block=index))
        else:
            areas += [ReadArea(bbox=line.bbox, block=index, layer=line.text) for line in garbled_inside]
    return tuple(_widen(area, lines, size) for area in areas)


def _middle_of(line: Line) -> tuple[float, float]:
    return (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2


def _cell_areas(
    index: int, table: Table, lines: Sequence[Line], words_of: Callable[[Line], list[Piece]]
) -> Iterator[ReadArea]:
    """Yield an area for each line of each cell, or one for a cell whose whole text is garbled."""
    words = [(line, word) for line in lines for word in words_of(line)]
    for number, cell in enumerate(table.cells):
        parts: dict[int, list[tuple[Line, Piece]]] = {}
        for line, word in words:
            if holds(cell.bbox, (word.x0 + word.x1) / 2, (line.y0 + line.y1) / 2):
                parts.setdefault(id(line), []).append((line, word))
        texts = [" ".join(word.text for _, word in part) for part in parts.values()]
        boxes = [_box_of(part) for part in parts.values()]
        if boxes and _count(texts) >= _count([cell.text]):
            hull = (
                min(b[0] for b in boxes),
                min(b[1] for b in boxes),
                max(b[2] for b in boxes),
                max(b[3] for b in boxes),
            )
            yield ReadArea(bbox=hull, block=index, cell=number)
        else:
            for text, box in zip(texts, boxes, strict=True):
                yield ReadArea(bbox=box, block=index, cell=number, layer=text)


def _count(texts: Sequence[str]) -> int:
    return sum(len(word) for text in texts for word in text.split())


def _box_of(part: Sequence[tuple[Line, Piece]]) -> Bbox:
    """Return the box of some words of one line."""
    line = part[0][0]
    return (min(word.x0 for _, word in part), line.y0, max(word.x1 for _, word in part), line.y1)


def _widen(area: ReadArea, lines: Sequence[Line], size: tuple[float, float]) -> ReadArea:
    """Add a margin to the area, limited by neighbouring lines: half a line would be read as other words."""
    x0, y0, x1, y1 = area.bbox
    own = [line for line in lines if holds(area.bbox, *_middle_of(line))]
    first = min((line.y0 for line in own), default=y0)
    last = max((line.y1 for line in own), default=y1)
    middle = (first + last) / 2
    top, bottom, left, right = y0 - _MARGIN, y1 + _MARGIN, x0 - _MARGIN, x1 + _MARGIN
    for line in lines:
        x, y = _middle_of(line)
        if holds(area.bbox, x, y):
            continue
        if line.x1 > x0 and line.x0 < x1:
            if y < middle:
                top = max(top, min(line.y1, first))
            else:
                bottom = min(bottom, max(line.y0, last))
        elif line.y1 > y0 and line.y0 < y1:
            left = max(left, min(line.x1, x0)) if x < x0 else left
            right = min(right, max(line.x0, x1)) if x > x1 else right
    return ReadArea(
        bbox=round_bbox(clamp_bbox((left, top, right, bottom), *size)),
        block=area.block,
        cell=area.cell,
        layer=area.layer,
    )


_HYPHENS = "-‐\u00ad"


def layer_text(block: PageBlock, area: ReadArea) -> str:
    """Return the text of the layer that the area is to replace."""
    return area.layer or _whole_text(block, area.cell)


def replace_part(block: PageBlock, area: ReadArea, text: str) -> PageBlock | None:
    """Return the block with `text` in place of the area's part, or None when it has no such part."""
    part = _find_part(block, area)
    if part is None:
        return None
    start, end = part
    layer = _whole_text(block, area.cell)
    if area.layer.endswith(tuple(_HYPHENS)) and end - start < len(area.layer):
        text = text.rstrip(_HYPHENS)
    changed = layer[:start] + text + layer[end:]
    flags = tuple(
        replace(span, start=_move_offset(span.start, part, text), end=_move_offset(span.end, part, text))
        if span.cell == area.cell
        else span
        for span in block.flag_spans
    )
    if area.cell is not None and block.table is not None:
        cells = list(block.table.cells)
        cells[area.cell] = replace(cells[area.cell], text=changed, spans=())
        return replace(block, table=replace(block.table, cells=tuple(cells)), flag_spans=flags)
    return replace(
        block,
        text=changed,
        spans=tuple(
            replace(span, start=_move_offset(span.start, part, text), end=_move_offset(span.end, part, text))
            for span in block.spans
            if not (start <= span.start and span.end <= end and (span.start, span.end) != part)
        ),
        flag_spans=flags,
        breaks=tuple(_move_offset(offset, part, text) for offset in block.breaks if not start <= offset < end),
    )


def flag_part(block: PageBlock, area: ReadArea, confidence: float) -> PageBlock:
    """Return the block flagged as garbled at the area's text, or as a whole when the area is all of it."""
    flags = block.flags if GARBLED_TEXT in block.flags else (*block.flags, GARBLED_TEXT)
    if area.cell is None and not area.layer:
        return replace(block, flags=flags, confidence=confidence)
    part = _find_part(block, area)
    if part is None:
        return replace(block, flags=flags)
    span = FlagSpan(flag=GARBLED_TEXT, start=part[0], end=part[1], cell=area.cell)
    return replace(block, flags=flags, flag_spans=(*block.flag_spans, span))


def _whole_text(block: PageBlock, cell: int | None) -> str:
    if cell is None or block.table is None:
        return block.text
    return block.table.cells[cell].text


def _find_part(block: PageBlock, area: ReadArea) -> tuple[int, int] | None:
    """Return the start and end of the area's text; its final hyphen may be missing in the block."""
    text = _whole_text(block, area.cell)
    for part in (area.layer, area.layer.rstrip(_HYPHENS)) if area.layer else (text,):
        start = text.find(part)
        if part and start >= 0:
            return start, start + len(part)
    return None


def _move_offset(offset: int, part: tuple[int, int], text: str) -> int:
    """Return the position of an offset after the part was replaced."""
    start, end = part
    if offset <= start:
        return offset
    return offset + start + len(text) - end if offset >= end else min(offset, start + len(text))

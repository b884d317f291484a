"""Parts of a block's text that are replaced or flagged; styles and flags of the other text are adjusted. Pure."""

from dataclasses import replace

from quire.models.cdom.flags import GARBLED_TEXT
from quire.models.cdom.tree import FlagSpan
from quire.models.extract.contract import PageBlock, ReadArea

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
        cells[area.cell] = replace(cells[area.cell], text=changed)
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

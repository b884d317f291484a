"""Parts of a block's text replaced or flagged; styles and flags of the rest move along. Pure."""

from dataclasses import replace

from models.cdom.flags import GARBLED_TEXT
from models.cdom.tree import FlagSpan
from models.extract.contract import PageBlock, ReadArea

_HYPHENS = "-‐\u00ad"


def layer_text(block: PageBlock, area: ReadArea) -> str:
    """The text of the layer that the area is to replace."""
    return area.layer or _whole_text(block, area.cell)


def replace_part(block: PageBlock, area: ReadArea, text: str) -> PageBlock | None:
    """The block with `text` in place of the area's part of it; null when the block has no such part."""
    place = _find_part(block, area)
    if place is None:
        return None
    start, end = place
    whole = _whole_text(block, area.cell)
    if area.layer.endswith(tuple(_HYPHENS)) and end - start < len(area.layer):
        text = text.rstrip(_HYPHENS)
    made = whole[:start] + text + whole[end:]
    flags = tuple(
        replace(span, start=_move(span.start, place, text), end=_move(span.end, place, text))
        if span.cell == area.cell
        else span
        for span in block.flag_spans
    )
    if area.cell is not None and block.table is not None:
        cells = list(block.table.cells)
        cells[area.cell] = replace(cells[area.cell], text=made)
        return replace(block, table=replace(block.table, cells=tuple(cells)), flag_spans=flags)
    return replace(
        block,
        text=made,
        spans=tuple(
            replace(span, start=_move(span.start, place, text), end=_move(span.end, place, text))
            for span in block.spans
            if not (start <= span.start and span.end <= end and (span.start, span.end) != place)
        ),
        flag_spans=flags,
        breaks=tuple(_move(at, place, text) for at in block.breaks if not start <= at < end),
    )


def flag_part(block: PageBlock, area: ReadArea, confidence: float) -> PageBlock:
    """The block flagged as garbled where the area's text stands; the whole block where it is all of it."""
    flags = block.flags if GARBLED_TEXT in block.flags else (*block.flags, GARBLED_TEXT)
    if area.cell is None and not area.layer:
        return replace(block, flags=flags, confidence=confidence)
    place = _find_part(block, area)
    if place is None:
        return replace(block, flags=flags)
    span = FlagSpan(flag=GARBLED_TEXT, start=place[0], end=place[1], cell=area.cell)
    return replace(block, flags=flags, flag_spans=(*block.flag_spans, span))


def _whole_text(block: PageBlock, cell: int | None) -> str:
    if cell is None or block.table is None:
        return block.text
    return block.table.cells[cell].text


def _find_part(block: PageBlock, area: ReadArea) -> tuple[int, int] | None:
    """Where the area's part of the text starts and ends; a hyphen at its end may have been taken out."""
    whole = _whole_text(block, area.cell)
    for part in (area.layer, area.layer.rstrip(_HYPHENS)) if area.layer else (whole,):
        start = whole.find(part)
        if part and start >= 0:
            return start, start + len(part)
    return None


def _move(at: int, place: tuple[int, int], text: str) -> int:
    """Where a place in the text lies after the part was replaced."""
    start, end = place
    if at <= start:
        return at
    return at + start + len(text) - end if at >= end else min(at, start + len(text))

"""Locates flagged values on a page: the text to look up in the page's glyphs, and the boxes known without it.

In: a tree and a page number. Out: one place per flagged value, in reading order. Knows no PDF.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.models.cdom.flags import FlaggedPlace
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.original import Format
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.ports import PageMark
from quire.models.cdom.tree import Block, FlagSpan, Route, Tree
from quire.models.pii.cells import find_cell_place
from quire.models.pii.places import find_places, find_spans


@dataclass(frozen=True, slots=True)
class FlagMark:
    """`within`: the box of the value's cell or block. `mark`: what to look up there; None where it cannot be."""

    flag: FlaggedPlace
    within: Bbox | None
    mark: PageMark | None


def mark_flags(tree: Tree, number: int) -> list[FlagMark]:
    """Every flagged value of page `number` (1-based)."""
    page = next((page for page in tree.pages if page.number == number), None)
    has_glyphs = page is not None and page.route is Route.FAST and tree.source.format == Format.PDF
    blocks, spans = {str(block.id): block for block in tree.blocks}, find_spans(tree)
    return [
        _mark(place, blocks[place.block_id], spans[place.block_id, place.flag, place.place], has_glyphs)
        for place in find_places(tree)
        if place.page == number
    ]


def _mark(place: FlaggedPlace, block: Block, spans: Sequence[FlagSpan], has_glyphs: bool) -> FlagMark:
    parts = BlockPlaces(block)
    if not spans:
        return FlagMark(place, parts.parts[0].bbox, None)
    (span,) = spans
    if span.cell is None or block.table is None:
        text, within = block.text, block.bbox
    else:
        text, within = block.table.cells[span.cell].text, find_cell_place(parts, block.table, span.cell)[1]
    known = has_glyphs and within is not None
    return FlagMark(place, within, PageMark(within, text, ((span.start, span.end),)) if known and within else None)


def place_flags(
    marks: Sequence[FlagMark], found_boxes: Sequence[Sequence[Bbox]]
) -> Iterator[tuple[FlagMark, list[Bbox]]]:
    """Each value with its own boxes: what was found for those that have a mark, in their order; else none."""
    boxes = iter(found_boxes)
    for flag_mark in marks:
        yield flag_mark, list(next(boxes, ())) if flag_mark.mark is not None else []

"""Splits a tree into text fragments with positions: lines of blocks and cells of tables.

Hidden text is left out. The box of a line inside a block is its share of the block's height.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Block, BlockId, BlockType, Route, Tree
from quire.models.cdom.visible import visible_blocks

HEADS = frozenset({BlockType.TITLE, BlockType.HEADING})
TAB_CHARS = 4  # blanks in a row that separate parts of a line, as a tab does
MAX_PARTS = 40  # parts of one line: all of them are compared with each other
MAX_PLACE = 20_000.0  # points: beyond it a box is not on any page (200 inches is the format's limit)
MAX_BANDS = 20  # bands in which a tall fragment is listed
MAX_LINE = 90.0
"""Points: a taller fragment is a block of lines. Receipts photographed large have lines of 60."""
MAX_BAND = 300
"""Fragments listed per band of a page. Real pages have fewer; without the limit a hostile page would make the search
for neighbours quadratic."""
PRINT_STAMP = re.compile(
    r"(?:file|https?)://\S+\s+(?:page\s*)?\d{1,4}\s?(?:/|of)\s?\d{1,4}$|page\s*:?\s*\d{1,4}(?:\s?(?:/|of)\s?\d{1,4})?$"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s\d{1,2}:\d\d(?::\d\d)?(?:\s?[AP]M)?\s+\D{3,}$"
    r"|printed\s(?:on|at|by|from)\b|print(?:ed)?\s(?:date|time)\b",
    re.IGNORECASE,
)
"""A line that a browser or printer adds: its address with the page's number, or when it was printed."""
BAND = 12.0
"""Height in points of the bands by which neighbours are found."""


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """One line or cell; `order` counts fragments of the tree, `cell` is an index into the block's `table.cells`.

    `bbox` is the line's or cell's place, `block_bbox` that of the whole block. `raw` is the text as in the tree, where
    it begins at offset `start` of the block's or cell's text; `text` has single blanks.
    """

    text: str
    page: int
    bbox: Bbox | None
    block_id: BlockId
    type: BlockType
    order: int
    cell: int | None
    block_bbox: Bbox | None
    raw: str
    start: int

    @property
    def height(self) -> float:
        """Return the height of the box, 0 without one."""
        return self.bbox[3] - self.bbox[1] if self.bbox else 0.0


def tree_fragments(tree: Tree, *, furniture: bool = False) -> list[Fragment]:
    """Return all fragments in reading order, without print stamps, and running heads only with `furniture`.

    A heading of a recognised page counts as a paragraph, because it is only a guess by size.
    """
    fragments: list[Fragment] = []
    recognised = {page.number for page in tree.pages if page.route in (Route.OCR, Route.VLM)}
    for block in visible_blocks(tree, furniture=furniture):
        guessed = block.page in recognised and block.type in HEADS
        kind = BlockType.PARAGRAPH if guessed else block.type
        places = BlockPlaces(block)
        for raw, bbox, cell, start in _parts(block):
            line = " ".join(raw.split())
            if line and not PRINT_STAMP.match(line):
                part = places.of_cell(cell)
                fragment = Fragment(line, part.page, bbox, block.id, kind, len(fragments), cell, part.bbox, raw, start)
                fragments.append(fragment)
    return fragments


def _parts(block: Block) -> Iterator[tuple[str, Bbox | None, int | None, int]]:
    """Yield text, box, index of the cell and offset of each line or cell."""
    if block.table is not None and block.table.cells:
        for number, cell in enumerate(block.table.cells):
            yield cell.text, cell.bbox, number, 0
        return
    lines = block.text.split("\n")
    start = 0
    for number, line in enumerate(lines):
        box = _line_box(block.bbox, number, len(lines))
        parts = line.split("\t") if line.count("\t") < MAX_PARTS else [line]
        for place, part in enumerate(parts):
            yield part, _part_box(box, parts, place), None, start
            start += len(part) + 1


def _line_box(bbox: Bbox | None, number: int, count: int) -> Bbox | None:
    if bbox is None or count == 1:
        return bbox
    step = (bbox[3] - bbox[1]) / count
    return (bbox[0], bbox[1] + number * step, bbox[2], bbox[1] + (number + 1) * step)


def _part_box(bbox: Bbox | None, parts: Sequence[str], place: int) -> Bbox | None:
    """Return the part of a row's box that one of its parts takes by length; a wide gap counts as four characters."""
    if bbox is None or len(parts) == 1:
        return bbox
    step = (bbox[2] - bbox[0]) / (sum(map(len, parts)) + TAB_CHARS * (len(parts) - 1))
    start = bbox[0] + step * (sum(map(len, parts[:place])) + TAB_CHARS * place)
    return (start, bbox[1], start + step * len(parts[place]), bbox[3])


class Neighbours:
    """Fragments of one page by position: `right_of` finds one on the same line, `below` one under it."""

    def __init__(self, fragments: Sequence[Fragment]) -> None:
        self._bands: dict[int, list[Fragment]] = defaultdict(list)
        for fragment in fragments:
            if fragment.bbox is not None:
                for band in _bands(fragment.bbox[1], fragment.bbox[3]):
                    if len(self._bands[band]) < MAX_BAND:
                        self._bands[band].append(fragment)

    def right_of(self, fragment: Fragment) -> Fragment | None:
        """Return the nearest fragment to the right that shares at least half of the lower one's height."""
        if fragment.bbox is None:
            return None
        edge = fragment.bbox[2] - 0.4 * fragment.height
        row = [
            other
            for other in self._within(fragment.bbox[1], fragment.bbox[3])
            if other.bbox and other.bbox[0] >= edge and other is not fragment and _same_line(fragment, other)
        ]
        return min(row, key=lambda other: other.bbox[0] if other.bbox else 0.0, default=None)

    def all_right_of(self, fragment: Fragment) -> list[Fragment]:
        """Return the fragments to the right that are within this one's height, from top to bottom."""
        if fragment.bbox is None:
            return []
        edge = fragment.bbox[2] - 0.4 * min(fragment.height, MAX_LINE)
        beside = [
            other
            for other in self._within(fragment.bbox[1], fragment.bbox[3])
            if other.bbox and other.bbox[0] >= edge and other is not fragment and _same_line(fragment, other)
        ]
        return sorted(beside, key=lambda other: (other.bbox[1], other.bbox[0]) if other.bbox else (0.0, 0.0))

    def below(self, fragment: Fragment, *, lines: float = 1.6) -> Fragment | None:
        """Return the nearest fragment that begins under this one, at most `lines` of its heights away."""
        if fragment.bbox is None:
            return None
        x0, _, x1, y1 = fragment.bbox
        height = min(fragment.height, MAX_LINE)
        column = [
            other
            for other in self._within(y1, y1 + lines * height)
            if other.bbox
            and y1 - 0.4 * height <= other.bbox[1] <= y1 + lines * height
            and other.bbox[0] < x1
            and other.bbox[2] > x0
            and other is not fragment
        ]
        return min(
            column,
            key=lambda other: (other.bbox or (0.0, 0.0))[1] + abs((other.bbox or (0.0,))[0] - x0) * 0.3,
            default=None,
        )

    def _within(self, top: float, bottom: float) -> Iterator[Fragment]:
        seen: set[int] = set()
        for band in _bands(top, bottom):
            for fragment in self._bands.get(band, ()):
                if fragment.order not in seen:
                    seen.add(fragment.order)
                    yield fragment


def _bands(top: float, bottom: float) -> range:
    """Return the bands from `top` to `bottom`, only the first ones of tall boxes."""
    first = int(max(-MAX_PLACE, min(top, MAX_PLACE)) // BAND)
    last = int(max(-MAX_PLACE, min(bottom, MAX_PLACE)) // BAND)
    return range(first, min(last, first + MAX_BANDS) + 1)


def _same_line(a: Fragment, b: Fragment) -> bool:
    if a.bbox is None or b.bbox is None:
        return False
    shared = min(a.bbox[3], b.bbox[3]) - max(a.bbox[1], b.bbox[1])
    return shared >= 0.5 * min(a.height, b.height)

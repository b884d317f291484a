"""Paints a page's picture without personal data: white, except for text that was read and cleared; masks are black.

This is an allow-list. Pictures, stamps, signatures, form fields, annotations and text that was not recognised are not
shown, because they were not searched for personal data. In: a PNG and the page's tree. Out: a new PNG without
metadata. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox, clamp_bbox
from quire.models.cdom.original import Format
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.ports import PageMark
from quire.models.cdom.table import TablePart
from quire.models.cdom.tree import Block, BlockId, BlockType, Page, Route, Tree
from quire.models.pii.cells import find_cell_place
from quire.models.pii.redact import Decisions, active_spans, require_scan

MAX_PIXELS = 120_000_000  # pixels of a page's picture
MARGIN = 2.0
"""Points by which a masked place is painted larger: letters reach beyond their boxes."""


Place = tuple[BlockId, int | None]
"""A block, or one cell of its table."""
Exact = Mapping[Place, tuple[Bbox, ...]]
"""Boxes of masked values, by the text that they are in."""


class PictureTooLarge(ValueError):
    """More pixels than a drawn page may have."""


@dataclass(frozen=True, slots=True)
class View:
    """Places of one page in points: `shown` are copied, `hidden` painted over them. `blank`: nothing may be shown."""

    shown: tuple[Bbox, ...]
    hidden: tuple[Bbox, ...]
    blank: bool = False


def mark_values(tree: Tree, decisions: Decisions, number: int) -> dict[Place, PageMark]:
    """Return the masked ranges of texts on page `number` whose exact places can be looked up in a PDF's glyphs.

    Raises:
        PiiIncomplete: The tree was not searched completely for personal data.
    """
    require_scan(tree)
    page = next((page for page in tree.pages if page.number == number), None)
    if page is None or page.route is not Route.FAST or tree.source.format != Format.PDF:
        return {}
    marks: dict[Place, PageMark] = {}
    for block in tree.blocks:
        if _was_read(block) and (masked := _group_by_cell(block, decisions)):
            places = BlockPlaces(block)
            for cell, spans in masked.items():
                on, box, text = _find_text(block, places, cell)
                if on == number and box is not None:
                    marks[block.id, cell] = PageMark(box, text, tuple(spans))
    return marks


def _group_by_cell(block: Block, decisions: Decisions) -> dict[int | None, list[tuple[int, int]]]:
    ranges: dict[int | None, list[tuple[int, int]]] = {}
    for span in active_spans(block, decisions):
        ranges.setdefault(span.cell, []).append((span.start, span.end))
    return ranges


def _find_text(block: Block, places: BlockPlaces, cell: int | None) -> tuple[int, Bbox | None, str]:
    """Return page, box and text of a cell, or of a block without a table; a table's own text has no box."""
    if block.table is None or cell is None:
        return block.page, block.bbox if block.table is None else None, block.text
    return *find_cell_place(places, block.table, cell), block.table.cells[cell].text


def view_page(tree: Tree, decisions: Decisions, number: int, exact: Exact = MappingProxyType({})) -> View:
    """Return the visible and hidden areas of page `number`.

    Boxes in `exact` hide the values of a text alone; a cell or block without them is hidden whole.

    Raises:
        PiiIncomplete: The tree was not searched completely for personal data.
    """
    require_scan(tree)
    shown: list[Bbox] = []
    hidden: list[Bbox] = []
    for block in tree.blocks:
        places = BlockPlaces(block)
        part = places.on_page(number)
        if part is None:
            continue
        masked = _masked_boxes(block, places, part, decisions, exact)
        if None in masked:  # flagged text without a known place
            return View((), (), blank=True)
        hidden += [box for box in masked if box is not None]
        if _was_read(block) and (box := places.shown_box(part)) is not None:
            shown.append(box)
    return View(tuple(shown), tuple(hidden))


def load_painting() -> None:
    """Import what `paint_page` needs, for a process that cannot open files later."""
    from PIL import Image, ImageDraw  # noqa: F401

    Image.preinit()


def paint_page(png: bytes, page: Page, view: View) -> bytes:
    """Paint the picture as `view` allows.

    Raises:
        PictureTooLarge: The picture has too many pixels.
        OSError: The bytes are not a PNG.
    """
    from PIL import Image, ImageDraw

    with Image.open(BytesIO(png), formats=["PNG"]) as drawn:
        if drawn.width * drawn.height > MAX_PIXELS:
            raise PictureTooLarge(f"{drawn.width} x {drawn.height}")
        canvas = Image.new("RGB", drawn.size, "white")
        if not view.blank:
            source = drawn.convert("RGB")
            pen = ImageDraw.Draw(canvas)
            for place in (_pixels(box, page, drawn.size, 0.5) for box in view.shown):
                canvas.paste(source.crop(place), place)
            for box in view.hidden:
                x0, y0, x1, y1 = _pixels(box, page, drawn.size, MARGIN)
                pen.rectangle((x0, y0, max(x0, x1 - 1), max(y0, y1 - 1)), fill="black")
    painted = BytesIO()
    canvas.save(painted, "PNG")
    return painted.getvalue()


def _was_read(block: Block) -> bool:
    """Its text is what is seen there."""
    return block.type is not BlockType.PICTURE and HIDDEN_TEXT not in block.flags and bool(block.text or block.table)


def _masked_boxes(
    block: Block, places: BlockPlaces, part: TablePart, decisions: Decisions, exact: Exact
) -> list[Bbox | None]:
    """Return the boxes of a part's masked values, their cells, or the whole part if its own text is masked."""
    masked, table = _group_by_cell(block, decisions), block.table
    if table is None or None in masked:
        return [*exact.get((block.id, None), ())] or ([part.bbox] if masked else [])
    boxes: list[Bbox | None] = []
    for cell in masked:
        page, box = find_cell_place(places, table, cell) if cell is not None else (part.page, None)
        if page == part.page:
            boxes += exact.get((block.id, cell), ()) or [box]
    return boxes


def _pixels(box: Bbox, page: Page, size: tuple[int, int], margin: float) -> tuple[int, int, int, int]:
    """Return the box in pixels, rounded outwards."""
    wide = (box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin)
    x0, y0, x1, y1 = clamp_bbox(wide, page.width, page.height)
    across, down = size[0] / page.width, size[1] / page.height
    return int(x0 * across), int(y0 * down), min(size[0], int(x1 * across) + 1), min(size[1], int(y1 * down) + 1)

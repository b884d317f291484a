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


Exact = Mapping[BlockId, tuple[Bbox, ...]]
"""Boxes of masked values, by block."""


class PictureTooLarge(ValueError):
    """More pixels than a drawn page may have."""


@dataclass(frozen=True, slots=True)
class View:
    """Places of one page in points: `shown` are copied, `hidden` painted over them. `blank`: nothing may be shown."""

    shown: tuple[Bbox, ...]
    hidden: tuple[Bbox, ...]
    blank: bool = False


def mark_values(tree: Tree, decisions: Decisions, number: int) -> dict[BlockId, PageMark]:
    """Return the masked ranges of blocks on page `number` whose exact places can be looked up in a PDF's glyphs.

    Raises:
        PiiIncomplete: The tree was not searched completely for personal data.
    """
    require_scan(tree)
    page = next((page for page in tree.pages if page.number == number), None)
    if page is None or page.route is not Route.FAST or tree.source.format != Format.PDF:
        return {}
    marks = {}
    for block in tree.blocks:
        spans = tuple((span.start, span.end) for span in active_spans(block, decisions))
        if block.page == number and spans and block.table is None and block.bbox is not None and _was_read(block):
            marks[block.id] = PageMark(block.bbox, block.text, spans)
    return marks


def view_page(tree: Tree, decisions: Decisions, number: int, exact: Exact = MappingProxyType({})) -> View:
    """Return the visible and hidden areas of page `number`.

    Boxes in `exact` hide a block's values alone; a block without them is hidden whole.

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
        masked = list(exact.get(block.id, ())) or _masked_boxes(block, places, part, decisions)
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


def _masked_boxes(block: Block, places: BlockPlaces, part: TablePart, decisions: Decisions) -> list[Bbox | None]:
    """Return the boxes of a part's masked cells, or the box of the whole part if its own text is masked."""
    active = active_spans(block, decisions)
    table = block.table
    if table is None or any(span.cell is None for span in active):
        return [part.bbox] if active else []
    masked = [find_cell_place(places, table, span.cell) for span in active if span.cell is not None]
    return [box for page, box in masked if page == part.page]


def _pixels(box: Bbox, page: Page, size: tuple[int, int], margin: float) -> tuple[int, int, int, int]:
    """Return the box in pixels, rounded outwards."""
    wide = (box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin)
    x0, y0, x1, y1 = clamp_bbox(wide, page.width, page.height)
    across, down = size[0] / page.width, size[1] / page.height
    return int(x0 * across), int(y0 * down), min(size[0], int(x1 * across) + 1), min(size[1], int(y1 * down) + 1)

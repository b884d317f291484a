"""Pages whose text was recognised in their pixels: painted as they may be seen, the redacted text under the picture.

Painted as everywhere (models.pii.paint): white, but for text that was read and cleared. The text layer is Latin script
only; a block in another script is seen and cannot be selected.
"""

from typing import Any

import pymupdf

from models.cdom.flags import HIDDEN_TEXT
from models.cdom.geometry import Bbox
from models.cdom.places import BlockPlaces
from models.cdom.tree import Page, PageStatus, Route, Tree
from models.pii.paint import paint_page, view_page
from models.pii.redact import Decisions, redact_tree

DPI = 150
"""Fine enough to read what a scan shows, small enough to hand out: some 150 kB a page."""
_WITH_PIXELS = (Route.OCR, Route.VLM, Route.MIXED)
"""Routes whose text was read in pixels, at least in part."""
LINE_SHARE = 0.75
"""Size of letters in a line's height."""


def draw_scans(document: Any, tree: Tree, decisions: Decisions) -> dict[int, bytes]:
    """A one-page PDF per recognised page (1-based)."""
    wanted = [page for page in tree.pages if page.status is PageStatus.OK and page.route in _WITH_PIXELS]
    if not wanted:
        return {}
    shown = redact_tree(tree, decisions)
    return {page.number: _draw(document[page.number - 1], page, tree, shown, decisions) for page in wanted}


def _draw(original: Any, page: Page, tree: Tree, shown: Tree, decisions: Decisions) -> bytes:
    picture = original.get_pixmap(dpi=DPI, annots=False).tobytes("png")
    painted = paint_page(picture, page, view_page(tree, decisions, page.number))
    with pymupdf.open() as made:
        sheet = made.new_page(width=page.width, height=page.height)
        for block in (one for one in shown.blocks if HIDDEN_TEXT not in one.flags):
            places = BlockPlaces(block)
            part = places.on_page(page.number)
            if part is not None and part.bbox is not None:
                lines = [block.text] if block.table is None else [cell.text for cell in places.cells_of(part)]
                _write(sheet, lines, part.bbox)
        sheet.insert_image(sheet.rect, stream=painted)
        return bytes(made.tobytes(garbage=3, deflate=True, no_new_id=True))


def _write(sheet: Any, texts: list[str], bbox: Bbox) -> None:
    """A block's words, unseen, a line of the box each."""
    words = [line for text in texts for line in text.splitlines() if line.strip()]
    x0, y0, _, y1 = bbox
    height = (y1 - y0) / max(1, len(words))
    for number, line in enumerate(words):
        latin = line.encode("latin-1", "ignore").decode("latin-1")
        if latin.strip():
            size = max(1.0, height * LINE_SHARE)
            sheet.insert_text((x0, y0 + height * (number + LINE_SHARE)), latin, fontsize=size, render_mode=3)

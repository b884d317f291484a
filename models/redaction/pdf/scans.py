"""Redacts pages whose text was recognised from pixels: paints the visible part and puts the redacted text under it.

Painting follows `models.pii.paint`: white, except for text that was read and cleared. Values that either engine sees
in the page's own characters are covered too, with the tree's text there; the content of tiles is left out. The text
layer is searched as a whole, because a value may be in pieces. The layer is Latin script only; a block in another
script is visible and cannot be selected.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pymupdf

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.places import BlockPlaces
from quire.models.cdom.tree import Page, PageStatus, Route, Tree
from quire.models.pii.paint import MARGIN, paint_page, view_page
from quire.models.pii.redact import Decisions, redact_tree
from quire.models.redaction.pdf.remove import find_shown
from quire.models.redaction.pdf.second_look import SecondLook
from quire.models.redaction.pdf.tiles import without_tiles
from quire.models.redaction.planning.folded import ValueFinder, fold_text
from quire.models.redaction.planning.spelled import mask_places

DPI = 150
"""Fine enough to read what a scan shows, small enough to hand out: some 150 kB a page."""
_WITH_PIXELS = (Route.OCR, Route.VLM, Route.MIXED)
"""Routes whose text was read in pixels, at least in part."""
LINE_SHARE = 0.75
"""Size of letters in a line's height."""


@dataclass(frozen=True, slots=True)
class LayerLine:
    """A line of the text below a picture; `block` is where its block stands."""

    text: str
    bbox: Bbox
    block: Bbox


@dataclass(frozen=True, slots=True)
class ScanPainter:
    """Paints pages of one document. `plain`: the document without what tiles show, where they show anything."""

    document: Any
    plain: Any
    tree: Tree
    shown: Tree
    decisions: Decisions
    finder: ValueFinder
    second: SecondLook

    def draw(self, page: Page) -> bytes:
        """Return a PDF of one page."""
        original = self.document[page.number - 1]
        picture = _pixels(original)
        lines = list(_lines_of(self.shown, page.number))
        if self.plain is not None:
            before, picture = picture, _pixels(self.plain[page.number - 1])
            lines = [line for line in lines if not _differ(before, picture, line.block, page)]
        view = view_page(self.tree, self.decisions, page.number)
        seen = find_shown(original, page.number, self.finder, self.second)
        unknown = [box for box in seen if not any(_holds(hidden, box) for hidden in view.hidden)]
        lines = [line for line in lines if not any(_holds(line.block, box) for box in unknown)]
        lines, covered = _masked(lines, self.finder.widened())
        view = replace(view, hidden=(*view.hidden, *seen, *covered))
        return _write(page, lines, paint_page(picture.tobytes("png"), page, view))


def draw_scans(
    document: Any, tree: Tree, decisions: Decisions, finder: ValueFinder, second: SecondLook
) -> dict[int, bytes]:
    """Return a one-page PDF for each recognised page, by page number (1-based)."""
    recognised = [page for page in tree.pages if page.status is PageStatus.OK and page.route in _WITH_PIXELS]
    if not recognised:
        return {}
    plain = without_tiles(document)
    try:
        painter = ScanPainter(document, plain, tree, redact_tree(tree, decisions), decisions, finder, second)
        return {page.number: painter.draw(page) for page in recognised}
    finally:
        if plain is not None:
            plain.close()


def _pixels(page: Any) -> Any:
    return page.get_pixmap(dpi=DPI, annots=False)


def _lines_of(shown: Tree, number: int) -> Iterator[LayerLine]:
    """Yield the words of each block of a page; each line gets an equal share of the block's box."""
    for block in (block for block in shown.blocks if HIDDEN_TEXT not in block.flags):
        places = BlockPlaces(block)
        part = places.on_page(number)
        if part is None or part.bbox is None:
            continue
        texts = [block.text] if block.table is None else [cell.text for cell in places.cells_of(part)]
        lines = [line for text in texts for line in text.splitlines() if line.strip()]
        x0, y0, x1, y1 = part.bbox
        height = (y1 - y0) / max(1, len(lines))
        for index, line in enumerate(lines):
            yield LayerLine(line, (x0, y0 + height * index, x1, y0 + height * (index + 1)), part.bbox)


def _differ(first: Any, second: Any, box: Bbox, page: Page) -> bool:
    """Whether two pictures of the page are not the same in a box."""
    across, down = first.width / page.width, first.height / page.height
    x0, y0 = (max(0, int((edge - MARGIN) * share)) for edge, share in ((box[0], across), (box[1], down)))
    x1, y1 = int((box[2] + MARGIN) * across) + 1, int((box[3] + MARGIN) * down) + 1
    old, new = (
        np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.stride)[
            y0:y1, x0 * pixmap.n : x1 * pixmap.n
        ]
        for pixmap in (first, second)
    )
    return not np.array_equal(old, new)


def _holds(area: Bbox, box: Bbox) -> bool:
    """Whether the middle of the box is in the area."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return area[0] <= x <= area[2] and area[1] <= y <= area[3]


def _masked(lines: list[LayerLine], finder: ValueFinder) -> tuple[list[LayerLine], list[Bbox]]:
    """Mask values that only all lines together contain; return the lines and the blocks that held a part."""
    text = "\n".join(line.text for line in lines)
    gone = finder.find(fold_text(text))
    kept, covered, start = [], [], 0
    for line in lines:
        own = {index - start for index in gone if start <= index < start + len(line.text)}
        kept.append(replace(line, text=mask_places(line.text, own)) if own else line)
        covered += [line.block] if own else []
        start += len(line.text) + 1
    return kept, covered


def _write(page: Page, lines: list[LayerLine], picture: bytes) -> bytes:
    """Write the words invisibly below the picture."""
    with pymupdf.open() as made:
        sheet = made.new_page(width=page.width, height=page.height)
        for line in lines:
            latin = line.text.encode("latin-1", "ignore").decode("latin-1")
            if latin.strip():
                x0, y0, _, y1 = line.bbox
                size = max(1.0, (y1 - y0) * LINE_SHARE)
                sheet.insert_text((x0, y0 + (y1 - y0) * LINE_SHARE), latin, fontsize=size, render_mode=3)
        sheet.insert_image(sheet.rect, stream=picture)
        return bytes(made.tobytes(garbage=3, deflate=True, no_new_id=True))

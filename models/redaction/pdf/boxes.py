"""The exact boxes of values on a page as it is shown, for those who look at its picture."""

from collections.abc import Sequence
from typing import Any

import pymupdf

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import PageMark
from quire.models.redaction.pdf.glyphs import as_rectangles, find_exactly, read_glyphs
from quire.models.redaction.pdf.remove import FLAGS, turned_back
from quire.models.redaction.planning.plan import MaskedPlace


def find_boxes(data: bytes, number: int, marks: Sequence[PageMark], password: str | None = None) -> list[list[Bbox]]:
    """Boxes for each mark on page `number` (1-based), in points of the page as shown; none where one is not found."""
    document: Any = pymupdf.open(stream=data, filetype="pdf")
    try:
        if document.needs_pass and not document.authenticate(password or ""):
            return [[] for _ in marks]
        page = document[number - 1]
        glyphs = read_glyphs(page, FLAGS)
        return [_boxes(page, glyphs, MaskedPlace(number, mark.bbox, mark.text, mark.spans)) for mark in marks]
    finally:
        document.close()


def _boxes(page: Any, glyphs: Any, place: MaskedPlace) -> list[Bbox]:
    characters = find_exactly(glyphs, turned_back(place, page.derotation_matrix))
    shown = [pymupdf.Rect(box) * page.rotation_matrix for box in as_rectangles(glyphs, characters or set())]
    return [(box.x0, box.y0, box.x1, box.y1) for box in shown]

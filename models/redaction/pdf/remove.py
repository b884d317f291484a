"""Takes the masked characters off every page with MuPDF: they leave the content streams, a black box stands instead."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pymupdf

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.tree import Page, PageStatus, Route, Tree
from quire.models.redaction.pdf.glyphs import INSET, as_rectangles, find_masked, find_outside, read_glyphs
from quire.models.redaction.pdf.rows import find_in_rows
from quire.models.redaction.pdf.second_look import SecondLook
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.folded import ValueFinder
from quire.models.redaction.planning.plan import MaskedPlace

FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE
"""Not clipped to the page, because text outside the page is in the file."""
Paint = Callable[[int], bytes | None]
"""The picture of a page (1-based) as it may be seen, PNG; None when nothing of it may be."""


def remove_values(document: Any, tree: Tree, finder: ValueFinder, second: SecondLook) -> set[int]:
    """Remove the masked values from `document` in place.

    Args:
        document: The file to edit.
        tree: The tree read from it.
        finder: Finds values in text.
        second: Another engine's view of the same file.

    Returns:
        The pages (1-based) whose text was not read, so that no part of them may stay.
    """
    places: dict[int, list[MaskedPlace]] = defaultdict(list)
    for place in finder.plan.places:
        places[place.page].append(place)
    read = {page.number: page for page in tree.pages}
    unread: set[int] = set()
    for number in range(1, document.page_count + 1):
        if not _was_read(read.get(number)):
            unread.add(number)
            continue
        seen = second.find_masked(number, finder)
        _remove_from(document[number - 1], places[number], finder, seen)
    return unread


def _was_read(page: Page | None) -> bool:
    """Its characters are what the tree says; those of a recognised page are pixels."""
    return page is not None and page.status is PageStatus.OK and page.route is Route.FAST


def _remove_from(page: Any, places: list[MaskedPlace], finder: ValueFinder, seen: list[Bbox]) -> None:
    turned, shown = page.derotation_matrix, page.rect
    flat = [turned_back(place, turned) for place in places]
    area = pymupdf.Rect(shown) * turned
    glyphs = read_glyphs(page, FLAGS)
    rows = find_in_rows(glyphs, finder)
    masked = find_masked(glyphs, flat, finder) | rows
    masked |= find_outside(glyphs, (area.x0, area.y0, area.x1, area.y1))
    boxes = as_rectangles(glyphs, masked)
    boxes += _uncovered(seen, boxes, page.transformation_matrix)
    if not boxes:
        return
    for box in boxes:
        page.add_redact_annot(pymupdf.Rect(_inset(box)), fill=(0, 0, 0), cross_out=False)
    page.apply_redactions(
        images=pymupdf.PDF_REDACT_IMAGE_NONE,
        graphics=pymupdf.PDF_REDACT_LINE_ART_NONE,
        text=pymupdf.PDF_REDACT_TEXT_REMOVE,
    )
    if rows and find_in_rows(read_glyphs(page, FLAGS), finder):  # no engine would see it when the file is read again
        raise RedactionUnproven("found again in rows")


def find_shown(page: Any, number: int, finder: ValueFinder, second: SecondLook) -> list[Bbox]:
    """Return boxes of values that either engine finds on a recognised page, in points of the page as shown."""
    glyphs = read_glyphs(page, FLAGS)
    boxes = as_rectangles(glyphs, find_masked(glyphs, (), finder) | find_in_rows(glyphs, finder))
    boxes += _uncovered(second.find_masked(number, finder), boxes, page.transformation_matrix)
    turned = [pymupdf.Rect(box) * page.rotation_matrix for box in boxes]
    return [(box.x0, box.y0, box.x1, box.y1) for box in turned]


def _uncovered(seen: list[Bbox], boxes: list[Bbox], upright: Any) -> list[Bbox]:
    """Boxes of characters of which no box found before covers the middle, as the page's other boxes are counted."""
    uncovered: list[Bbox] = []
    for left, bottom, right, top in seen:
        box = pymupdf.Rect(left, bottom, right, top) * upright
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        if box.is_empty or any(other[0] <= x <= other[2] and other[1] <= y <= other[3] for other in boxes):
            continue
        uncovered.append((box.x0, box.y0, box.x1, box.y1))
    return uncovered


def turned_back(place: MaskedPlace, turned: Any) -> MaskedPlace:
    """Return the place with its box in the coordinates of the unrotated page."""
    if place.bbox is None:
        return place
    box = pymupdf.Rect(place.bbox) * turned
    return replace(place, bbox=(box.x0, box.y0, box.x1, box.y1))


def _inset(box: Bbox) -> Bbox:
    """Lines may touch each other; a glyph that is touched anywhere goes."""
    across, down = min(0.5, (box[2] - box[0]) * INSET / 2), (box[3] - box[1]) * INSET
    return (box[0] + across, box[1] + down, box[2] - across, box[3] - down)

"""Sizes of glyphs in Type 3 fonts: their units are the font's own, so that a stated size can be any number."""

from dataclasses import dataclass
from math import hypot
from typing import Any

from models.extract.formats.pdf.engine import mupdf
from models.extract.formats.pdf.text.raw_lines import iter_glyphs, iter_spans
from models.extract.formats.pdf.visibility.unseen import keep_spans


@dataclass(frozen=True, slots=True)
class TypeSizeLimits:
    """Sizes in points that letters have. A stated size within them is kept.

    Attributes:
        least: Smallest size.
        most: Largest size of a stated number.
        most_drawn: Largest height of a font's box.
    """

    least: float = 4.0
    most: float = 40.0
    most_drawn: float = 150.0


LIMITS = TypeSizeLimits()


def correct_sizes(page: Any, text_page: Any, blocks: list[dict[str, Any]]) -> bool:
    """Give glyphs of Type 3 fonts whose stated size is implausible the size and place of their font's box, in place.

    Args:
        page: The engine's page.
        text_page: Its text page, whose glyphs are changed.
        blocks: The dictionary of the text page.

    Returns:
        Whether a glyph was changed, so that the dictionary must be made anew.
    """
    if all(LIMITS.least <= span["size"] <= LIMITS.most for span in iter_spans(blocks)):
        return False
    if not any(font[2] == "Type3" for font in page.get_fonts(full=True)):
        return False
    changed = False
    for glyph in iter_glyphs(text_page):
        if LIMITS.least <= glyph.size <= LIMITS.most or not mupdf.ll_fz_font_t3_procs(glyph.font):
            continue
        box = mupdf.ll_fz_font_bbox(glyph.font)
        size = glyph.size * (box.y1 - box.y0)
        if LIMITS.least <= size <= LIMITS.most_drawn:
            _move_edges(glyph, box.y0 * glyph.size, box.y1 * glyph.size)
            glyph.size = size
            changed = True
    return changed


def part_lines(blocks: list[dict[str, Any]]) -> None:
    """Part lines with text on several baselines, in place: the engine joins them where a stated size is huge."""
    for block in blocks:
        if block["type"] == 0:
            block["lines"] = [part for line in block["lines"] for part in _part_line(line)]


def _part_line(line: dict[str, Any]) -> list[dict[str, Any]]:
    groups: list[list[dict[str, Any]]] = []
    for span in line["spans"]:
        last = groups[-1][-1] if groups else None
        if last is not None and abs(span["origin"][1] - last["origin"][1]) < max(span["size"], last["size"]):
            groups[-1].append(span)
        else:
            groups.append([span])
    if len(groups) < 2 or line["dir"][0] < 1:
        return [line]
    parts = [{**line, "torn": True} for _ in groups]
    for part, spans in zip(parts, groups, strict=True):
        keep_spans(part, spans)
    return parts


def _move_edges(glyph: Any, bottom: float, top: float) -> None:
    """Move the lower and upper edge of a glyph to these distances from its baseline.

    Glyphs that hang from their baseline are moved onto one at their lower edge, as other letters have it.
    """
    quad, origin = glyph.quad, glyph.origin
    up_x, up_y = quad.ul.x - quad.ll.x, quad.ul.y - quad.ll.y
    length = hypot(up_x, up_y)
    if not length:
        return
    up_x, up_y = up_x / length, up_y / length
    across_x, across_y = quad.lr.x - quad.ll.x, quad.lr.y - quad.ll.y
    for left, right, distance in ((quad.ll, quad.lr, bottom), (quad.ul, quad.ur, top)):
        left.x, left.y = origin.x + up_x * distance, origin.y + up_y * distance
        right.x, right.y = left.x + across_x, left.y + across_y
    if top <= 0:
        origin.x, origin.y = quad.ll.x, quad.ll.y

"""Unseen text of a page, found by the order of painting, which is the order of the engine's blocks.

Spans without ink or size are unseen for certain. Other doubtful spans are checked in pixels.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quire.models.cdom.coverage import Unseen
from quire.models.cdom.geometry import Bbox

PaintedSpan = dict[str, Any]
"""A span of the engine's dictionary."""


@dataclass(frozen=True, slots=True)
class SightLimits:
    """Thresholds of visible text.

    Attributes:
        smallest: Points: smaller text is not read.
        faint: 0..255: text with a lower alpha may be unseen.
        near: Text may be unseen if its colour differs less from its ground in every channel (0..255).
        cover_alpha: 0..255: a fill with at least this alpha may hide what is under it.
        least_cover: Points: thinner bars hide nothing.
        stripe: Points: height of the bands by which covers are found.
        most_covers: Covers beyond which a page is a drawing and not judged.
        most_painted: Page areas that its pictures cover together, beyond which drawing it twice takes too long.
        most_bands: Greatest number of bands on a page.
    """

    smallest: float = 2.0
    faint: int = 72
    near: int = 64
    cover_alpha: int = 200
    least_cover: float = 3.0
    stripe: float = 24.0
    most_covers: int = 6000
    most_painted: float = 100.0
    most_bands: int = 1000


LIMITS = SightLimits()
_INK = 16 | 32
"""The engine's character flags for filled and stroked glyphs; text of render mode 3 has neither."""
PAPER = 0xFFFFFF
"""White as 0xRRGGBB: the page before anything is painted."""


@dataclass(frozen=True, slots=True)
class Cover:
    """Something painted over an area; pictures and shapes have no `color`, `sure`: it hides all of its box."""

    order: int
    box: Bbox
    color: int | None
    sure: bool

    def is_at(self, x: float, y: float) -> bool:
        """Return whether the point is in the cover's box."""
        return self.box[0] <= x <= self.box[2] and self.box[1] <= y <= self.box[3]


class Covers:
    """All covers of a page, indexed by height."""

    def __init__(self, blocks: list[dict[str, Any]], images: dict[int, bool], bounds: Bbox) -> None:
        covers = list(_find_covers(blocks, images))
        painted = sum(_area_inside(cover.box, bounds) for cover in covers if cover.order in images)
        page = max(1.0, _area_inside(bounds, bounds))
        self.judged = len(covers) <= LIMITS.most_covers and painted <= LIMITS.most_painted * page
        self._bands: dict[int, list[Cover]] = {}
        self._last = max((cover.order for cover in covers), default=-1) if self.judged else -1
        self._dark = self.judged and any(_is_dark(cover) for cover in covers)
        for cover in covers if self.judged else ():
            first, last = int(cover.box[1] // LIMITS.stripe), int(cover.box[3] // LIMITS.stripe)
            for band in range(max(first, -1), min(last, LIMITS.most_bands) + 1):
                self._bands.setdefault(band, []).append(cover)

    def may_hide_at(self, order: int) -> bool:
        """Return False when no cover can hide dark text painted in that order anywhere on the page."""
        return self._dark or order < self._last

    def touching(self, box: Bbox) -> list[Cover]:
        """Return the covers that reach into the box, in painting order."""
        if not self._bands:
            return []
        first, last = max(-1, int(box[1] // LIMITS.stripe)), min(int(box[3] // LIMITS.stripe), LIMITS.most_bands)
        by_order = {
            cover.order: cover
            for band in range(first, last + 1)
            for cover in self._bands.get(band, ())
            if cover.box[0] < box[2] and box[0] < cover.box[2] and cover.box[1] < box[3] and box[1] < cover.box[3]
        }
        return [by_order[order] for order in sorted(by_order)]


def _find_covers(blocks: list[dict[str, Any]], images: dict[int, bool]) -> Iterator[Cover]:
    least = LIMITS.least_cover
    for order, block in enumerate(blocks):
        if block["type"] != 3:
            continue
        x0, y0, x1, y1 = block["bbox"]
        if x1 - x0 < least or y1 - y0 < least:
            continue
        if order in images:
            yield Cover(order, (x0, y0, x1, y1), None, images[order])
        elif not block["stroked"] and block["alpha"] >= LIMITS.cover_alpha:
            color = block["color"] if block["isrect"] else None
            yield Cover(order, (x0, y0, x1, y1), color, block["isrect"] and block["alpha"] == 255)


def _area_inside(box: Bbox, area: Bbox) -> float:
    width = min(box[2], area[2]) - max(box[0], area[0])
    height = min(box[3], area[3]) - max(box[1], area[1])
    return max(0.0, width) * max(0.0, height)


_LIGHT = 0x808080
"""Colours without one of these bits are dark in every channel and visible on paper."""


def has_doubt(block: dict[str, Any]) -> bool:
    """Return whether a text block has a span that is light, faint, tiny or without ink."""
    if block["type"] != 0:
        return False
    faint, smallest = LIMITS.faint, LIMITS.smallest
    for line in block["lines"]:
        for span in line["spans"]:
            if (
                span["color"] & _LIGHT
                or span["alpha"] < faint
                or span["size"] < smallest
                or not span["char_flags"] & _INK
            ):
                return True
    return False


def surely_unseen(span: PaintedSpan) -> Unseen | None:
    """Return the reason why the span cannot be seen on any ground; None when it could be seen."""
    flags, alpha = span["char_flags"], span["alpha"]
    if not flags & _INK:
        return Unseen.INVISIBLE
    if alpha == 0:
        return Unseen.INVISIBLE if flags & 64 else Unseen.TRANSPARENT
    return Unseen.TINY if span["size"] < LIMITS.smallest else None


def ground_of(order: int, x: float, y: float, covers: list[Cover]) -> int | None:
    """Return the colour under text painted in that order at that point; None over a picture or shape."""
    for cover in reversed(covers):
        if cover.order < order and cover.is_at(x, y):
            return cover.color
    return PAPER


def may_hide(order: int, covers: list[Cover]) -> bool:
    """Return whether one of the covers is painted over text of that order, or is dark under it."""
    return any(cover.order > order or _is_dark(cover) for cover in covers)


def _is_dark(cover: Cover) -> bool:
    return cover.color is not None and bool(~cover.color & _LIGHT)


def is_faint(span: PaintedSpan) -> bool:
    """Return whether the span is nearly transparent."""
    return int(span["alpha"]) < LIMITS.faint


def is_near(color: int, ground: int | None) -> bool:
    """Return whether text of the colour may be invisible on the ground; on pictures only very light text may be."""
    if ground is None:
        return min(color >> 16, color >> 8 & 255, color & 255) >= 256 - LIMITS.near // 4
    return all(abs((color >> shift & 255) - (ground >> shift & 255)) < LIMITS.near for shift in (16, 8, 0))

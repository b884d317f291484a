"""Straight lines drawn on a picture: what is left of its dark pixels when everything shorter than a rule is rubbed out.

In: an RGB picture (uint8, H×W×3) that stands upright, and how its lines fall. Out: boxes of horizontal and vertical
lines, and of boxes to tick, on the level page. No model: two morphological openings (Gatos et al. 2005 find ruling
lines of tables so).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.cdom.ports import TickBox
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.tick_boxes import find_tick_boxes


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingSettings:
    """Lengths in points of the page."""

    least_flat: float = 24.0
    """Shorter horizontals are dashes, signs and underlined words."""
    least_upright: float = 14.0
    """Shorter verticals are strokes of letters: the cell of one line of text is higher."""
    thickest: float = 5.0
    """Thicker lines are bars or edges of pictures."""
    least_piece: float = 10.0
    """Of lines that are broken, the pieces: no stroke of a letter of running text is as long."""
    gap: float = 3.0
    """A break in a line that printing or scanning makes."""
    slender: float = 8.0
    """Times as long as thick."""
    darker: int = 24
    """Grey levels of 256 by which a line is darker than what is around it: shades of cells differ by less."""
    around: float = 12.0
    """Side of the square whose mean is what is around."""
    level_enough: float = 0.2
    """Degrees of tilt below which a picture is not levelled: over a page a line then falls by its own thickness."""
    most: int = 3000
    """Lines of a page, the longest first; a page with more is a drawing."""


SETTINGS = RulingSettings()

Mask = NDArray[np.uint8]


def find_ruling(
    picture: Picture,
    points: tuple[float, float],
    skew: float,
    line_height: float = 0.0,
    settings: RulingSettings = SETTINGS,
) -> tuple[tuple[Bbox, ...], tuple[TickBox, ...]]:
    """Return lines, and boxes to tick, in `points` (width, height) of the upright, level page; top to bottom.

    Boxes to tick are about as high as a line of text, whose height is in pixels; a page without text has none.
    """
    height, width = picture.shape[:2]
    scale = width / points[0]
    ink = _level(_find_ink(picture, scale, settings), skew if abs(skew) >= settings.level_enough else 0.0)
    rules = [*_find_lines(ink, scale, settings)]
    rules += [_swap(box) for box in _find_lines(ink.T, scale, settings, down=True)]
    rules.sort(key=lambda box: (-max(box[2] - box[0], box[3] - box[1]), box))
    across, along = points[0] / width, points[1] / height

    def place(box: Bbox) -> Bbox:
        return round_bbox((box[0] * across, box[1] * along, box[2] * across, box[3] * along))

    lines = sorted(map(place, rules[: settings.most]), key=_by_row)
    boxes = [TickBox(bbox=place(box), mark=mark) for box, mark in find_tick_boxes(ink, line_height)]
    return tuple(lines), tuple(sorted(boxes, key=lambda box: _by_row(box.bbox)))


def _by_row(box: Bbox) -> Bbox:
    return (box[1], box[0], box[3], box[2])


def _find_ink(picture: Picture, scale: float, settings: RulingSettings) -> Mask:
    """1 where a pixel is darker than its surroundings, and everywhere in between 0."""
    import cv2

    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    side = max(3, round(settings.around * scale) | 1)
    means = cv2.blur(grey, (side, side), borderType=cv2.BORDER_REPLICATE)
    return (grey.astype(np.int16) < means.astype(np.int16) - settings.darker).astype(np.uint8)


def _level(ink: Mask, skew: float) -> Mask:
    """Rotate the mask around its middle so that lines that fall by `skew` degrees become level."""
    if not skew:
        return ink
    import cv2

    height, width = ink.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0)
    return np.asarray(cv2.warpAffine(ink, turn, (width, height), flags=cv2.INTER_NEAREST), np.uint8)


def _find_lines(ink: Mask, scale: float, settings: RulingSettings, *, down: bool = False) -> Iterator[Bbox]:
    """Boxes (pixels) of the horizontal lines of a mask; with `down`, of one that was transposed, the vertical ones."""
    import cv2

    least = max(8, round((settings.least_upright if down else settings.least_flat) * scale))
    gap = max(1, round(settings.gap * scale))
    piece = max(6, round(settings.least_piece * scale))
    kept = cv2.morphologyEx(np.ascontiguousarray(ink), cv2.MORPH_OPEN, np.ones((1, piece), np.uint8))
    kept = cv2.morphologyEx(kept, cv2.MORPH_CLOSE, np.ones((2, gap + 1), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(kept, connectivity=8)
    for x, y, wide, high, _ in stats[1:count].tolist():
        if wide >= least and high <= settings.thickest * scale and wide >= settings.slender * high:
            yield (float(x), float(y), float(x + wide), float(y + high))


def _swap(box: Bbox) -> Bbox:
    return (box[1], box[0], box[3], box[2])

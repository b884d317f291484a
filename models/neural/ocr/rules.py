"""Straight lines drawn on a picture: what is left of its dark pixels when everything shorter than a rule is rubbed out.

In: an RGB picture (uint8, H×W×3) that stands upright, and how its lines fall. Out: boxes of horizontal and vertical
lines, and of boxes to tick, on the level page. No model: two morphological openings (Gatos et al. 2005 find ruling
lines of tables so).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

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
    thickest_fallen: float = 3.6
    """The same for lines that are not level: edges of scans are so."""
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
    steepest: float = 0.04
    """Fall of a line as a share of its length, when text is level: photos differ so from top to bottom."""
    telling: float = 60.0
    """Length of a line that shows how the page is tilted: short lines of text show it less well."""
    least_telling: float = 150.0
    """Length of all such lines together."""
    most: int = 3000
    """Lines of a page, the longest first; a page with more is a drawing."""


SETTINGS = RulingSettings()

Mask = NDArray[np.uint8]


class Ruling(NamedTuple):
    """Lines and boxes to tick in points of the level page, top to bottom, and the degrees by which lines fall."""

    lines: tuple[Bbox, ...]
    boxes: tuple[TickBox, ...]
    skew: float


def find_ruling(
    picture: Picture,
    points: tuple[float, float],
    skew: float,
    line_height: float = 0.0,
    settings: RulingSettings = SETTINGS,
) -> Ruling:
    """Return the ruling of a page of `points` (width, height); `skew` is that of its text, which the lines correct.

    Boxes to tick are about as high as a line of text, whose height is in pixels; a page without text has none.
    """
    height, width = picture.shape[:2]
    scale = width / points[0]
    ink = _find_ink(picture, scale, settings)
    level = _level(ink, skew, settings)
    flat = [*_find_lines(level, scale, settings)]
    more = _measure_fall(flat, scale, settings)
    if abs(more) >= settings.level_enough:
        skew += more
        level = _level(ink, skew, settings)
        flat = [*_find_lines(level, scale, settings)]
    rules = [line.box for line in flat]
    rules += [_swap(line.box) for line in _find_lines(level.T, scale, settings, down=True)]
    rules.sort(key=lambda box: (-max(box[2] - box[0], box[3] - box[1]), box))
    across, along = points[0] / width, points[1] / height

    def place(box: Bbox) -> Bbox:
        return round_bbox((box[0] * across, box[1] * along, box[2] * across, box[3] * along))

    lines = sorted(map(place, rules[: settings.most]), key=_by_row)
    boxes = [TickBox(bbox=place(box), mark=mark) for box, mark in find_tick_boxes(level, line_height)]
    return Ruling(tuple(lines), tuple(sorted(boxes, key=lambda box: _by_row(box.bbox))), skew)


def _by_row(box: Bbox) -> Bbox:
    return (box[1], box[0], box[3], box[2])


def _find_ink(picture: Picture, scale: float, settings: RulingSettings) -> Mask:
    """1 where a pixel is darker than its surroundings, and everywhere in between 0."""
    import cv2

    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    side = max(3, round(settings.around * scale) | 1)
    means = cv2.blur(grey, (side, side), borderType=cv2.BORDER_REPLICATE)
    return (grey.astype(np.int16) < means.astype(np.int16) - settings.darker).astype(np.uint8)


def _level(ink: Mask, skew: float, settings: RulingSettings) -> Mask:
    """Rotate the mask around its middle so that lines that fall by `skew` degrees become level."""
    if abs(skew) < settings.level_enough:
        return ink
    import cv2

    height, width = ink.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0)
    return np.asarray(cv2.warpAffine(ink, turn, (width, height), flags=cv2.INTER_NEAREST), np.uint8)


class _DrawnLine(NamedTuple):
    """A line in pixels, level at the height of its middle, and its fall as a share of its length."""

    box: Bbox
    fall: float


def _measure_fall(lines: Sequence[_DrawnLine], scale: float, settings: RulingSettings) -> float:
    """Return the degrees by which long horizontal lines fall: the median, each weighing its length; 0 without such."""
    long = sorted((line.fall, line.box[2] - line.box[0]) for line in lines
                  if line.box[2] - line.box[0] >= settings.telling * scale)  # fmt: skip
    total = sum(length for _, length in long)
    if total < settings.least_telling * scale:
        return 0.0
    passed = np.cumsum([length for _, length in long])
    return math.degrees(math.atan(long[int(np.searchsorted(passed, total / 2))][0]))


def _find_lines(ink: Mask, scale: float, settings: RulingSettings, *, down: bool = False) -> Iterator[_DrawnLine]:
    """Horizontal lines of a mask; with `down`, of one that was transposed, the vertical ones."""
    import cv2

    least = max(8, round((settings.least_upright if down else settings.least_flat) * scale))
    gap = max(1, round(settings.gap * scale))
    piece = max(6, round(settings.least_piece * scale))
    kept = cv2.morphologyEx(np.ascontiguousarray(ink), cv2.MORPH_OPEN, np.ones((1, piece), np.uint8))
    kept = cv2.morphologyEx(kept, cv2.MORPH_CLOSE, np.ones((2, gap + 1), np.uint8))
    count, parts, stats, _ = cv2.connectedComponentsWithStats(kept, connectivity=8)
    for part in range(1, count):
        x, y, wide, high, area = stats[part].tolist()
        if wide < least or high > settings.thickest * scale + settings.steepest * wide:
            continue
        rows, columns = np.nonzero(parts[y : y + high, x : x + wide] == part)
        middle = (wide - 1) / 2
        away = columns - columns.mean()
        fall = float(away @ rows / (away @ away))
        thick = max(area / wide, 1.0, high - abs(fall) * wide)
        most = settings.thickest if high <= settings.thickest * scale else settings.thickest_fallen
        if thick <= most * scale and wide >= settings.slender * thick:
            top = y + 0.5 + float(rows.mean()) + fall * (middle - float(columns.mean())) - thick / 2
            yield _DrawnLine((float(x), top, float(x + wide), top + thick), fall)


def _swap(box: Bbox) -> Bbox:
    return (box[1], box[0], box[3], box[2])

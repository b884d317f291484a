"""Finds the quarter turn and the small tilt of a page, from the boxes of its lines and the reading quality of a few.

In: boxes (4×2 pixels), a way to read some of them. Out: turns and degrees. Uses no additional model.
"""

import math
from collections.abc import Sequence

import numpy as np

from quire.models.neural.ocr.crops import box_size
from quire.models.neural.ocr.detect import Picture
from quire.models.neural.ocr.runtime import Floats

TALL = 1.5  # height over width from which a line box stands on its side
LONG = 3.0  # width over height from which a box shows its direction
PROBES = 6  # lines read both ways to detect an upside-down page


def is_sideways(boxes: Sequence[Floats]) -> bool:
    """Return True when most of the text, by length, runs up or down the picture."""
    sizes = [box_size(box) for box in boxes]
    tall = sum(across for along, across in sizes if across >= TALL * along)
    return tall > sum(along for along, across in sizes if along >= TALL * across)


def turn_picture(picture: Picture, turn: int) -> Picture:
    """Rotate the picture clockwise by 0, 90, 180 or 270 degrees."""
    return np.ascontiguousarray(np.rot90(picture, -(turn // 90)))


def turn_boxes_over(boxes: Sequence[Floats], width: int, height: int) -> list[Floats]:
    """Boxes of a picture of that size, as they lie after turning it by 180 degrees."""
    return [np.array((width, height), np.float32) - box[[2, 3, 0, 1]] for box in boxes]


def choose_probes(boxes: Sequence[Floats]) -> list[int]:
    """Return indices of a few lines that are long enough to show whether the page is upside down."""
    return sorted(range(len(boxes)), key=lambda index: (-_text_length(boxes[index]), index))[:PROBES]


def measure_skew(boxes: Sequence[Floats]) -> float:
    """Degrees by which lines fall to the right: the median of the long ones, each weighing its length."""
    tilts = []
    for box in boxes:
        along, across = box_size(box)
        if along >= LONG * across:
            side = (box[1] - box[0]) + (box[2] - box[3])
            tilts.append((math.degrees(math.atan2(float(side[1]), float(side[0]))), along))
    return _weighted_median(sorted(tilts))


def _text_length(box: Floats) -> float:
    """Return length over height, capped: a line beyond about thirty characters costs more without better evidence."""
    along, across = box_size(box)
    return min(along / max(across, 1.0), 15.0)


def _weighted_median(pairs: Sequence[tuple[float, float]]) -> float:
    half, passed = sum(weight for _, weight in pairs) / 2, 0.0
    for value, weight in pairs:
        passed += weight
        if passed >= half:
            return value
    return 0.0

"""Counts the letter-size ink of a scanned page and the part of it inside recognised lines.

In: the picture that was read and the corners of its lines, in its pixels. Out: counts. Knows no text.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quire.models.cdom.coverage import ScanCoverage

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]

_NEIGHBOURHOOD = 31
"""Pixels of the square whose mean light a pixel is compared with: a few letters wide at 150 dots an inch."""
_DARKER = 20
"""Levels of grey below that mean from which a pixel is ink."""
_LOW, _HIGH, _WIDE = 0.22, 2.0, 4.0
"""Heights of a component, and its width, in heights of a line: letters and joined words, no rules and no specks."""
_LINE_HEIGHT = 20.0
"""Pixels, where no line was found: body text at 150 dots an inch."""
_MARGIN = 0.15
"""Of a line's height, added around it: points and tails reach beyond."""


def measure_ink(picture: Picture, lines: Sequence[Floats]) -> ScanCoverage:
    """Components of letter size, and how many have their middle in a line."""
    import cv2

    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    mode = cv2.ADAPTIVE_THRESH_MEAN_C
    ink = cv2.adaptiveThreshold(grey, 255, mode, cv2.THRESH_BINARY_INV, _NEIGHBOURHOOD, _DARKER)
    _, _, facts, middles = cv2.connectedComponentsWithStats(ink, connectivity=8)
    heights = [_height(line) for line in lines]
    height = float(np.median(heights)) if heights else _LINE_HEIGHT
    tall, wide = facts[1:, cv2.CC_STAT_HEIGHT], facts[1:, cv2.CC_STAT_WIDTH]
    letters = (tall >= _LOW * height) & (tall <= _HIGH * height) & (wide <= _WIDE * height)
    read = np.zeros(grey.shape, dtype=np.uint8)
    for line, own in zip(lines, heights, strict=True):
        corners = np.round(_grow(line, _MARGIN * own)).astype(np.int32)
        cv2.fillConvexPoly(read, corners, 1)
    places = middles[1:][letters].round().astype(int)
    return ScanCoverage(components=len(places), covered=int(read[places[:, 1], places[:, 0]].sum()))


def _height(line: Floats) -> float:
    return float(np.linalg.norm(line[3] - line[0]))


def _grow(line: Floats, by: float) -> Floats:
    """Move the corners outwards by `by` pixels."""
    middle = line.mean(axis=0)
    away = line - middle
    grown: Floats = (middle + away + np.sign(away) * by).astype(np.float32)
    return grown

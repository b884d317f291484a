"""Boxes to tick that are drawn or printed on a picture: small squares of four straight sides, empty or marked.

In: the ink of an upright, level picture (H×W, 1 where it is darker than around). Out: boxes with what is in them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import BoxMark

Mask = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class TickBoxLimits:
    """Lengths in heights of a line of text unless noted otherwise."""

    least: float = 0.45
    """Side of the smallest box."""
    most: float = 1.5
    aspect: float = 1.3
    """Greatest ratio of the sides."""
    piece: float = 0.24
    """Shortest straight piece of a side: strokes of letters and of ticks are shorter in both directions."""
    gap: float = 0.05
    """Break in a side that printing or scanning makes."""
    side: float = 0.8
    """Share of each side that is drawn."""
    edge: float = 0.12
    """Thickness of the band in which a side is searched."""
    corner: float = 0.14
    """Share of a side that is its corner: letters have round ones."""
    cornered: float = 0.3
    """Share of a corner that is drawn."""
    whole: float = 0.95
    """Share of each side from which a box of at least `clear` pixels may lack a corner, as on scans."""
    clear: int = 16
    inner: float = 0.1
    """Share of a side between its frame and what is inside the box."""
    framed: float = 0.5
    """Share of a row or column that is drawn, in the frame."""
    marked: float = 0.08
    """Share of ink inside from which a box is marked."""
    filled: float = 0.9
    """Share of ink from which a box is a filled square."""
    most_boxes: int = 300
    """Boxes of a page; a page with more is a pattern."""


LIMITS = TickBoxLimits()
_LEAST_PIXELS = 5.0
"""Side of a box below which its mark cannot be seen."""


def find_tick_boxes(ink: Mask, height: float, limits: TickBoxLimits = LIMITS) -> list[tuple[Bbox, BoxMark]]:
    """Return the boxes in pixels with their marks; `height` is that of a line of text in pixels."""
    import cv2

    if height * limits.least < _LEAST_PIXELS:
        return []
    gap, piece = max(1, round(limits.gap * height)), max(4, round(limits.piece * height))
    frames = np.zeros_like(ink)
    for shape in ((1, 0), (0, 1)):
        joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1 + gap * shape[0], 1 + gap * shape[1]), np.uint8))
        longer = np.ones((1 + (piece - 1) * shape[0], 1 + (piece - 1) * shape[1]), np.uint8)
        frames |= np.asarray(cv2.morphologyEx(joined, cv2.MORPH_OPEN, longer), np.uint8)
    frames = np.asarray(cv2.morphologyEx(frames, cv2.MORPH_CLOSE, np.ones((2, 2), np.uint8)), np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(frames, connectivity=8)
    found = list(_read_boxes(stats[1:count].tolist(), frames, ink, height, limits))
    return found if len(found) <= limits.most_boxes else []


def _read_boxes(
    stats: list[list[int]], frames: Mask, ink: Mask, height: float, limits: TickBoxLimits
) -> Iterator[tuple[Bbox, BoxMark]]:
    least, most = limits.least * height, limits.most * height
    for x, y, wide, high, _ in stats:
        if not (least <= min(wide, high) and max(wide, high) <= 2 * most):
            continue
        left, right = _find_extent(frames[y : y + high, x : x + wide].mean(axis=0), limits)
        if right - left < least:
            continue
        top, bottom = _find_extent(frames[y : y + high, x + left : x + right].mean(axis=1), limits)
        sides = sorted((right - left, bottom - top))
        if not (least <= sides[0] and sides[1] <= most and sides[1] <= limits.aspect * sides[0]):
            continue
        rows, columns = slice(y + top, y + bottom), slice(x + left, x + right)
        if _is_frame(frames[rows, columns], ink[rows, columns], height, limits):
            mark = _read_mark(ink[rows, columns], limits)
            if mark is not None:
                yield (float(x + left), float(y + top), float(x + right), float(y + bottom)), mark


def _find_extent(drawn: NDArray[np.float64], limits: TickBoxLimits) -> tuple[int, int]:
    """Return the first and the end of the last row or column of a frame; a tick may reach beyond them."""
    places = np.flatnonzero(drawn >= limits.framed)
    return (int(places[0]), int(places[-1]) + 1) if len(places) else (0, 0)


def _is_frame(frame: Mask, ink: Mask, height: float, limits: TickBoxLimits) -> bool:
    """Return whether all four sides are drawn, up to three corners or more."""
    band = max(3, round(limits.edge * height))
    sides = (frame[:band], frame[-band:], frame[:, :band].T, frame[:, -band:].T)
    corner = max(3, round(limits.corner * min(frame.shape)))
    corners = (ink[:corner, :corner], ink[:corner, -corner:], ink[-corner:, :corner], ink[-corner:, -corner:])
    drawn = min(float(side.any(axis=0).mean()) for side in sides)
    worst, second, *_ = sorted(float(part.mean()) for part in corners)
    is_worn = drawn >= limits.whole and second >= limits.cornered and min(frame.shape) >= limits.clear
    return (drawn >= limits.side and worst >= limits.cornered) or is_worn


def _read_mark(box: Mask, limits: TickBoxLimits) -> BoxMark | None:
    """Return what is inside a box; None for a filled square."""
    if box.mean() >= limits.filled:
        return None
    more = max(1, round(limits.inner * min(box.shape)))
    top, bottom, left, right = (_count_frame(side, limits) + more for side in (box, box[::-1], box.T, box.T[::-1]))
    inner = box[top : box.shape[0] - bottom, left : box.shape[1] - right]
    if min(inner.shape) < _PARTS or inner.mean() < limits.marked:
        return BoxMark.EMPTY if min(inner.shape) >= _PARTS else None
    return BoxMark.CROSSED if _is_crossed(inner) else BoxMark.TICKED


def _count_frame(box: Mask, limits: TickBoxLimits) -> int:
    """Return the number of rows of the frame from the top."""
    drawn = np.flatnonzero(box[: len(box) // 3].mean(axis=1) >= limits.framed)
    return int(drawn[-1]) + 1 if len(drawn) else 0


_PARTS = 3
"""Parts of a side in which the arms of a cross are looked for."""


def _is_crossed(inner: Mask) -> bool:
    """Return whether there is ink in the middle and in all corners: a tick leaves its upper left corner free."""
    rows, columns = (np.linspace(0, side, _PARTS + 1).astype(int) for side in inner.shape)
    cells = np.array(
        [
            [inner[rows[row] : rows[row + 1], columns[col] : columns[col + 1]].mean() for col in range(_PARTS)]
            for row in range(_PARTS)
        ]
    )
    return bool(min(cells[0, 0], cells[0, 2], cells[1, 1], cells[2, 0], cells[2, 2]) > LIMITS.marked)

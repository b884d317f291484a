"""Boxes in points: origin top-left, y down, after page rotation. Pure arithmetic, no page or document."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

Bbox: TypeAlias = tuple[float, float, float, float]
"""(x0, y0, x1, y1) in points, origin top-left, y down."""


def round_bbox(bbox: Iterable[float]) -> Bbox:
    """Round the box to 3 decimals, as every stored coordinate is; -0.0 becomes 0.0."""
    x0, y0, x1, y1 = bbox
    return (round(x0, 3) + 0.0, round(y0, 3) + 0.0, round(x1, 3) + 0.0, round(y1, 3) + 0.0)


def union_bbox(boxes: Iterable[Bbox]) -> Bbox:
    """Return the smallest box around all given ones; `boxes` must not be empty."""
    x0s, y0s, x1s, y1s = zip(*boxes, strict=True)
    return (min(x0s), min(y0s), max(x1s), max(y1s))


def clamp_bbox(bbox: Bbox, width: float, height: float) -> Bbox:
    """Return the part of the box on a page of that size (points), never inverted."""
    x0, x1 = sorted((min(max(bbox[0], 0.0), width), min(max(bbox[2], 0.0), width)))
    y0, y1 = sorted((min(max(bbox[1], 0.0), height), min(max(bbox[3], 0.0), height)))
    return (x0, y0, x1, y1)


def intersection_area(a: Bbox, b: Bbox) -> float:
    """Area shared by two boxes, in square points."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0.0


def bbox_area(bbox: Bbox) -> float:
    """Area of a box, in square points."""
    return max(0.0, bbox[2] - bbox[0]) * max(0.0, bbox[3] - bbox[1])


@dataclass(frozen=True, slots=True)
class PageBend:
    """Deviation of text lines from the straight on a photographed page.

    x and y are shares of the page's width and height. `slopes` are slopes of lines, height by width, as coefficients by
    power of x: at the top of the page, and the increase down to its bottom. `over` is true when the bend was measured
    before the page was turned by 180 degrees.
    """

    slopes: tuple[tuple[float, ...], tuple[float, ...]]
    over: bool = False

    def drop(self, x: float, y: float) -> float:
        """Return how much lower a point of the flat page is on the bent page, in page widths; 0 along the middle."""
        x, y, sign = (1 - x, 1 - y, -1) if self.over else (x, y, 1)
        total = 0.0
        for power, (top, more) in enumerate(zip(*self.slopes, strict=True), start=1):
            total += (top + more * y) * (x**power - 0.5**power) / power
        return sign * total

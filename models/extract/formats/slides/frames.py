"""Where shapes stand on a slide: transforms of shapes and groups in, boxes in points out."""

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Final

from models.cdom.geometry import Bbox, round_bbox
from models.extract.formats.common.xml import A, Element, number
from models.extract.formats.slides.names import EMU_PER_POINT

_DEGREES: Final = 60_000
"""Rotation is stated in 60,000ths of a degree."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How coordinates inside a group become those of the slide (EMU)."""

    x: float = 0.0
    y: float = 0.0
    across: float = 1.0
    down: float = 1.0

    def into(self, group: Element | None) -> "Scale":
        """The scale inside a group with that `a:xfrm`."""
        frame = _numbers(group)
        inner = _child_numbers(group)
        if frame is None or inner is None:
            return self
        across = self.across * (frame[2] / inner[2] if inner[2] else 1.0)
        down = self.down * (frame[3] / inner[3] if inner[3] else 1.0)
        x = self.x + frame[0] * self.across - inner[0] * across
        y = self.y + frame[1] * self.down - inner[1] * down
        return Scale(x, y, across, down)

    def box(self, xfrm: Element | None) -> Bbox | None:
        """The box of a shape with that transform, in points; a turned one by its enclosing box."""
        frame = _numbers(xfrm)
        if frame is None or xfrm is None:
            return None
        x, y = self.x + frame[0] * self.across, self.y + frame[1] * self.down
        width, height = frame[2] * self.across, frame[3] * self.down
        if turn := number(xfrm.get("rot")) % (360 * _DEGREES):
            angle = turn / _DEGREES * pi / 180
            wide = abs(width * cos(angle)) + abs(height * sin(angle))
            high = abs(width * sin(angle)) + abs(height * cos(angle))
            x, y, width, height = x + (width - wide) / 2, y + (height - high) / 2, wide, high
        return round_bbox(side / EMU_PER_POINT for side in (x, y, x + width, y + height))


def _numbers(xfrm: Element | None) -> tuple[int, int, int, int] | None:
    return _pair(xfrm, "off", "ext")


def _child_numbers(xfrm: Element | None) -> tuple[int, int, int, int] | None:
    return _pair(xfrm, "chOff", "chExt")


def _pair(xfrm: Element | None, offset: str, extent: str) -> tuple[int, int, int, int] | None:
    start = xfrm.find(A + offset) if xfrm is not None else None
    size = xfrm.find(A + extent) if xfrm is not None else None
    if start is None or size is None:
        return None
    width, height = max(0, number(size.get("cx"))), max(0, number(size.get("cy")))
    return number(start.get("x")), number(start.get("y")), width, height

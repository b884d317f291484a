"""A page drawn with its text and without: what differs is what a person can see of the text."""

from math import sqrt

from models.cdom.geometry import Bbox
from models.extract.readers.pdf.display import DisplayList
from models.extract.readers.pdf.engine import mupdf

_SCALE = 1.5
"""Pixels per point."""
_MOST_PIXELS = 4_000_000
"""Of one drawing; larger pages are drawn smaller."""
_SEEN = 20
"""Levels (of 255) by which a channel must change for an eye to see it."""


class Look:
    """Two drawings of one page."""

    def __init__(self, display: DisplayList) -> None:
        pixels = max(1.0, display.width * display.height)
        self._scale = min(_SCALE, sqrt(_MOST_PIXELS / pixels))
        self._with, self._without = display.draw(self._scale, text=True), display.draw(self._scale, text=False)
        self._a, self._b = (mupdf.fz_pixmap_samples_memoryview(one) for one in (self._with, self._without))

    def shows(self, box: Bbox) -> bool:
        """True when the text makes a difference that an eye can see inside the box."""
        drawn = self._with.m_internal
        width, height, stride, deep = drawn.w, drawn.h, drawn.stride, drawn.n
        x0, x1 = max(0, int(box[0] * self._scale)), min(width, int(box[2] * self._scale) + 1)
        y0, y1 = max(0, int(box[1] * self._scale)), min(height, int(box[3] * self._scale) + 1)
        for y in range(y0, y1):
            row = slice(y * stride + deep * x0, y * stride + deep * x1)
            a, b = self._a[row], self._b[row]
            if a != b and any(abs(one - other) >= _SEEN for one, other in zip(a, b, strict=True)):
                return True
        return False

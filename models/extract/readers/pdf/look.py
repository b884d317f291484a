"""A page drawn with its text and without: what differs is what a person can see of the text."""

from math import ceil, sqrt

from models.cdom.geometry import Bbox
from models.extract.readers.pdf.display import DisplayList
from models.extract.readers.pdf.engine import mupdf

_SCALE = 1.5
"""Pixels per point."""
_MOST_PIXELS = 4_000_000
"""Of one drawing; larger pages are drawn smaller."""
_BAND = 160
"""Rows of pixels drawn at once: a few lines of text, an eighth of a page."""
_DEEP = 3
"""Bytes of a pixel."""
_SEEN = 20
"""Levels (of 255) by which a channel must change for an eye to see it."""


class Look:
    """Two drawings of one page, made band by band where somebody looks."""

    def __init__(self, display: DisplayList) -> None:
        pixels = max(1.0, display.width * display.height)
        self._scale = min(_SCALE, sqrt(_MOST_PIXELS / pixels))
        self._display, self._bands = display, dict[int, tuple[bytes, bytes]]()
        self._width, self._height = ceil(display.width * self._scale), ceil(display.height * self._scale)

    def shows(self, box: Bbox) -> bool:
        """True when the text makes a difference that an eye can see inside the box."""
        x0, x1 = max(0, int(box[0] * self._scale)), min(self._width, int(box[2] * self._scale) + 1)
        y0, y1 = max(0, int(box[1] * self._scale)), min(self._height, int(box[3] * self._scale) + 1)
        return any(self._differs(y, x0, x1) for y in range(y0, y1))

    def _differs(self, y: int, x0: int, x1: int) -> bool:
        """Whether the drawings differ in that stretch of a row of pixels."""
        number = y // _BAND
        if number not in self._bands:
            self._bands[number] = self._draw(number, text=True), self._draw(number, text=False)
        start = (y - number * _BAND) * self._width
        row = slice(_DEEP * (start + x0), _DEEP * (start + x1))
        a, b = (drawn[row] for drawn in self._bands[number])
        return a != b and any(abs(one - other) >= _SEEN for one, other in zip(a, b, strict=True))

    def _draw(self, number: int, *, text: bool) -> bytes:
        rows = (number * _BAND, min(self._height, (number + 1) * _BAND))
        return bytes(mupdf.fz_pixmap_samples_memoryview(self._display.draw(self._scale, rows, text=text)))

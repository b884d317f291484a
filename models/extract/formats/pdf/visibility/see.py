"""Visibility of a page: separates painted text into seen and unseen, and counts it for the coverage statement."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from quire.models.cdom.coverage import OVERPRINT, ExcludedPlace
from quire.models.cdom.geometry import Bbox, round_bbox
from quire.models.extract.coverage.account import Painted, PaintedLine, strip_blanks
from quire.models.extract.formats.pdf.engine import mupdf, read_contents, turn_box
from quire.models.extract.formats.pdf.text.raw_lines import iter_spans
from quire.models.extract.formats.pdf.text.text_lines import clean_glyphs
from quire.models.extract.formats.pdf.visibility.clipped import MOST_LAYERS, find_clipped, find_on_layers, may_clip
from quire.models.extract.formats.pdf.visibility.copies import take_copies
from quire.models.extract.formats.pdf.visibility.paint import PaintedSpan
from quire.models.extract.formats.pdf.visibility.type3 import find_type3_fonts
from quire.models.extract.formats.pdf.visibility.unseen import Sight, SightedPage, UnseenText, take_unseen

_SCALE = 1.5
"""Pixels per point."""
_FINE_SCALE = 4.0
"""Pixels per point of a small drawing whose shape is compared."""
_FINE_RIM = 6
"""Pixels around a small drawing: half the width of its strokes, and ground."""
_MOST_PIXELS = 4_000_000
"""Pixels of one drawing; larger pages are drawn smaller."""
_BAND = 160
"""Pixel rows drawn at once: a few lines of text, an eighth of a page."""
_MOST_ALONE = 12
"""Areas of a page drawn one by one: drawing this many costs about as much as drawing their bands."""
_DEEP = 3
"""Bytes per pixel."""
_SEEN = 20
"""Levels (of 255) by which a channel must change to be visible."""
_FORWARDED = (
    "fill_path", "stroke_path", "clip_path", "clip_stroke_path", "fill_shade",
    "fill_image", "fill_image_mask", "clip_image_mask", "pop_clip", "begin_mask", "begin_group", "end_group",
    "end_tile",
)  # fmt: skip

_NO_TEXT = mupdf.FzText()

PixelBox = tuple[int, int, int, int]
"""Pixels: left, top, and exclusive right and bottom."""


class _WithoutText(mupdf.FzDevice2):  # type: ignore[misc]
    """A device that passes everything but text on to another device."""

    def __init__(self, target: Any) -> None:
        super().__init__()
        self._device, self._target = target, target.m_internal
        for name in (*_FORWARDED, "end_mask", "begin_tile", "clip_text", "clip_stroke_text"):
            getattr(self, f"use_virtual_{name}")()

    def end_mask(self, context: Any, *transfer: Any) -> None:
        """Forward the end of a mask, which the engine calls with or without a transfer function."""
        if transfer:
            mupdf.ll_fz_end_mask_tr(self._target, *transfer)
        else:
            mupdf.ll_fz_end_mask(self._target)

    def clip_text(self, context: Any, text: Any, *clip: Any) -> None:
        """Clip to nothing: gradients, patterns and pictures in the shape of text are text."""
        mupdf.ll_fz_clip_text(self._target, _NO_TEXT.m_internal, *clip)

    def clip_stroke_text(self, context: Any, text: Any, *clip: Any) -> None:
        """Clip to nothing, as `clip_text` does."""
        mupdf.ll_fz_clip_stroke_text(self._target, _NO_TEXT.m_internal, *clip)

    def begin_tile(self, context: Any, area: Any, view: Any, across: float, down: float, ctm: Any, *unused: Any) -> int:
        """Forward a tile without its ids, so that the target does not cache it."""
        return int(mupdf.ll_fz_begin_tile_tid(self._target, area, view, across, down, ctm, 0, 0))


def _forward(name: str) -> Any:
    low = getattr(mupdf, f"ll_fz_{name}")

    def call(self: _WithoutText, context: Any, *arguments: Any) -> None:
        low(self._target, *arguments)

    return call


for _name in _FORWARDED:
    setattr(_WithoutText, _name, _forward(_name))


class DisplayList:
    """Everything that one page paints, annotations included; `width` and `height` in points before rotation."""

    def __init__(self, page: Any) -> None:
        turn = page.rotation
        if turn:
            page.set_rotation(0)
        try:
            self._list = mupdf.fz_new_display_list_from_page(page.this)
            self.width, self.height = page.rect.width, page.rect.height
        finally:
            if turn:
                page.set_rotation(turn)
        self._page = page

    def draw(self, scale: float, area: PixelBox, *, text: bool) -> Any:
        """Return the area as an RGB pixmap of the engine, with or without the page's text."""
        box = mupdf.FzIrect(*area)
        pixmap = mupdf.FzPixmap(mupdf.FzColorspace(mupdf.FzColorspace.Fixed_RGB), box, mupdf.FzSeparations(), 0)
        mupdf.fz_clear_pixmap_with_value(pixmap, 255)
        canvas = mupdf.fz_new_draw_device(mupdf.FzMatrix(), pixmap)
        device = canvas if text else _WithoutText(canvas)
        matrix = mupdf.FzMatrix(scale, 0, 0, scale, 0, 0)
        mupdf.fz_run_display_list(self._list, device, matrix, mupdf.FzRect(box), mupdf.FzCookie())
        mupdf.fz_close_device(canvas)
        return pixmap


class Look:
    """Two drawings of one page, with and without text, made on demand: single areas first, later whole bands."""

    def __init__(self, display: DisplayList) -> None:
        pixels = max(1.0, display.width * display.height)
        self._scale = min(_SCALE, sqrt(_MOST_PIXELS / pixels))
        self._display, self._bands, self._alone = display, dict[int, tuple[bytes, bytes]](), 0
        self._inked, self._inked_alone = dict[int, npt.NDArray[np.uint8]](), 0
        self._width, self._height = ceil(display.width * self._scale), ceil(display.height * self._scale)

    def has_ink(self, box: Bbox) -> bool:
        """Return whether the page is not of one colour inside the box (points)."""
        x0, y0, x1, y1 = self._pixels_of(box)
        if x0 >= x1 or y0 >= y1:
            return False
        if self._inked_alone < _MOST_ALONE:
            self._inked_alone += 1
            pixels = np.frombuffer(self._draw((x0, y0, x1, y1), text=True), np.uint8).reshape(-1, _DEEP)
        else:
            bands = [self._read_band(number) for number in range(y0 // _BAND, (y1 - 1) // _BAND + 1)]
            top = y0 // _BAND * _BAND
            pixels = np.concatenate(bands)[y0 - top : y1 - top, x0:x1].reshape(-1, _DEEP)
        return any(int(channel.max()) - int(channel.min()) >= _SEEN for channel in pixels.T)

    def is_inked(self) -> bool:
        """Return whether the page is not of one colour."""
        return self.has_ink((0.0, 0.0, self._display.width, self._display.height))

    def _read_band(self, number: int) -> npt.NDArray[np.uint8]:
        """Return a band of the page with its text, as rows × columns × colours."""
        if number not in self._inked:
            top, bottom = number * _BAND, min(self._height, (number + 1) * _BAND)
            pixels = np.frombuffer(self._draw((0, top, self._width, bottom), text=True), np.uint8)
            self._inked[number] = pixels.reshape(bottom - top, self._width, _DEEP)
        return self._inked[number]

    def pixels(self, box: Bbox) -> npt.NDArray[np.uint8]:
        """Return the page without its text around the box (points), as rows × columns × colours at a fine scale."""
        x0, y0, x1, y1 = (round(side * _FINE_SCALE) for side in box)
        area = (x0 - _FINE_RIM, y0 - _FINE_RIM, x1 + _FINE_RIM, y1 + _FINE_RIM)
        return self._read_pixels(area, _FINE_SCALE, text=False)

    def pixels_of_text(self, box: Bbox, scale: float) -> npt.NDArray[np.uint8]:
        """Return the page inside the box (points) as rows × columns × colours at `scale` pixels per point."""
        x0, y0, x1, y1 = (round(side * scale) for side in box)
        return self._read_pixels((x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)), scale, text=True)

    def _read_pixels(self, area: PixelBox, scale: float, *, text: bool) -> npt.NDArray[np.uint8]:
        pixmap = self._display.draw(scale, area, text=text)
        samples = bytes(mupdf.fz_pixmap_samples_memoryview(pixmap))
        return np.frombuffer(samples, np.uint8).reshape(area[3] - area[1], area[2] - area[0], _DEEP)

    def _pixels_of(self, box: Bbox) -> PixelBox:
        x0, x1 = max(0, int(box[0] * self._scale)), min(self._width, int(box[2] * self._scale) + 1)
        y0, y1 = max(0, int(box[1] * self._scale)), min(self._height, int(box[3] * self._scale) + 1)
        return x0, y0, x1, y1

    def shows(self, box: Bbox) -> bool:
        """Return whether the text makes a visible difference inside the box (points)."""
        x0, y0, x1, y1 = self._pixels_of(box)
        if x0 >= x1 or y0 >= y1:
            return False
        if self._alone < _MOST_ALONE and y1 - y0 <= _BAND:
            self._alone += 1
            return _differ(*self._draw_both((x0, y0, x1, y1)))
        return any(self._differs(y, x0, x1) for y in range(y0, y1))

    def _differs(self, y: int, x0: int, x1: int) -> bool:
        """Return whether the drawings differ in that stretch of pixel row `y`."""
        number = y // _BAND
        if number not in self._bands:
            bottom = min(self._height, (number + 1) * _BAND)
            self._bands[number] = self._draw_both((0, number * _BAND, self._width, bottom))
        start = (y - number * _BAND) * self._width
        row = slice(_DEEP * (start + x0), _DEEP * (start + x1))
        a, b = self._bands[number]
        return _differ(a[row], b[row])

    def _draw_both(self, area: PixelBox) -> tuple[bytes, bytes]:
        """Return the pixels of the area with text and without."""
        return self._draw(area, text=True), self._draw(area, text=False)

    def _draw(self, area: PixelBox, *, text: bool) -> bytes:
        pixmap = self._display.draw(self._scale, area, text=text)  # a name, because the view does not keep it alive
        return bytes(mupdf.fz_pixmap_samples_memoryview(pixmap))


def _differ(a: bytes, b: bytes) -> bool:
    """Return whether any channel differs enough to be visible."""
    return a != b and any(abs(p - q) >= _SEEN for p, q in zip(a, b, strict=True))


@dataclass(slots=True)
class SeenPage:
    """A page's unseen text, with boxes after rotation, and its painted text.

    `has_layer`: the painted text is the text layer of a scan.
    """

    unseen: list[UnseenText]
    painted: Painted
    has_layer: bool = False


@dataclass(frozen=True, slots=True)
class PageFrame:
    """Width and height (points) before rotation, and the rotation matrix; None for an unrotated page."""

    width: float
    height: float
    turn: Any = None


def see_page(
    page: Any,
    text_page: Any,
    blocks: list[dict[str, Any]],
    images: dict[int, bool],
    layers: tuple[int, ...],
    frame: PageFrame,
    draw: Callable[[], Look],
) -> SeenPage:
    """Move unseen text out of `blocks` (in place, before they are rotated), and count all characters.

    Args:
        page: The engine's page.
        text_page: The engine's text page of it.
        blocks: Blocks of the text page in painting order.
        images: Order of image blocks → whether the image is opaque.
        layers: Layers of the file that are off.
        frame: Size and rotation of the page.
        draw: Returns the drawings of the page, made on demand.
    """
    stated = _text_of(blocks)
    raw = call_once(lambda: text_page.extractRAWDICT()["blocks"])
    width, height = frame.width, frame.height
    type3_fonts = call_once(lambda: find_type3_fonts(page))
    sight = take_unseen(SightedPage(blocks, images, (0.0, 0.0, width, height), draw, raw, type3_fonts))
    if may_clip(read_contents(page) or b"", width, height):
        sight.unseen += find_clipped(page, len(stated), raw)
    if layers:
        _add_layer_text(page, layers, sight, len(stated), raw)
    copies, is_whole = take_copies(blocks)
    sight.judged &= is_whole
    return _count_page(frame.turn, stated, blocks, sight, copies)


def _add_layer_text(page: Any, layers: tuple[int, ...], sight: Sight, stated: int, raw: Any) -> None:
    if len(layers) > MOST_LAYERS:
        sight.judged = False
        return
    clipped = {(unseen.text, unseen.bbox) for unseen in sight.unseen}
    more = find_on_layers(page, layers, stated, raw)
    sight.unseen += [unseen for unseen in more if (unseen.text, unseen.bbox) not in clipped]


def _count_page(
    turn: Any, stated: str, blocks: list[dict[str, Any]], sight: Sight, copies: list[PaintedSpan]
) -> SeenPage:
    """Count characters cleaned as lines are, so that code points that are not characters do not seem lost."""
    text = clean_glyphs(_text_of(blocks) if sight.unseen or copies else stated)
    excluded: list[ExcludedPlace] = []
    counted: list[UnseenText] = []
    for unseen in sight.unseen:
        count = len(strip_blanks(clean_glyphs(unseen.text)))
        if not count:
            continue
        unseen.bbox = turn_box(unseen.bbox, turn) if turn is not None else unseen.bbox
        excluded.append(ExcludedPlace(reason=unseen.reason.value, characters=count, bbox=round_bbox(unseen.bbox)))
        counted.append(unseen)
    for span in copies:
        box = turn_box(span["bbox"], turn) if turn is not None else span["bbox"]
        count = len(strip_blanks(clean_glyphs(span["text"])))
        excluded.append(ExcludedPlace(reason=OVERPRINT, characters=count, bbox=round_bbox(box)))
    painted = Painted(text=text, lines=lambda: _lines_of(blocks), excluded=excluded, judged=sight.judged)
    return SeenPage(counted, painted, sight.has_layer)


def _text_of(blocks: list[dict[str, Any]]) -> str:
    """Return all characters of the blocks without blanks."""
    return strip_blanks("".join([span["text"] for span in iter_spans(blocks)]))


def _lines_of(blocks: list[dict[str, Any]]) -> list[PaintedLine]:
    """Return the lines of the blocks with their current boxes, before or after rotation."""
    lines: list[PaintedLine] = []
    for block in blocks:
        for line in block["lines"] if block["type"] == 0 else ():
            text = clean_glyphs(strip_blanks("".join([span["text"] for span in line["spans"]])))
            if text:
                lines.append((text, line["bbox"]))
    return lines


def call_once(make: Any) -> Any:
    """Return a function that calls `make` the first time and then returns the same result."""
    made: list[Any] = []

    def get() -> Any:
        if not made:
            made.append(make())
        return made[0]

    return get

"""Everything a page paints, told apart into what a person sees and what not, and counted for the statement."""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

from models.cdom.coverage import ExcludedPlace
from models.cdom.geometry import Bbox, round_bbox
from models.extract.coverage.painted import Painted, PaintedLine, strip_blanks
from models.extract.formats.pdf.engine import mupdf
from models.extract.formats.pdf.engine.rotation import turn_box
from models.extract.formats.pdf.text.text_lines import clean_glyphs
from models.extract.formats.pdf.visibility.clipped import MOST_LAYERS, find_clipped, find_on_layers, may_clip
from models.extract.formats.pdf.visibility.unseen import Sight, SightedPage, UnseenText, take_unseen

_SCALE = 1.5
"""Pixels per point."""
_MOST_PIXELS = 4_000_000
"""Of one drawing; larger pages are drawn smaller."""
_BAND = 160
"""Rows of pixels drawn at once: a few lines of text, an eighth of a page."""
_MOST_ALONE = 12
"""Places of a page drawn one by one: drawing so many costs about as much as the bands that they lie in."""
_DEEP = 3
"""Bytes of a pixel."""
_SEEN = 20
"""Levels (of 255) by which a channel must change for an eye to see it."""
_FORWARDED = (
    "fill_path", "stroke_path", "clip_path", "clip_stroke_path", "clip_text", "clip_stroke_text", "fill_shade",
    "fill_image", "fill_image_mask", "clip_image_mask", "pop_clip", "begin_mask", "begin_group", "end_group",
    "end_tile",
)  # fmt: skip

PixelBox = tuple[int, int, int, int]
"""Pixels: left, top, beyond the right and beyond the bottom."""


class _WithoutText(mupdf.FzDevice2):  # type: ignore[misc]
    """Hands everything but text on to another device."""

    def __init__(self, target: Any) -> None:
        super().__init__()
        self._device, self._target = target, target.m_internal
        for name in (*_FORWARDED, "end_mask", "begin_tile"):
            getattr(self, f"use_virtual_{name}")()

    def end_mask(self, context: Any, *rest: Any) -> None:
        if rest:
            mupdf.ll_fz_end_mask_tr(self._target, *rest)
        else:
            mupdf.ll_fz_end_mask(self._target)

    def begin_tile(self, context: Any, area: Any, view: Any, across: float, down: float, ctm: Any, *rest: Any) -> int:
        return int(mupdf.ll_fz_begin_tile_tid(self._target, area, view, across, down, ctm, 0, 0))


def _forward(name: str) -> Any:
    low = getattr(mupdf, f"ll_fz_{name}")

    def call(self: _WithoutText, context: Any, *arguments: Any) -> None:
        low(self._target, *arguments)

    return call


for _name in _FORWARDED:
    setattr(_WithoutText, _name, _forward(_name))


class DisplayList:
    """What one page paints, annotations included. `width` and `height` in points before rotation."""

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
        """Those pixels as an RGB pixmap of the engine, with the page's text or not."""
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
    """Two drawings of one page, made where somebody looks: a place alone, and band by band once there were many."""

    def __init__(self, display: DisplayList) -> None:
        pixels = max(1.0, display.width * display.height)
        self._scale = min(_SCALE, sqrt(_MOST_PIXELS / pixels))
        self._display, self._bands, self._alone = display, dict[int, tuple[bytes, bytes]](), 0
        self._width, self._height = ceil(display.width * self._scale), ceil(display.height * self._scale)

    def shows(self, box: Bbox) -> bool:
        """True when the text makes a difference that an eye can see inside the box."""
        x0, x1 = max(0, int(box[0] * self._scale)), min(self._width, int(box[2] * self._scale) + 1)
        y0, y1 = max(0, int(box[1] * self._scale)), min(self._height, int(box[3] * self._scale) + 1)
        if x0 >= x1 or y0 >= y1:
            return False
        if self._alone < _MOST_ALONE and y1 - y0 <= _BAND:
            self._alone += 1
            a, b = self._draw((x0, y0, x1, y1))
            return _differ(a, b)
        return any(self._differs(y, x0, x1) for y in range(y0, y1))

    def _differs(self, y: int, x0: int, x1: int) -> bool:
        """Whether the drawings differ in that stretch of a row of pixels."""
        number = y // _BAND
        if number not in self._bands:
            self._bands[number] = self._draw((0, number * _BAND, self._width, min(self._height, (number + 1) * _BAND)))
        start = (y - number * _BAND) * self._width
        row = slice(_DEEP * (start + x0), _DEEP * (start + x1))
        a, b = self._bands[number]
        return _differ(a[row], b[row])

    def _draw(self, area: PixelBox) -> tuple[bytes, bytes]:
        """The area with text and without."""
        drawn = (self._display.draw(self._scale, area, text=text) for text in (True, False))
        with_text, without = (bytes(mupdf.fz_pixmap_samples_memoryview(pixmap)) for pixmap in drawn)
        return with_text, without


def _differ(a: bytes, b: bytes) -> bool:
    """True when an eye can tell the pixels apart."""
    return a != b and any(abs(one - other) >= _SEEN for one, other in zip(a, b, strict=True))


@dataclass(slots=True)
class SeenPage:
    """`unseen`: text that nobody sees, boxes after rotation."""

    unseen: list[UnseenText]
    painted: Painted


@dataclass(frozen=True, slots=True)
class PageFrame:
    """Width and height (points) before rotation, and the matrix of the rotation, null where there is none."""

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
) -> SeenPage:
    """Take what nobody sees out of `blocks` (in place, before they are turned), and count."""
    stated = _text_of(blocks)
    raw = _remember(lambda: text_page.extractRAWDICT()["blocks"])
    width, height = frame.width, frame.height
    draw = _remember(lambda: Look(DisplayList(page)))
    sight = take_unseen(SightedPage(blocks, images, (0.0, 0.0, width, height), draw, raw))
    if may_clip(page.read_contents(), width, height):
        sight.unseen += find_clipped(page, len(stated), raw)
    if layers:
        _look_at_layers(page, layers, sight, len(stated), raw)
    return _state(frame.turn, stated, blocks, sight)


def _look_at_layers(page: Any, layers: tuple[int, ...], sight: Sight, stated: int, raw: Any) -> None:
    if len(layers) > MOST_LAYERS:
        sight.judged = False
        return
    clipped = {(one.text, one.bbox) for one in sight.unseen}
    more = find_on_layers(page, layers, stated, raw)
    sight.unseen += [one for one in more if (one.text, one.bbox) not in clipped]


def _state(turn: Any, stated: str, blocks: list[dict[str, Any]], sight: Sight) -> SeenPage:
    """The count: cleaned as lines are, so that what is no character does not seem lost."""
    text = clean_glyphs(_text_of(blocks) if sight.unseen else stated)
    excluded: list[ExcludedPlace] = []
    kept: list[UnseenText] = []
    for one in sight.unseen:
        count = len(strip_blanks(clean_glyphs(one.text)))
        if not count:
            continue
        one.bbox = turn_box(one.bbox, turn) if turn is not None else one.bbox
        excluded.append(ExcludedPlace(reason=one.reason.value, characters=count, bbox=round_bbox(one.bbox)))
        kept.append(one)
    painted = Painted(text=text, lines=lambda: _lines_of(blocks), excluded=excluded, judged=sight.judged)
    return SeenPage(kept, painted)


def _text_of(blocks: list[dict[str, Any]]) -> str:
    """All characters of the blocks without blanks."""
    return strip_blanks(
        "".join(
            [
                span["text"]
                for block in blocks
                if block["type"] == 0
                for line in block["lines"]
                for span in line["spans"]
            ]
        )
    )


def _lines_of(blocks: list[dict[str, Any]]) -> list[PaintedLine]:
    """The lines of the blocks as they lie when asked, turned or not."""
    lines: list[PaintedLine] = []
    for block in blocks:
        for line in block["lines"] if block["type"] == 0 else ():
            text = clean_glyphs(strip_blanks("".join([span["text"] for span in line["spans"]])))
            if text:
                lines.append((text, line["bbox"]))
    return lines


def _remember(make: Any) -> Any:
    """The function, called once."""
    made: list[Any] = []

    def get() -> Any:
        if not made:
            made.append(make())
        return made[0]

    return get

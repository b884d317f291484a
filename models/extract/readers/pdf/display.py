"""A page's display list: what it paints, drawn with or without its text, in unturned space."""

from math import ceil
from typing import Any

from models.extract.readers.pdf.engine import mupdf

_FORWARDED = (
    "fill_path", "stroke_path", "clip_path", "clip_stroke_path", "clip_text", "clip_stroke_text", "fill_shade",
    "fill_image", "fill_image_mask", "clip_image_mask", "pop_clip", "begin_mask", "begin_group", "end_group",
    "end_tile",
)  # fmt: skip


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

    def draw(self, scale: float, rows: tuple[int, int], *, text: bool) -> Any:
        """Those rows of pixels (first, beyond the last) as an RGB pixmap of the engine, with the page's text or not."""
        box = mupdf.FzIrect(0, rows[0], ceil(self.width * scale), rows[1])
        pixmap = mupdf.FzPixmap(mupdf.FzColorspace(mupdf.FzColorspace.Fixed_RGB), box, mupdf.FzSeparations(), 0)
        mupdf.fz_clear_pixmap_with_value(pixmap, 255)
        canvas = mupdf.fz_new_draw_device(mupdf.FzMatrix(), pixmap)
        device = canvas if text else _WithoutText(canvas)
        matrix = mupdf.FzMatrix(scale, 0, 0, scale, 0, 0)
        mupdf.fz_run_display_list(self._list, device, matrix, mupdf.FzRect(box), mupdf.FzCookie())
        mupdf.fz_close_device(canvas)
        return pixmap

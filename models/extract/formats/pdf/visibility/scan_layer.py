"""The text layer of a scan: text without ink, or below the picture, in places where the picture shows ink."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from quire.models.cdom.geometry import Bbox
from quire.models.extract.formats.pdf.engine import BROKEN, pymupdf
from quire.models.extract.formats.pdf.visibility.paint import surely_unseen
from quire.models.extract.layout.lines.marks import Line

_SCAN_SHARE = 0.65
"""Share of the page that the pictures of a scan cover."""
_LAYER_SHARE = 0.8
"""Share of the page's characters that its text layer has; the others are stamps and page numbers added later."""
_DPI = 50
"""Dots per inch of the drawing in which the ink is counted."""
_DARK = 40
"""Grey levels (of 255) by which ink is darker than the paper."""
_PAPER = 0.9
"""Share of the pixels that are at most as light as the paper."""
_EDGE = 0.03
"""Share of the page at each side that is not counted: scans have dark edges and punch holes there."""
_MARGIN = 2.0
"""Points around a line within which ink belongs to it."""


def is_scan(blocks: list[dict[str, Any]], images: dict[int, bool], bounds: Bbox) -> bool:
    """Return whether pictures cover the page and nearly all of its text is invisible or below a picture."""
    boxes = {order: blocks[order]["bbox"] for order in images}
    page = max(1.0, (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]))
    if sum(_area_of(box, bounds) for box in boxes.values()) < _SCAN_SHARE * page:
        return False
    chars = layer = 0
    for order, block in enumerate(blocks):
        if block["type"] != 0:
            continue
        is_below = any(above > order and _area_of(block["bbox"], box) for above, box in boxes.items())
        for line in block["lines"]:
            for span in line["spans"]:
                count = len(span["text"].strip())
                chars += count
                layer += count * (is_below or surely_unseen(span) is not None)
    return chars > 0 and layer >= _LAYER_SHARE * chars


def _area_of(box: Bbox, area: Bbox) -> float:
    width, height = min(box[2], area[2]) - max(box[0], area[0]), min(box[3], area[3]) - max(box[1], area[1])
    return max(0.0, width) * max(0.0, height)


def measure_ink(page: Any, lines: Sequence[Line]) -> float:
    """Return the share (0..1) of the page's dark pixels that are in the boxes of the lines; 0 without any."""
    scale = _DPI / 72
    try:
        drawn = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=False, colorspace=pymupdf.csGRAY)
    except BROKEN:
        return 0.0
    grey = np.frombuffer(drawn.samples, dtype=np.uint8).reshape(drawn.h, drawn.stride)[:, : drawn.w]
    counts = np.bincount(grey.ravel(), minlength=256).cumsum()
    paper = int(np.searchsorted(counts, _PAPER * grey.size))
    dark = grey < paper - _DARK
    down, across = int(_EDGE * drawn.h), int(_EDGE * drawn.w)
    inner = np.zeros_like(dark)
    inner[down : drawn.h - down, across : drawn.w - across] = True
    dark &= inner
    total = int(dark.sum())
    for line in lines:
        x0, y0, x1, y1 = (max(0, round(value * scale)) for value in _widen(line.bbox))
        dark[y0 : y1 + 1, x0 : x1 + 1] = False
    return 1.0 - int(dark.sum()) / total if total else 0.0


def _widen(box: Bbox) -> Bbox:
    return (box[0] - _MARGIN, box[1] - _MARGIN, box[2] + _MARGIN, box[3] + _MARGIN)

"""From a YOLO network's raw rows to boxes of a page: confidence, suppression of doubles, back to points.

Pure arrays; knows no runtime and no picture format.
"""

import numpy as np

from quire.models.cdom.geometry import Bbox, clamp_bbox, round_bbox
from quire.models.neural.ocr.runtime import Floats

LEAST_CONFIDENCE = 0.3
"""Under it (0..1) a box is noise: the maker's own threshold."""
MOST_SHARED = 0.45
"""Intersection over union (0..1) from which two boxes of one class are the same element."""
MOST_BOXES = 300
"""Boxes of a page that are kept, the surest first: a page has fewer elements."""


def decode_boxes(raw: Floats) -> list[tuple[int, float, Floats]]:
    """(class, confidence, corners in pixels of the network's picture), the surest first.

    `raw`: 4 + classes rows of candidates: middle, width, height, a chance per class.
    """
    chances = raw[4:]
    classes = chances.argmax(axis=0)
    sure = chances.max(axis=0)
    order = np.argsort(-sure, kind="stable")
    order = order[sure[order] >= LEAST_CONFIDENCE]
    middle, size = raw[:2, order], raw[2:4, order]
    corners = np.concatenate([middle - size / 2, middle + size / 2]).T
    kept: list[tuple[int, float, Floats]] = []
    for rank, index in enumerate(order):
        kind, box = int(classes[index]), corners[rank]
        if not any(kind == other and _shared(box, seen) > MOST_SHARED for other, _, seen in kept):
            kept.append((kind, float(sure[index]), box))
            if len(kept) == MOST_BOXES:
                break
    return kept


def _shared(first: Floats, second: Floats) -> float:
    """Intersection over union."""
    wide = min(first[2], second[2]) - max(first[0], second[0])
    high = min(first[3], second[3]) - max(first[1], second[1])
    if wide <= 0 or high <= 0:
        return 0.0
    inner = wide * high
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return float(inner / (areas - inner))


def to_points(corners: Floats, scale: float, offset: tuple[int, int], points: tuple[float, float]) -> Bbox:
    """Convert a box from pixels of the network's input to points of the page.

    Args:
        corners: x0, y0, x1, y1 in pixels.
        scale: Pixels per point.
        offset: Position of the page's top left corner in the input.
        points: Width and height of the page.
    """
    x0, y0, x1, y1 = (
        float(corners[0] - offset[0]) / scale,
        float(corners[1] - offset[1]) / scale,
        float(corners[2] - offset[0]) / scale,
        float(corners[3] - offset[1]) / scale,
    )
    return round_bbox(clamp_bbox((x0, y0, x1, y1), *points))

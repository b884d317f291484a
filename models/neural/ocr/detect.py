"""Text line boxes on a picture: differentiable binarisation (Liao et al. 2020) over the detector's probability map.

In: an RGB picture (uint8, H×W×3) and a network. Out: four-cornered boxes in its pixels. Knows no page and no language.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.models.neural.ocr.runtime import Floats, Network

Picture = NDArray[np.uint8]

STEP = 32
"""The network halves its input five times, so each side is a multiple of this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """Sides in pixels; `ink`, `box` are probabilities; a shrunken kernel grows by area / perimeter × `unclip`."""

    min_side: int = 896
    max_side: int = 2000
    ink: float = 0.3
    box: float = 0.5
    unclip: float = 1.6
    smallest: float = 3.0
    most_lines: int = 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class LineKernels:
    """The text detector's output for a picture: ink map, kernel outlines, and picture pixels per map pixel."""

    inked: Floats
    contours: Sequence[Any]
    scale: Floats
    limits: tuple[int, int]

    def boxes(self, settings: DetectorSettings) -> list[Floats]:
        """Corners (4×2: top left, top right, bottom right, bottom left along the reading side) of each text line."""
        boxes = (_box(contour, self.inked, settings) for contour in self.contours)
        return [np.clip(box * self.scale, 0, self.limits).astype(np.float32) for box in boxes if box is not None]


def find_lines(picture: Picture, network: Network, settings: DetectorSettings) -> list[Floats]:
    """Return the boxes of the text lines; see `LineKernels.boxes`."""
    return find_kernels(picture, network, settings).boxes(settings)


def find_kernels(picture: Picture, network: Network, settings: DetectorSettings) -> LineKernels:
    """Run the text detector on the picture."""
    import cv2

    height, width = picture.shape[:2]
    shape = _network_shape(height, width, settings)
    shrinks = shape[0] * shape[1] < height * width
    resized = cv2.resize(picture, shape[::-1], interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    batch = (resized[:, :, ::-1].transpose(2, 0, 1)[None].astype(np.float32) / 127.5) - 1.0
    inked = network(np.ascontiguousarray(batch))[0, 0]
    mask = cv2.dilate((inked > settings.ink).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    scale = np.array([width / shape[1], height / shape[0]], np.float32)
    return LineKernels(
        inked=inked, contours=_largest(contours, settings.most_lines), scale=scale, limits=(width - 1, height - 1)
    )


def _network_shape(height: int, width: int, settings: DetectorSettings) -> tuple[int, int]:
    scale = min(1.0, settings.max_side / max(height, width))
    if min(height, width) * scale < settings.min_side:
        scale = min(settings.min_side / min(height, width), settings.max_side / max(height, width))
    rounded = (max(STEP, round(side * scale / STEP) * STEP) for side in (height, width))
    return next(rounded), next(rounded)


def _largest(contours: Sequence[Any], most: int) -> Sequence[Any]:
    """Return the `most` largest kernels, so that a page of noise is read in bounded time."""
    import cv2

    return contours if len(contours) <= most else sorted(contours, key=cv2.contourArea, reverse=True)[:most]


def _box(contour: Any, inked: Floats, settings: DetectorSettings) -> Floats | None:
    """Return the rectangle around a kernel, enlarged to the size of the text; None when it is small or doubtful."""
    import cv2

    centre, (along, across), angle = cv2.minAreaRect(contour)
    if min(along, across) < settings.smallest or _score(contour, inked) < settings.box:
        return None
    grow = 2 * along * across * settings.unclip / (2 * (along + across))
    return _ordered(cv2.boxPoints((centre, (along + grow, across + grow), angle)))


def _score(contour: Any, inked: Floats) -> float:
    """Mean probability inside the rectangle around the kernel."""
    import cv2

    corners = cv2.boxPoints(cv2.minAreaRect(contour))
    x0, y0 = np.maximum(np.floor(corners.min(axis=0)), 0).astype(int)
    x1, y1 = np.ceil(corners.max(axis=0)).astype(int) + 1
    part = inked[y0:y1, x0:x1]
    mask = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(mask, [(corners - (x0, y0)).astype(np.int32)], 1)
    return float(cv2.mean(part, mask)[0])


def _ordered(corners: NDArray[Any]) -> Floats:
    """Clockwise from the top left corner, the first side being the one nearest to horizontal."""
    start = int(np.argmin(corners.sum(axis=1)))
    box = np.roll(corners, -start, axis=0)
    top = box[1] - box[0]
    if abs(math.atan2(float(top[1]), float(top[0]))) > math.pi / 4:
        box = np.roll(box, 1, axis=0)
    return np.asarray(box, np.float32)

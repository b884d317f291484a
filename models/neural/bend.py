"""Measures how the text lines of a photographed page bend, and maps pictures and points between bent and flat page.

The bend is measured from the text detector's kernels. Flattening moves every pixel column up or down, which undoes the
bends of books and folded sheets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from quire.models.cdom.geometry import PageBend

Floats = npt.NDArray[np.float32]
Picture = npt.NDArray[np.uint8]
Contour = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class BendLimits:
    """Lengths in pixels of the detector's picture."""

    degree: int = 4  # of the slope of lines along the page, as a polynomial
    long: float = 6.0  # times as long as thick: shorter kernels have no reliable slope
    window: int = 24  # of a kernel over which one slope is measured
    least_lines: int = 5  # fewer lines or windows do not determine the bend
    least_samples: int = 24
    least_share: float = 0.3  # of the page's width that the windows must reach over
    worst: float = 0.5  # slope beyond which a window is not a line of text
    least_bend: float = 0.2  # thicknesses of a kernel by which lines must leave the straight, else the page is flat
    unexplained: float = (
        1.0  # of the spread of slopes that the bend leaves open: a form whose lines are level leaves all
    )
    stray: float = 3.0  # times the median deviation from which a window is left out
    ridge: float = 0.3  # weight that pulls the slope to 0 where lines are missing


LIMITS: Final = BendLimits()


def flatten(picture: Picture, bend: PageBend) -> Picture:
    """Return the picture with straight, level lines."""
    import cv2

    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    lower = y + (width * _drops(bend, x / width, y / height)).astype(np.float32)
    flat = cv2.remap(picture, x, lower, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.uint8)


def add_bends(first: PageBend, second: PageBend) -> PageBend:
    """Both, one after the other, as long as they are small."""
    top, more = (
        tuple(a + b for a, b in zip(term, added, strict=True))
        for term, added in zip(first.slopes, second.slopes, strict=True)
    )
    return PageBend((top, more))


def _drops(bend: PageBend, x: Any, y: Any) -> Any:
    """`PageBend.drop` of many points."""
    drop: Any = bend.drop
    return drop(x, y)


def measure_bend(
    contours: Sequence[Contour], shape: tuple[int, int], aspect: float = 1.0, limits: BendLimits = LIMITS
) -> PageBend | None:
    """Return the bend of the page that holds these kernels, or None when its lines are straight (also when tilted).

    Args:
        contours: Outlines of the text detector's kernels, in its pixels.
        shape: Height and width of the detector's map.
        aspect: Height of one detector pixel on the page, divided by its width.
        limits: Thresholds for enough evidence and for a bend worth correcting.
    """
    lines = [line for contour in contours if (line := _slopes_of(contour, limits))]
    samples = [sample for line in lines for sample in line]
    if len(lines) < limits.least_lines or len(samples) < limits.least_samples:
        return None
    x, y, slope, thick = np.array(samples, np.float64).T
    height, width = shape
    if np.ptp(x) < limits.least_share * width:
        return None
    bend, stray = _fit(x / width, y / height, slope * aspect, limits)
    if stray > limits.unexplained:
        return None
    drops = width * _drops(bend, x / width, y / height)
    apart = drops - np.polynomial.polynomial.polyval(x, np.polynomial.polynomial.polyfit(x, drops, 1))
    return bend if float(np.percentile(np.abs(apart), 90)) > limits.least_bend * float(np.median(thick)) else None


def _slopes_of(contour: Contour, limits: BendLimits) -> list[tuple[float, float, float, float]]:
    """Place, slope and thickness of a kernel, window by window along it."""
    import cv2

    left, top, wide, high = cv2.boundingRect(contour)
    if wide < 2 * limits.window:
        return []
    mask = np.zeros((high, wide), np.uint8)
    cv2.drawContours(mask, [contour - np.array([left, top], np.int32)], -1, 1, cv2.FILLED)
    counts = mask.sum(axis=0, dtype=np.int64).clip(1)
    thick = float(np.median(counts))
    if wide < limits.long * thick:
        return []
    middle = (mask * np.arange(high, dtype=np.float64)[:, None]).sum(axis=0) / counts
    slopes: list[tuple[float, float, float, float]] = []
    half = limits.window // 2
    for start in range(half // 2, wide - limits.window - half // 2 + 1, half):
        before, after = middle[start : start + half], middle[start + half : start + limits.window]
        slope = float(after.mean() - before.mean()) / half
        if abs(slope) < limits.worst:
            place = start + half
            slopes.append((left + place, top + float(middle[place]), slope, thick))
    return slopes


def _fit(x: Any, y: Any, slope: Any, limits: BendLimits) -> tuple[PageBend, float]:
    """Fit the bend by least squares, refit without outliers; return it and the unexplained share of slope spread."""
    powers = np.stack([x**power for power in range(limits.degree + 1)], axis=1)
    terms = np.concatenate([powers, powers * y[:, None]], axis=1)
    kept = np.ones(len(x), bool)
    solution = np.zeros(terms.shape[1])
    for _ in range(2):
        chosen = terms[kept]
        weight = limits.ridge * np.eye(terms.shape[1])
        weight[0, 0] = 0.0
        solution = np.linalg.solve(chosen.T @ chosen + weight, chosen.T @ slope[kept])
        apart = np.abs(terms @ solution - slope)
        kept = apart <= limits.stray * max(1e-4, float(np.median(apart)))
    count = limits.degree + 1
    rounded = [round(float(value), 6) for value in solution]
    spread = np.abs(slope - np.median(slope))
    open_share = float(np.median(np.abs(terms @ solution - slope)) / max(1e-9, float(np.median(spread))))
    return PageBend((tuple(rounded[:count]), tuple(rounded[count:]))), open_share

"""Thickness of the strokes of recognised words, by which bold type differs from regular type on a picture.

In: the picture of a text line and the ranges of its words. Out: a thickness a word, in pixels. No model.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrokeSettings:
    """Conditions under which strokes are measured."""

    faint: float = 20.0
    """Least contrast (grey levels of 255) between paper and ink."""
    longest: float = 0.45
    """Heights of the picture from which a run of ink is a rule or a horizontal stroke."""
    least: int = 10
    """Runs of ink of a word that is measured."""


SETTINGS = StrokeSettings()


def measure_strokes(
    picture: Picture, ranges: Sequence[tuple[float, float]], settings: StrokeSettings = SETTINGS
) -> tuple[float, ...]:
    """Return the median width of the runs of ink in the rows of each word; 0 where there are too few.

    Args:
        picture: The line, level, as height × width × colours.
        ranges: Start and end of each word as fractions of the width, from left to right.
        settings: Conditions.
    """
    level = _find_ink(picture, settings)
    if level is None:
        return (0.0,) * len(ranges)
    starts, ends = _find_runs(level)
    lengths, middles = ends - starts, (starts + ends) / (2 * picture.shape[1])
    kept = lengths < settings.longest * picture.shape[0]
    lengths, middles = lengths[kept], middles[kept]
    widths: list[float] = []
    for start, end in ranges:
        own = lengths[(middles >= start) & (middles < end)]
        widths.append(float(np.median(own)) if len(own) >= settings.least else 0.0)
    return tuple(widths)


def _find_ink(picture: Picture, settings: StrokeSettings) -> Floats | None:
    """Return 0 for paper to 1 for ink of each pixel, or None when the line is too faint; ink may be the lighter one."""
    grey = picture.mean(axis=2, dtype=np.float32)
    dark, paper, light = (float(value) for value in np.percentile(grey[::2, ::2], (2, 50, 98)))
    if light - dark < settings.faint:
        return None
    ink = dark if paper - dark > light - paper else light
    level: Floats = (grey - np.float32(paper)) / np.float32(ink - paper)
    return level


def _find_runs(level: Floats) -> tuple[Floats, Floats]:
    """Return where the runs of ink start and end in their rows, in parts of pixels."""
    padded = np.pad(level, ((0, 0), (1, 1)))
    change = np.diff((padded > 0.5).astype(np.int8), axis=1)
    edges: list[Floats] = []
    for step in (1, -1):
        rows, columns = np.nonzero(change == step)
        before, after = padded[rows, columns], padded[rows, columns + 1]
        edges.append((columns + (0.5 - before) / (after - before)).astype(np.float32))
    return edges[0], edges[1]

"""Order of text lines on a tilted page: rows along the skew, then from left to right.

In: boxes (4×2 pixels) and the skew. Out: indices in reading order of rows. Columns are for the layout rules.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from quire.models.neural.ocr.runtime import Floats

SAME_ROW = 0.5
"""Two lines share a row when they overlap by this share of the lower one."""


@dataclass(slots=True, kw_only=True)
class _Row:
    top: float
    bottom: float
    members: list[tuple[float, int]] = field(default_factory=list)


def row_order(boxes: Sequence[Floats], skew_degrees: float) -> list[int]:
    """Sorting by y alone puts the right half of a tilted row below the left half of the next one."""
    levelled = sorted((_level(box, skew_degrees), index) for index, box in enumerate(boxes))
    rows: list[_Row] = []
    for (top, bottom, left), index in levelled:
        row = next((row for row in reversed(rows[-8:]) if _shares(row, top, bottom)), None)
        if row is None:
            row = _Row(top=top, bottom=bottom)
            rows.append(row)
        row.members.append((left, index))
    rows.sort(key=lambda row: row.top + row.bottom)
    return [index for row in rows for _, index in sorted(row.members)]


def _level(box: Floats, skew_degrees: float) -> tuple[float, float, float]:
    """Top, bottom and left of a box on the page turned level."""
    sine, cosine = math.sin(math.radians(skew_degrees)), math.cos(math.radians(skew_degrees))
    xs = [float(x) * cosine + float(y) * sine for x, y in box]
    ys = [float(y) * cosine - float(x) * sine for x, y in box]
    return min(ys), max(ys), min(xs)


def _shares(row: _Row, top: float, bottom: float) -> bool:
    overlap = min(row.bottom, bottom) - max(row.top, top)
    return overlap > SAME_ROW * min(row.bottom - row.top, bottom - top)

"""Two book pages on one scan: finds the fold and the words of each page. Pure.

A scan holds two pages when it is wide enough for two, its fold is empty, and both sides hold lines of running text.
Tables and slides have short lines or reach over the middle. If only one side is running text, the other is a page only
when its lines do not share the rows of that text, as the columns of a table do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.ports import Word


@dataclass(frozen=True, slots=True)
class SpreadLimits:
    """Thresholds, as shares of the scan's width unless noted otherwise."""

    widest: float = 0.95  # of a single page, by its height: paper is higher than wide
    slimmest: float = 0.5
    middle: tuple[float, float] = (0.4, 0.6)  # range of the fold
    fold: float = 0.02  # width without a word: the inner margins of two pages are wider
    lines: int = 8  # on each page
    clear_fold: float = 0.04  # the same where only one page is running text
    level: float = 0.2  # of a line's height by which two middles may differ on one row
    on_rows: float = 0.5  # lines on rows of the other side from which both belong to one table
    prose: float = 0.35  # of the text's width on a page: half of its text is in lines as long, also in two columns


LIMITS: Final = SpreadLimits()


def find_fold(words: Sequence[Word], rules: Sequence[Bbox], width: float, height: float) -> float | None:
    """Return the x (points) where two pages meet on an upright, level scan; None for a single page."""
    page = width / 2 / max(height, 1.0)
    if not LIMITS.slimmest < page < LIMITS.widest:
        return None
    gap, fold = _find_gap(words, width)
    if gap < LIMITS.fold * width or any(x0 < fold < x1 for x0, _, x1, _ in rules):
        return None
    left, right = (_find_lines(words, fold, right=right) for right in (False, True))
    prose = _is_prose(left) + _is_prose(right)
    if min(len(left), len(right)) < LIMITS.lines or not prose:
        return None
    return fold if prose == len((left, right)) or _are_apart(left, right, gap / width) else None


def _find_gap(words: Sequence[Word], width: float) -> tuple[float, float]:
    """Return the widest gap between words around the middle of the scan, and the middle of that gap."""
    first, last = (share * width for share in LIMITS.middle)
    end, best = 0.0, (0.0, 0.0)
    for x0, x1 in sorted((word.bbox[0], word.bbox[2]) for word in words):
        if x0 > end and first <= (x0 + end) / 2 <= last:
            best = max(best, (x0 - end, (x0 + end) / 2))
        end = max(end, x1)
    return best


def _find_lines(words: Sequence[Word], fold: float, *, right: bool) -> list[Bbox]:
    """Return the boxes of the lines of one side."""
    own = [word for word in words if (word.bbox[0] >= fold) == right]
    return [union_bbox(word.bbox for word in group) for _, group in groupby(own, key=lambda word: word.line)]


def _is_prose(lines: Sequence[Bbox]) -> bool:
    if not lines:
        return False
    width = max(line[2] for line in lines) - min(line[0] for line in lines)
    lengths = [line[2] - line[0] for line in lines]
    return sum(length for length in lengths if length >= LIMITS.prose * width) >= sum(lengths) / 2


def _are_apart(left: Sequence[Bbox], right: Sequence[Bbox], gap: float) -> bool:
    """Return whether the sides are two pages: the columns of a table share rows. `gap` is a share of the width."""
    if gap < LIMITS.clear_fold:
        return False
    few, many = sorted((left, right), key=len)
    return sum(any(_on_row(line, candidate) for candidate in many) for line in few) < LIMITS.on_rows * len(few)


def _on_row(a: Bbox, b: Bbox) -> bool:
    return abs(a[1] + a[3] - b[1] - b[3]) / 2 <= LIMITS.level * min(a[3] - a[1], b[3] - b[1])


def take_side(
    words: Sequence[Word], rules: Sequence[Bbox], fold: float, *, right: bool
) -> tuple[list[Word], list[Bbox]]:
    """Return the words and drawn lines of one page, with x measured from its own left edge."""
    origin = fold if right else 0.0
    side = [replace(word, bbox=shift(word.bbox, -origin)) for word in words if (word.bbox[0] >= fold) == right]
    return side, [shift(rule, -origin) for rule in rules if (rule[0] >= fold) == right]


def shift(box: Bbox, by: float) -> Bbox:
    """Return the box moved to the right by `by` points."""
    return (box[0] + by, box[1], box[2] + by, box[3])

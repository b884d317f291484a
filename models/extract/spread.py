"""Two pages of a book on one scan: where the fold lies, and the words of each page. Pure.

A scan is taken for two pages when it is wide enough for two, nothing stands in its fold, and both sides hold lines of
running text; tables and slides have short lines or reach over the middle.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from models.cdom.geometry import Bbox
from models.cdom.ports import Word


@dataclass(frozen=True, slots=True)
class SpreadLimits:
    """Shares of the scan's width, where nothing else is said."""

    widest: float = 0.95  # of a single page, by its height: paper is higher than wide
    slimmest: float = 0.5
    middle: tuple[float, float] = (0.4, 0.6)  # where the fold may lie
    fold: float = 0.02  # width without a word: the inner margins of two pages are wider
    lines: int = 8  # on each page
    prose: float = 0.35  # of the text's width on a page: half of its text is in lines as long, also in two columns


LIMITS: Final = SpreadLimits()


def find_fold(words: Sequence[Word], rules: Sequence[Bbox], width: float, height: float) -> float | None:
    """Where (points) two pages meet on an upright, level scan; null where it shows one."""
    page = width / 2 / max(height, 1.0)
    if not LIMITS.slimmest < page < LIMITS.widest:
        return None
    fold = _find_gap(words, width)
    if fold is None or any(x0 < fold < x1 for x0, _, x1, _ in rules):
        return None
    sides = ([word for word in words if word.bbox[0] < fold], [word for word in words if word.bbox[0] >= fold])
    return fold if all(_is_prose(side) for side in sides) else None


def _find_gap(words: Sequence[Word], width: float) -> float | None:
    """The middle of the widest gap between words around the middle of the scan."""
    first, last = (share * width for share in LIMITS.middle)
    end, best = 0.0, (0.0, 0.0)
    for x0, x1 in sorted((word.bbox[0], word.bbox[2]) for word in words):
        if x0 > end and first <= (x0 + end) / 2 <= last:
            best = max(best, (x0 - end, (x0 + end) / 2))
        end = max(end, x1)
    return best[1] if best[0] >= LIMITS.fold * width else None


def _is_prose(words: Sequence[Word]) -> bool:
    lines = [list(group) for _, group in groupby(words, key=lambda word: word.line)]
    if len(lines) < LIMITS.lines:
        return False
    left, right = min(word.bbox[0] for word in words), max(word.bbox[2] for word in words)
    lengths = [max(word.bbox[2] for word in line) - min(word.bbox[0] for word in line) for line in lines]
    long = sum(length for length in lengths if length >= LIMITS.prose * (right - left))
    return long >= sum(lengths) / 2


def take_side(
    words: Sequence[Word], rules: Sequence[Bbox], fold: float, *, right: bool
) -> tuple[list[Word], list[Bbox]]:
    """Words and drawn lines of one page, from its own left edge on."""
    by = fold if right else 0.0
    kept = [replace(word, bbox=shift(word.bbox, -by)) for word in words if (word.bbox[0] >= fold) == right]
    return kept, [shift(rule, -by) for rule in rules if (rule[0] >= fold) == right]


def shift(box: Bbox, by: float) -> Bbox:
    return (box[0] + by, box[1], box[2] + by, box[3])
